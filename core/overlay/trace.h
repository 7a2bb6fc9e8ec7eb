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

/// An activity of a track from one time to another, in the unit of the file (microseconds by the format).
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
    std::vector<std::string> tracks; ///< names of process and thread, or else their numbers: "core 1 / array"
    std::vector<Slice> slices;       ///< sorted by start, then by track
    std::int64_t otherEvents = 0;    ///< number of counters, flows and marks without length
    std::int64_t openEvents = 0;     ///< number of events that begin and never end, or end and never begin
};

/// True if the text has the form of a trace: an object with traceEvents, or a list of events.
[[nodiscard]] bool isTrace(std::string_view text);
/// Reads complete events ("X"), pairs ("B" and "E", "b" and "e") and names ("M"), in a file that is an object
/// or a list. The Error names file, event and field.
[[nodiscard]] Result<Trace> readTrace(std::string_view text, const std::string& file);

/// Two slices with the same name, one of each trace.
struct SlicePair
{
    std::size_t a = 0, b = 0; ///< indices in Trace::slices
};

/// Two traces on a common axis: a time t of the second trace is offset + scale * t on the axis of the first
/// one.
struct TraceComparison
{
    Trace a, b;
    double offset = 0, scale = 1;
    bool fitted = false;
    std::vector<SlicePair> pairs;          ///< the pairs with the largest differences first
    std::vector<std::size_t> onlyA, onlyB; ///< slices without a partner

    /// Start (length) of a slice of the second trace on the axis of the first one.
    [[nodiscard]] double startOf(std::size_t b_) const { return offset + scale * b.slices[b_].start; }
    [[nodiscard]] double lengthOf(std::size_t b_) const { return scale * b.slices[b_].length(); }
    /// Start (length) of the second trace's slice minus that of the first trace's slice.
    [[nodiscard]] double startDifference(const SlicePair& pair) const
    {
        return startOf(pair.b) - a.slices[pair.a].start;
    }
    [[nodiscard]] double lengthDifference(const SlicePair& pair) const
    {
        return lengthOf(pair.b) - a.slices[pair.a].length();
    }
};

/// How long a slice of the second trace is, compared with the slice of the first trace that it is paired
/// with.
enum class SliceLength { Equal, Longer, Shorter, Alone };
inline constexpr SliceLength kSliceLengths[] = {SliceLength::Equal, SliceLength::Longer, SliceLength::Shorter,
                                                SliceLength::Alone};

/// The pair of a slice of the second trace.
struct SlicePartner
{
    SliceLength length = SliceLength::Alone;
    /// Index in TraceComparison::pairs; nullopt if the slice is in the second trace only.
    std::optional<std::size_t> pair;
};
/// Returns the partners by index of the slices of the second trace.
[[nodiscard]] std::vector<SlicePartner> partnersOf(const TraceComparison& comparison);

/// The slices of a track in rows without overlap: a slice is in the first row that is free at its start, so
/// that slices inside another one are below it.
struct TrackRows
{
    std::size_t track = 0;
    std::vector<std::vector<std::size_t>> rows; ///< indices in Trace::slices, by start
};
/// Returns the tracks that have slices, in the order of the trace.
[[nodiscard]] std::vector<TrackRows> trackRows(const Trace& trace);

/// Moves the second trace on the axis of the first one and sorts the pairs anew. `offset`: if nullopt, it is
/// fitted to the starts of matched slices by least squares; without pairs, both traces begin together.
void place(TraceComparison& comparison, double scale, std::optional<double> offset);

/// Matches slices by track and name, then by name alone; the nth slice of a name is matched with the nth in
/// the order of time. `scale` and `offset`: as in place().
[[nodiscard]] TraceComparison compareTraces(Trace a, Trace b, double scale = 1,
                                            std::optional<double> offset = {});

/// Describes the comparison in sentences: how many slices each trace has, the offset, and the events that are
/// left out.
[[nodiscard]] std::vector<std::string> textsOf(const TraceComparison& comparison);
/// Table of the pairs: track, slice, start and length in both traces, differences.
[[nodiscard]] Table tracesTable(const TraceComparison& comparison);
/// Table of the sums of lengths per track: in both traces, and their difference.
[[nodiscard]] Table tracksTable(const TraceComparison& comparison);
[[nodiscard]] std::string tracesJson(const TraceComparison& comparison);

} // namespace tilewright::overlay
