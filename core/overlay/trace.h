// SPDX-License-Identifier: GPL-3.0-or-later
// Traces as Chrome and Perfetto read them (JSON trace events), beside one another (docs/rules/validation.md
// 6).
#pragma once

#include "base/result.h"
#include "base/table.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright::overlay {

/// Something that a track did from one time to another, in the unit of the file (microseconds by the format).
struct Slice
{
    std::string name;
    std::size_t track = 0;
    double start = 0, end = 0;

    [[nodiscard]] double length() const noexcept { return end - start; }
};

struct Trace
{
    std::string file;
    std::vector<std::string> tracks; ///< "core 1 / array": names of process and thread, else their numbers
    std::vector<Slice> slices;       ///< slices by start, then by track
    std::int64_t otherEvents = 0;    ///< counters, flows, marks without length
    std::int64_t openEvents = 0;     ///< begun and never ended, or ended and never begun
};

/// True if the text has the form of a trace: an object with traceEvents, or a list of events.
[[nodiscard]] bool isTrace(std::string_view text);
/// Reads complete events ("X"), pairs ("B" and "E", "b" and "e") and names ("M"); the object or the list
/// form. An Error names file, event and field.
[[nodiscard]] Result<Trace> readTrace(std::string_view text, const std::string& file);

/// A slice of each of two traces with the same name.
struct SlicePair
{
    std::size_t a = 0, b = 0; ///< indices in Trace::slices
};

/// Two traces on one axis: a time t of the second one is offset + scale * t on that of the first one.
struct TraceComparison
{
    Trace a, b;
    double offset = 0, scale = 1;
    bool fitted = false;
    std::vector<SlicePair> pairs;          ///< those that differ most first
    std::vector<std::size_t> onlyA, onlyB; ///< slices without a partner

    /// The start and the length of a slice of the second trace on the axis of the first one.
    [[nodiscard]] double startOf(std::size_t b_) const { return offset + scale * b.slices[b_].start; }
    [[nodiscard]] double lengthOf(std::size_t b_) const { return scale * b.slices[b_].length(); }
    /// Difference in start and in length of the second trace's slice.
    [[nodiscard]] double startDifference(const SlicePair& pair) const
    {
        return startOf(pair.b) - a.slices[pair.a].start;
    }
    [[nodiscard]] double lengthDifference(const SlicePair& pair) const
    {
        return lengthOf(pair.b) - a.slices[pair.a].length();
    }
};

/// How long a slice of the second trace is beside the one of the first trace that it belongs to.
enum class SliceLength { Equal, Longer, Shorter, Alone };
inline constexpr SliceLength kSliceLengths[] = {SliceLength::Equal, SliceLength::Longer, SliceLength::Shorter,
                                                SliceLength::Alone};

/// A slice of the second trace and what it belongs to in the first one.
struct SlicePartner
{
    SliceLength length = SliceLength::Alone;
    std::optional<std::size_t>
        pair; ///< index in TraceComparison::pairs; nullopt: it is in the second one only
};
/// By index in the slices of the second trace.
[[nodiscard]] std::vector<SlicePartner> partnersOf(const TraceComparison& comparison);

/// The slices of a track in rows without overlap: a slice is in the first row that is free at its start, so
/// that slices inside another one are below it.
struct TrackRows
{
    std::size_t track = 0;
    std::vector<std::vector<std::size_t>> rows; ///< indices in Trace::slices by start
};
/// The tracks that have slices, in the order of the trace.
[[nodiscard]] std::vector<TrackRows> trackRows(const Trace& trace);

/// Puts the second trace elsewhere on the axis of the first one and orders the pairs anew. `offset`: nullopt
/// fits it to the starts of the pairs by least squares; without pairs, both begin together.
void place(TraceComparison& comparison, double scale, std::optional<double> offset);

/// Matches slices by track and name, then by name alone, the nth with the nth in the order of time.
/// Scale and offset as for place().
[[nodiscard]] TraceComparison compareTraces(Trace a, Trace b, double scale = 1,
                                            std::optional<double> offset = {});

/// The comparison in words: how many slices are where, the offset, and the events that are left out.
[[nodiscard]] std::vector<std::string> textsOf(const TraceComparison& comparison);
/// The pairs as a table: track, slice, start and length in both, differences.
[[nodiscard]] Table tracesTable(const TraceComparison& comparison);
/// Sums of lengths by track: of both traces, and their difference.
[[nodiscard]] Table tracksTable(const TraceComparison& comparison);
[[nodiscard]] std::string tracesJson(const TraceComparison& comparison);

} // namespace tilewright::overlay
