// SPDX-License-Identifier: GPL-3.0-or-later
#include "npu/dynamic_policy.h"

#include "base/integer.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace tilewright::npu {

namespace {

/// Range of a score term over the candidates, for min-max normalisation. Normalised values are 0 if all are
/// equal.
struct Range
{
    double low = std::numeric_limits<double>::infinity();
    double high = -std::numeric_limits<double>::infinity();
    void add(double v)
    {
        low = std::min(low, v);
        high = std::max(high, v);
    }
    [[nodiscard]] double of(double v) const
    {
        return high > low ? (std::min(v, high) - low) / (high - low) : 0.0;
    }
};

} // namespace

std::size_t bestCandidate(const std::vector<Candidate>& candidates, const Weights& weights,
                          bool memoryBoundFirst, ChoiceScore* terms)
{
    Range cp, intensity, stall;
    for (const Candidate& c : candidates) {
        cp.add(c.cp);
        if (std::isfinite(c.intensity)) // the intensity of nodes without bytes counts as the maximum
            intensity.add(c.intensity);
        stall.add(c.stall);
    }
    std::size_t best = 0;
    double bestScore = 0;
    ChoiceScore bestTerms;
    for (std::size_t i = 0; i < candidates.size(); ++i) {
        const Candidate& c = candidates[i];
        const ChoiceScore now{cp.of(c.cp), intensity.of(c.intensity), stall.of(c.stall),
                              static_cast<std::uint32_t>(candidates.size())};
        const double score = now.of(weights);
        const Candidate& b = candidates[best];
        bool better = score > bestScore || (score == bestScore && c.node < b.node);
        if (memoryBoundFirst && c.memoryBound != b.memoryBound)
            better = c.memoryBound;
        if (i == 0 || better) {
            best = i;
            bestScore = score;
            bestTerms = now;
        }
    }
    if (terms)
        *terms = bestTerms;
    return best;
}

ReadySet::ReadySet(const NpuGraph& graph, const NpuHardware& hardware, const std::vector<Cycle>& cp,
                   const RunOptions& options)
    : m_graph(graph), m_hw(hardware), m_cp(cp), m_options(options), m_tileChannels(graph.tiles.size(), 0),
      m_isReady(graph.units.size(), false)
{
    // Hot tiles have at least this many readers, such as the weights of a normalisation. A hot tile in SPM
    // would force every choice to check all units that read it one by one. These units are grouped by their
    // hot tile instead.
    constexpr std::uint32_t kHotReaders = 256;
    std::vector<std::uint32_t> readers(graph.tiles.size(), 0);
    for (std::size_t u = 0; u < graph.units.size(); ++u)
        for (const std::uint32_t t : graph.inputs(graph.nodesOf(u).front()))
            ++readers[t];
    m_hot.assign(graph.units.size(), kNone);
    for (std::size_t u = 0; u < graph.units.size(); ++u)
        for (const std::uint32_t t : graph.inputs(graph.nodesOf(u).front()))
            if (readers[t] >= kHotReaders && (m_hot[u] == kNone || readers[t] > readers[m_hot[u]]))
                m_hot[u] = t;
    const auto forEachCold = [&](auto&& f) {
        for (std::uint32_t u = 0; u < graph.units.size(); ++u)
            for (const std::uint32_t t : graph.inputs(graph.nodesOf(u).front()))
                if (t != m_hot[u])
                    f(u, t);
    };
    auto& begin = m_firstReaders.begin;
    begin.assign(graph.tiles.size() + 1, 0);
    forEachCold([&](std::uint32_t, std::uint32_t t) { ++begin[t + 1]; });
    for (std::size_t t = 0; t < graph.tiles.size(); ++t)
        begin[t + 1] += begin[t];
    m_firstReaders.items.resize(begin.back());
    std::vector<std::uint32_t> at(begin.begin(), begin.end() - 1);
    forEachCold([&](std::uint32_t u, std::uint32_t t) { m_firstReaders.items[at[t]++] = u; });
}

int ReadySet::onlyCore(std::uint32_t unit) const
{
    const std::int32_t head = m_graph.nodes[m_graph.nodesOf(unit).front()].head;
    return m_options.assignment == Assignment::HeadParallel && head >= 0 ? coreOfHead(head, m_hw.cores) : -1;
}

std::uint64_t ReadySet::channelsOf(std::uint32_t tileId) const
{
    std::uint64_t& mask = m_tileChannels[tileId];
    if (mask != 0)
        return mask;
    const DramHardware& d = m_hw.dram;
    const std::uint64_t all = d.channels == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << d.channels) - 1;
    const TileDesc& tile = m_graph.tiles[tileId];
    forEachRun(m_graph.tensors[tile.tensor], tile, [&](std::int64_t address, std::int64_t bytes) {
        for (std::int64_t block = address / d.interleaveBytes;
             mask != all && block <= (address + bytes - 1) / d.interleaveBytes; ++block)
            mask |= std::uint64_t{1} << channelOf(d, block);
    });
    return mask;
}

double ReadySet::stallOf(std::uint64_t channels, const Dram& dram) const
{
    if (channels == 0)
        return 0;
    std::int64_t queued = 0;
    for (std::uint64_t left = channels; left != 0; left &= left - 1)
        queued += dram.queuedBytes(std::countr_zero(left));
    return static_cast<double>(queued) /
           static_cast<double>(std::popcount(channels) * m_hw.dram.bytesPerCycle);
}

ReadySet::Kind ReadySet::kindOf(std::uint32_t unit) const
{
    const std::uint32_t node = m_graph.nodesOf(unit).front();
    Kind kind;
    kind.cp = m_cp[node];
    kind.compute = m_graph.nodes[node].computeCycles;
    kind.bytes = m_graph.nodes[node].memBytes;
    kind.hot = m_hot[unit];
    for (const std::uint32_t t : m_graph.inputs(node))
        if (t != kind.hot)
            kind.channels |= channelsOf(t);
    kind.core = onlyCore(unit);
    return kind;
}

void ReadySet::add(std::uint32_t unit)
{
    m_isReady[unit] = true;
    ++m_size;
    m_kinds[kindOf(unit)].insert(m_graph.nodesOf(unit).front());
}

void ReadySet::remove(std::uint32_t unit)
{
    m_isReady[unit] = false;
    --m_size;
    const auto kind = m_kinds.find(kindOf(unit));
    kind->second.erase(m_graph.nodesOf(unit).front());
    if (kind->second.empty())
        m_kinds.erase(kind);
}

namespace {

double intensityOf(Cycle compute, std::int64_t bytes)
{
    if (bytes == 0)
        return std::numeric_limits<double>::infinity();
    return static_cast<double>(compute) / static_cast<double>(bytes);
}

} // namespace

Candidate ReadySet::candidate(std::uint32_t unit, const Spm& spm, const Dram& dram) const
{
    const std::uint32_t node = m_graph.nodesOf(unit).front();
    std::int64_t bytes = 0;
    std::uint64_t channels = 0;
    for (const std::uint32_t t : m_graph.inputs(node))
        if (!spm.has(t)) {
            bytes += m_graph.tiles[t].alignedBytes;
            channels |= channelsOf(t);
        }
    for (const std::uint32_t t : m_graph.outputs(node))
        bytes += m_graph.tiles[t].alignedBytes;
    const TileNode& n = m_graph.nodes[node];
    return {node, static_cast<double>(m_cp[node]), intensityOf(n.computeCycles, bytes),
            stallOf(channels, dram), n.memBytes > n.computeCycles * m_hw.bandwidthAlone()};
}

std::uint32_t ReadySet::choose(int core, const Spm& spm, const Dram& dram,
                               const std::vector<std::uint32_t>& early, ChoiceScore& terms) const
{
    const auto mayRun = [&](std::uint32_t unit) {
        const int only = onlyCore(unit);
        return only < 0 || only == core;
    };
    // Units with input bytes already in this core's SPM are scored one by one.
    std::vector<std::uint32_t> single;
    spm.forEachTile([&](std::uint32_t tile) {
        for (const std::uint32_t u : m_firstReaders.of(tile))
            if (m_isReady[u] && mayRun(u))
                single.push_back(u);
    });
    for (const std::uint32_t u : early)
        if (mayRun(u))
            single.push_back(u);
    std::sort(single.begin(), single.end());
    single.erase(std::unique(single.begin(), single.end()), single.end());
    const auto isSingle = [&](std::uint32_t node) {
        return std::binary_search(single.begin(), single.end(), m_graph.nodes[node].unit);
    };
    std::vector<Candidate> candidates;
    candidates.reserve(single.size());
    for (const std::uint32_t u : single)
        candidates.push_back(candidate(u, spm, dram));
    for (const auto& [kind, nodes] : m_kinds) {
        if (kind.core >= 0 && kind.core != core)
            continue;
        std::int64_t bytes = kind.bytes;
        std::uint64_t channels = kind.channels;
        if (kind.hot != kNone) {
            if (spm.has(kind.hot))
                bytes -= m_graph.tiles[kind.hot].alignedBytes;
            else
                channels |= channelsOf(kind.hot);
        }
        for (const std::uint32_t node : nodes)
            if (!isSingle(node)) {
                candidates.push_back({node, static_cast<double>(kind.cp), intensityOf(kind.compute, bytes),
                                      stallOf(channels, dram),
                                      kind.bytes > kind.compute * m_hw.bandwidthAlone()});
                break;
            }
    }
    if (candidates.empty())
        return kNone;
    const std::size_t best = bestCandidate(candidates, m_options.weights, m_options.memoryBoundFirst, &terms);
    return m_graph.nodes[candidates[best].node].unit;
}

} // namespace tilewright::npu
