// SPDX-License-Identifier: GPL-3.0-or-later
#include "npu/bounds.h"

#include "base/integer.h"
#include "base/text.h"

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <tuple>
#include <utility>

namespace tilewright::npu {

namespace {

/// A set of bursts in the DRAM address space.
class BurstSet
{
public:
    explicit BurstSet(std::int64_t burstBytes) : m_burst(burstBytes) {}
    BurstSet(const BurstSet&) = delete;
    BurstSet& operator=(const BurstSet&) = delete;
    void add(const NpuTensor& tensor, const TileDesc& tile)
    {
        forEachRun(tensor, tile, [&](std::int64_t address, std::int64_t bytes) {
            const std::int64_t last = (address + bytes - 1) / m_burst;
            for (std::int64_t b = address / m_burst; b <= last;) {
                const int from = static_cast<int>(b % 64);
                const int to = static_cast<int>(std::min<std::int64_t>(64, last - b + 1 + from));
                const std::uint64_t mask = (to == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << to) - 1) &
                                           ~((std::uint64_t{1} << from) - 1);
                word(b / 64) |= mask;
                b += to - from;
            }
        });
    }
    void remove(const BurstSet& other)
    {
        for (auto& [index, page] : m_pages)
            if (const auto same = other.m_pages.find(index); same != other.m_pages.end())
                for (std::size_t i = 0; i < page.size(); ++i)
                    page[i] &= ~same->second[i];
    }
    [[nodiscard]] std::int64_t bytes() const
    {
        std::int64_t count = 0;
        for (const auto& [index, page] : m_pages)
            for (const std::uint64_t w : page)
                count += std::popcount(w);
        return count * m_burst;
    }

private:
    using Page = std::array<std::uint64_t, 1024>;

    [[nodiscard]] std::uint64_t& word(std::int64_t index)
    {
        constexpr auto kSize = static_cast<std::int64_t>(std::tuple_size_v<Page>);
        if (m_last == nullptr || m_lastIndex != index / kSize) {
            m_lastIndex = index / kSize;
            m_last = &m_pages[m_lastIndex];
        }
        return (*m_last)[static_cast<std::size_t>(index % kSize)];
    }

    std::int64_t m_burst;
    /// Pages that contain tiles; a tensor may be larger than the host's memory.
    std::map<std::int64_t, Page> m_pages;
    std::int64_t m_lastIndex = 0;
    Page* m_last = nullptr;
};

/// Returns (compulsory bytes, intermediate bytes).
std::pair<std::int64_t, std::int64_t> bytesOf(const NpuGraph& g)
{
    const std::int64_t burst = g.hardware.dram.burstBytes;
    BurstSet read(burst);
    BurstSet written(burst);
    std::vector<bool> isRead(g.tensors.size(), false);
    std::vector<bool> seen(g.tiles.size(), false);
    for (std::size_t n = 0; n < g.nodes.size(); ++n)
        for (const std::uint32_t t : g.inputs(n)) {
            isRead[g.tiles[t].tensor] = true;
            if (!seen[t])
                read.add(g.tensors[g.tiles[t].tensor], g.tiles[t]);
            seen[t] = true;
        }
    BurstSet finals(burst);
    for (std::size_t n = 0; n < g.nodes.size(); ++n)
        for (const std::uint32_t t : g.outputs(n)) {
            const NpuTensor& tensor = g.tensors[g.tiles[t].tensor];
            written.add(tensor, g.tiles[t]);
            if (!isRead[g.tiles[t].tensor] || g.nodes[n].type == NodeType::KvStore)
                finals.add(tensor, g.tiles[t]);
        }
    read.remove(written); // the run produces these bytes itself
    const std::int64_t made = written.bytes() - finals.bytes();
    return {read.bytes() + finals.bytes(), made};
}

} // namespace

std::string_view Bounds::binding() const noexcept
{
    if (lowerBound == criticalPath)
        return "critical_path";
    if (lowerBound == tensor)
        return "tensor";
    return lowerBound == vector ? "vector" : "dram";
}

Bounds lowerBounds(const NpuGraph& graph, const NpuHardware& hw)
{
    Bounds b;
    Cycle tensor = 0;
    Cycle vector = 0;
    for (const TileNode& n : graph.nodes)
        (n.engine() == Engine::Vector ? vector : tensor) += n.computeCycles;
    for (const Cycle cp : criticalPaths(graph, hw, true))
        b.criticalPath = std::max(b.criticalPath, cp);
    b.tensor = ceilDiv(tensor, hw.cores);
    b.vector = ceilDiv(vector, hw.cores);
    std::tie(b.compulsoryBytes, b.intermediateBytes) = bytesOf(graph);
    b.dram = ceilDiv(b.compulsoryBytes, hw.dramBytesPerCycle());
    b.lowerBound = std::max({b.criticalPath, b.tensor, b.vector, b.dram});
    return b;
}

namespace {

std::string_view inWords(CoreState state)
{
    switch (state) {
    case CoreState::WaitSpm:
        return "waiting for room in the scratchpad";
    case CoreState::WaitNoc:
        return "waiting for the network";
    case CoreState::WaitDram:
        return "waiting for DRAM";
    case CoreState::WaitDependency:
        return "waiting for other nodes";
    default:
        return "idle";
    }
}

} // namespace

Limit limitOf(const NpuRun& run, const Bounds& bounds)
{
    const double makespan = static_cast<double>(std::max<Cycle>(run.makespan, 1));
    const double dram = run.dramUtilization();
    const double tensor = static_cast<double>(bounds.tensor) / makespan;
    const double vector = static_cast<double>(bounds.vector) / makespan;
    if (dram >= tensor && dram >= vector && dram >= 0.5)
        return {Limit::What::Dram, {}, dram};
    if (tensor >= vector && tensor >= 0.5)
        return {Limit::What::Tensor, {}, tensor};
    if (vector >= 0.5)
        return {Limit::What::Vector, {}, vector};
    std::array<Cycle, kCoreStates> sums{};
    for (const CoreRun& core : run.cores)
        for (std::size_t s = 0; s < kCoreStates; ++s)
            sums[s] += core.cycles[s];
    std::size_t worst = static_cast<std::size_t>(CoreState::WaitSpm);
    for (std::size_t s = worst; s < kCoreStates; ++s)
        if (sums[s] > sums[worst])
            worst = s;
    return {Limit::What::Wait, static_cast<CoreState>(worst),
            static_cast<double>(sums[worst]) / (makespan * static_cast<double>(run.cores.size()))};
}

std::string explainRun(const NpuGraph& graph, const NpuRun& run, const Bounds& bounds)
{
    const auto ratio = [](Cycle a, Cycle b) {
        return formatGrouped(static_cast<double>(a) / static_cast<double>(std::max<Cycle>(b, 1)));
    };
    const Limit limit = limitOf(run, bounds);
    const std::string share = percent(limit.share);
    std::string text;
    switch (limit.what) {
    case Limit::What::Dram: {
        const Cycle compute = std::max({bounds.tensor, bounds.vector, bounds.criticalPath});
        text = "DRAM binds: its buses are busy for " + share + " of the makespan. " +
               formatGrouped(bounds.compulsoryBytes) + " bytes must move (" + formatGrouped(bounds.dram) +
               " cycles, " + ratio(bounds.dram, compute) + " times the longest compute bound)";
        if (run.dramBytes > bounds.compulsoryBytes + bounds.compulsoryBytes / 10)
            text += ", " + ratio(run.dramBytes, bounds.compulsoryBytes) + " times as many did";
        if (bounds.intermediateBytes > bounds.compulsoryBytes / 10)
            text += ", " + ratio(run.dramBytes, bounds.compulsoryBytes + bounds.intermediateBytes) +
                    " times with " + formatGrouped(bounds.intermediateBytes) +
                    " bytes of intermediate results";
        break;
    }
    case Limit::What::Tensor:
        text = "The tensor engines bind: they work for " + share + " of the makespan";
        break;
    case Limit::What::Vector:
        text = "The vector engines bind: they work for " + share + " of the makespan";
        break;
    case Limit::What::Wait: {
        // The text names the operator for which the cores wait longest.
        std::vector<Cycle> perOp(graph.opNames.size() + 1, 0);
        for (const CoreRun& core : run.cores)
            for (const StateSpan& s : core.states)
                if (s.state == limit.wait && s.node != kNone)
                    perOp[graph.nodes[s.node].op] += s.end - s.start;
        const auto op =
            static_cast<std::size_t>(std::max_element(perOp.begin(), perOp.end()) - perOp.begin());
        text = "No unit is saturated: the cores spend " + share + " of their cycles " +
               std::string(inWords(limit.wait));
        if (op < graph.opNames.size() && perOp[op] > 0)
            text += ", most of it for " + graph.opNames[op];
        text += "; the DRAM buses are busy for " + percent(run.dramUtilization()) +
                ", the tensor engines for " +
                percent(static_cast<double>(bounds.tensor) /
                        static_cast<double>(std::max<Cycle>(run.makespan, 1)));
        break;
    }
    }
    if (run.passedBytes > 0)
        text += "; " + formatGrouped(run.passedBytes) + " bytes went from core to core";
    return text + " (makespan " + formatGrouped(run.makespan) + ", lower bound of these tiles " +
           formatGrouped(bounds.lowerBound) + ")";
}

} // namespace tilewright::npu
