// SPDX-License-Identifier: GPL-3.0-or-later
#include "overlay/trace.h"

#include "base/text.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

namespace tilewright::overlay {

namespace {

using Indices = std::vector<std::size_t>;

/// Pairs the nth slice with a key in one trace with the nth slice with this key in the other. Returns the
/// unpaired slices.
template <typename Key>
void pairUp(const TraceComparison& c, Indices& restA, Indices& restB, std::vector<SlicePair>& pairs,
            const Key& key)
{
    std::unordered_map<std::string, Indices> there;
    for (const std::size_t b : restB) // slices are in the order of time
        there[key(c.b, c.b.slices[b])].push_back(b);
    std::unordered_map<std::string, std::size_t> taken;
    std::vector<char> isTaken(c.b.slices.size(), 0);
    Indices left;
    for (const std::size_t a : restA) {
        const std::string of = key(c.a, c.a.slices[a]);
        const auto at = there.find(of);
        std::size_t& next = taken[of];
        if (at == there.end() || next == at->second.size()) {
            left.push_back(a);
            continue;
        }
        const std::size_t b = at->second[next++];
        isTaken[b] = 1;
        pairs.push_back({a, b});
    }
    restA = std::move(left);
    std::erase_if(restB, [&](std::size_t b) { return isTaken[b] != 0; });
}

Indices allOf(const Trace& trace)
{
    Indices out(trace.slices.size());
    for (std::size_t i = 0; i < out.size(); ++i)
        out[i] = i;
    return out;
}

} // namespace

TraceComparison compareTraces(Trace a, Trace b, double scale, std::optional<double> offset)
{
    TraceComparison out;
    out.a = std::move(a);
    out.b = std::move(b);
    out.onlyA = allOf(out.a);
    out.onlyB = allOf(out.b);
    pairUp(out, out.onlyA, out.onlyB, out.pairs, [](const Trace& trace, const Slice& slice) {
        return trace.tracks[slice.track] + '\n' + slice.name;
    });
    pairUp(out, out.onlyA, out.onlyB, out.pairs, [](const Trace&, const Slice& slice) { return slice.name; });
    place(out, scale, offset);
    return out;
}

void place(TraceComparison& c, double scale, std::optional<double> offset)
{
    c.scale = scale;
    c.fitted = !offset;
    c.offset = offset.value_or(0);
    if (!offset && !c.pairs.empty()) {
        double sum = 0; // the least squares of a constant are at the mean
        for (const SlicePair& pair : c.pairs)
            sum += c.a.slices[pair.a].start - scale * c.b.slices[pair.b].start;
        c.offset = sum / static_cast<double>(c.pairs.size());
    } else if (!offset && !c.a.slices.empty() && !c.b.slices.empty()) {
        c.offset = c.a.slices.front().start - scale * c.b.slices.front().start;
    }
    std::ranges::stable_sort(c.pairs, std::ranges::greater(), [&](const SlicePair& pair) {
        return std::max(std::abs(c.lengthDifference(pair)), std::abs(c.startDifference(pair)));
    });
}

std::vector<SlicePartner> partnersOf(const TraceComparison& c)
{
    constexpr double kRounding = 1e-9; // of starts and ends as the files write them
    std::vector<SlicePartner> out(c.b.slices.size());
    for (std::size_t i = 0; i < c.pairs.size(); ++i) {
        const SlicePair& pair = c.pairs[i];
        const double longer = c.lengthDifference(pair);
        const double least = kRounding * std::max(c.a.slices[pair.a].end, c.lengthOf(pair.b));
        out[pair.b] = {longer > least    ? SliceLength::Longer
                       : longer < -least ? SliceLength::Shorter
                                         : SliceLength::Equal,
                       i};
    }
    return out;
}

std::vector<TrackRows> trackRows(const Trace& trace)
{
    std::vector<TrackRows> byTrack(trace.tracks.size());
    for (std::size_t i = 0; i < trace.slices.size(); ++i) {
        auto& rows = byTrack[trace.slices[i].track].rows;
        const auto isFree = [&](const Indices& row) {
            return trace.slices[row.back()].end <= trace.slices[i].start;
        };
        const auto at = std::ranges::find_if(rows, isFree);
        (at == rows.end() ? rows.emplace_back() : *at).push_back(i);
    }
    std::vector<TrackRows> out;
    for (std::size_t track = 0; track < byTrack.size(); ++track)
        if (!byTrack[track].rows.empty())
            out.push_back({track, std::move(byTrack[track].rows)});
    return out;
}

std::vector<std::string> textsOf(const TraceComparison& c)
{
    std::vector<std::string> out{formatGrouped(c.pairs.size()) + " slices are in both traces, " +
                                     formatGrouped(c.onlyA.size()) + " only in " + c.a.file + ", " +
                                     formatGrouped(c.onlyB.size()) + " only in " + c.b.file,
                                 "offset of the other trace: " + formatGrouped(c.offset) +
                                     (!c.fitted         ? ""
                                      : c.pairs.empty() ? ", with which both begin together"
                                                        : ", fitted to the starts of the slices")};
    for (const Trace* trace : {&c.a, &c.b}) {
        if (trace->openEvents > 0)
            out.push_back(trace->file + ": " + formatGrouped(trace->openEvents) +
                          " events without their beginning or end are left out");
        if (trace->otherEvents > 0)
            out.push_back(trace->file + ": " + formatGrouped(trace->otherEvents) +
                          " events without length (counters, marks, flows) are left out");
    }
    return out;
}

Table tracesTable(const TraceComparison& c)
{
    Table out({"track", "slice", "start", "starts later by", "length", "longer by"});
    for (std::size_t i = 2; i < out.columns.size(); ++i)
        out.columns[i].kind = ColumnKind::Number;
    for (const SlicePair& pair : c.pairs) {
        const Slice& a = c.a.slices[pair.a];
        out.add(c.a.tracks[a.track], a.name, a.start, c.startDifference(pair), a.length(),
                c.lengthDifference(pair));
    }
    return out;
}

Table tracksTable(const TraceComparison& c)
{
    struct Sums
    {
        double here = 0, there = 0;
    };
    std::vector<std::string> order;
    std::unordered_map<std::string, Sums> sums;
    const auto at = [&](const std::string& track) -> Sums& {
        const auto [it, isNew] = sums.try_emplace(track);
        if (isNew)
            order.push_back(track);
        return it->second;
    };
    for (const Slice& slice : c.a.slices)
        at(c.a.tracks[slice.track]).here += slice.length();
    for (std::size_t b = 0; b < c.b.slices.size(); ++b)
        at(c.b.tracks[c.b.slices[b].track]).there += c.lengthOf(b);
    Table out({"track", "busy", "busy in the other", "difference"});
    for (std::size_t i = 1; i < out.columns.size(); ++i)
        out.columns[i].kind = ColumnKind::Number;
    for (const std::string& track : order)
        out.add(track, sums[track].here, sums[track].there, sums[track].there - sums[track].here);
    return out;
}

} // namespace tilewright::overlay
