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
    out.scale = scale;
    out.onlyA = allOf(out.a);
    out.onlyB = allOf(out.b);
    pairUp(out, out.onlyA, out.onlyB, out.pairs, [](const Trace& trace, const Slice& slice) {
        return trace.tracks[slice.track] + '\n' + slice.name;
    });
    pairUp(out, out.onlyA, out.onlyB, out.pairs, [](const Trace&, const Slice& slice) { return slice.name; });
    out.fitted = !offset;
    out.offset = offset.value_or(0);
    if (!offset && !out.pairs.empty()) {
        double sum = 0; // the constant with the least squares is the mean
        for (const SlicePair& pair : out.pairs)
            sum += out.a.slices[pair.a].start - scale * out.b.slices[pair.b].start;
        out.offset = sum / static_cast<double>(out.pairs.size());
    }
    std::ranges::stable_sort(out.pairs, std::ranges::greater(), [&](const SlicePair& pair) {
        return std::max(std::abs(out.lengthDifference(pair)), std::abs(out.startDifference(pair)));
    });
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
