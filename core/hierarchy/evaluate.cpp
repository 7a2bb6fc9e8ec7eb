// SPDX-License-Identifier: GPL-3.0-or-later
#include "hierarchy/evaluate.h"

#include "hierarchy/exchange.h"
#include "hierarchy/imperfect.h"

#include <algorithm>

namespace tilewright::hierarchy {

namespace {

/// The exchange of one operand between a level P and the next level C inside it that holds the operand. For
/// the MACs, C is the number of levels.
struct Exchange
{
    std::size_t operand = 0;
    std::size_t outer = 0; ///< P
    std::size_t inner = 0; ///< C
    // Traffic that the exchange adds to both levels. MACs store nothing, so their traffic is dropped.
    Traffic in;                 ///< writes of C, and the reads of P for them
    Traffic out;                ///< reads of C, and the writes of P for them
    std::int64_t additions = 0; ///< reads of P for adding an arriving partial sum to the stored one
    double additionBits = 0;
};

class Counter
{
public:
    /// `imperfect` counts the tiles of factors that do not divide the trip count; null if all factors divide.
    Counter(const LoopNest& nest, const Architecture& architecture, const TiledNest& tiled,
            const ImperfectCounter* imperfect, Cost& out)
        : m_nest(nest), m_architecture(architecture), m_tiled(tiled), m_imperfect(imperfect), m_out(out)
    {
    }

    void count()
    {
        const std::size_t levels = m_architecture.levels.size();
        m_out.levels.assign(levels, {});
        for (std::size_t i = 0; i < levels; ++i)
            m_out.levels[i].instances = m_tiled.instances[i];
        for (std::size_t op = 0; op < kOperands; ++op) {
            std::size_t outer = 0;
            for (std::size_t inner = 1; inner <= levels; ++inner) {
                if (inner < levels && !m_architecture.levels[inner].holds[op])
                    continue;
                Exchange exchange{op, outer, inner, {}, {}, 0, 0};
                if (op == kWritten)
                    countWritten(exchange);
                else
                    countRead(exchange);
                add(exchange);
                outer = inner;
            }
            for (std::size_t i = 0; i < levels; ++i)
                if (m_architecture.levels[i].holds[op])
                    m_out.levels[i].operands[op].tile =
                        m_nest.elements(static_cast<int>(op), m_tiled.extents[i]);
        }
        sumUp();
    }

private:
    [[nodiscard]] Between between(const Exchange& e) const noexcept
    {
        return factorsBetween(m_nest, m_architecture, m_tiled.spatial, e.operand, e.outer, e.inner);
    }

    /// Number of elements in the union of the tiles of all instances of C that one read of P can reach.
    [[nodiscard]] std::int64_t unionOfTiles(const Exchange& e) const
    {
        const mapping::Operand& operand = m_nest.operands[e.operand];
        std::array<Shifts, 2 * kMaxLevels> shifts;
        std::int64_t out = 1;
        for (int i = 0; i < operand.dimensionCount; ++i) {
            const mapping::Dimension& d = operand.dimensions[static_cast<std::size_t>(i)];
            std::size_t count = 0;
            const auto shift = [&](int loop, std::int64_t stride) {
                const auto l = static_cast<std::size_t>(loop);
                for (std::size_t level = e.outer; level < e.inner; ++level)
                    if (m_tiled.spatial[level][l] > 1 && m_architecture.levels[level].multicast)
                        shifts[count++] = {m_tiled.spatial[level][l], m_tiled.extents[level + 1][l] * stride};
            };
            shift(d.loop, d.filterLoop < 0 ? 1 : d.stride);
            if (d.filterLoop >= 0)
                shift(d.filterLoop, d.dilation);
            out *= unionLength(m_nest.span(d, m_tiled.extents[e.inner]), std::span(shifts).first(count));
        }
        return out;
    }

    [[nodiscard]] std::int64_t tile(const Exchange& e) const noexcept
    {
        return m_nest.elements(static_cast<int>(e.operand), m_tiled.extents[e.inner]);
    }

    /// Counts an exchange of a read operand (docs/rules/hierarchy.md 3).
    void countRead(Exchange& e) const
    {
        const double bits = static_cast<double>(m_architecture.bits[e.operand]);
        if (m_imperfect) {
            const ReadCounts counts = m_imperfect->read(e.operand, e.outer, e.inner);
            e.in.reads = counts.reads;
            e.in.writes = counts.writes;
        } else {
            const std::int64_t visits = m_tiled.visits[e.inner][e.operand].all;
            e.in.reads = visits * m_tiled.instances[e.outer] * unionOfTiles(e) * between(e).delivered;
            e.in.writes = visits * m_tiled.instances[e.inner] * tile(e);
        }
        e.in.readBits = static_cast<double>(e.in.reads) * bits;
        e.in.writeBits = static_cast<double>(e.in.writes) * bits;
    }

    /// Counts an exchange of the written operand (docs/rules/hierarchy.md 3); bits by docs/rules/hierarchy.md
    /// 4.
    void countWritten(Exchange& e) const
    {
        const Between factors = between(e);
        const double bits = static_cast<double>(m_architecture.accumulatorBits);
        WrittenCounts counts;
        if (m_imperfect) {
            counts = m_imperfect->written(e.outer, e.inner);
        } else {
            const Visits& visits = m_tiled.visits[e.inner][e.operand];
            // Number of elements of the sums that one visit exchanges, over all instances of P.
            const std::int64_t sums = m_tiled.instances[e.outer] * tile(e) * factors.indexing;
            counts.visited = visits.all * sums;
            counts.first = visits.different * sums;
            counts.sent = counts.visited * factors.others;
            counts.arriving = counts.visited * factors.arriving;
        }
        e.out.reads = counts.sent;
        e.out.writes = counts.arriving;
        e.additions = counts.arriving - counts.visited;
        e.in.reads = e.in.writes = counts.visited - counts.first;
        e.out.readBits = static_cast<double>(e.out.reads) * bits;
        e.out.writeBits = static_cast<double>(e.out.writes) * bits;
        e.additionBits = static_cast<double>(e.additions) * bits;
        e.in.readBits = e.in.writeBits = static_cast<double>(e.in.reads) * bits;
        if (completesSums(m_nest, m_tiled.spatial, e.outer)) {
            const auto complete = static_cast<double>(counts.first);
            const double narrower = static_cast<double>(m_architecture.bits[e.operand]) - bits;
            e.out.writeBits += complete * narrower;
            if (factors.others == 1)
                e.out.readBits += complete * narrower;
        }
    }

    [[nodiscard]] double readTime(std::size_t level, double bits) const noexcept
    {
        return time(level, bits, m_architecture.levels[level].readBytesPerCycle);
    }
    [[nodiscard]] double writeTime(std::size_t level, double bits) const noexcept
    {
        return time(level, bits, m_architecture.levels[level].writeBytesPerCycle);
    }
    [[nodiscard]] double time(std::size_t level, double bits,
                              const std::optional<double>& bytesPerCycle) const noexcept
    {
        if (!bytesPerCycle)
            return 0;
        return bits / (8 * static_cast<double>(m_tiled.instances[level])) / *bytesPerCycle;
    }

    /// Adds the exchange to both levels, and the cycles for which C waits for it (docs/rules/hierarchy.md 5).
    void add(const Exchange& e) const
    {
        Traffic& outer = m_out.levels[e.outer].operands[e.operand].traffic;
        outer.reads += e.in.reads + e.additions;
        outer.readBits += e.in.readBits + e.additionBits;
        outer.writes += e.out.writes;
        outer.writeBits += e.out.writeBits;
        const std::size_t levels = m_architecture.levels.size();
        if (e.inner == levels)
            return;
        OperandCost& inner = m_out.levels[e.inner].operands[e.operand];
        inner.traffic.reads += e.out.reads;
        inner.traffic.readBits += e.out.readBits;
        inner.traffic.writes += e.in.writes;
        inner.traffic.writeBits += e.in.writeBits;
        if (e.inner + 1 == levels || m_architecture.isDoubleBuffered(e.inner))
            return;
        inner.fill = std::max(writeTime(e.inner, e.in.writeBits), readTime(e.outer, e.in.readBits));
        inner.drain = std::max(readTime(e.inner, e.out.readBits), writeTime(e.outer, e.out.writeBits));
    }

    /// Computes energy and cycles of the levels and of the whole layer (docs/rules/hierarchy.md 4 and 5).
    void sumUp() const
    {
        m_out.hasNumbers = true;
        m_out.compute = m_imperfect ? m_imperfect->compute() : m_tiled.compute;
        m_out.macEnergy = static_cast<double>(m_nest.macs) * m_architecture.macPj;
        m_out.energy = m_out.macEnergy;
        m_out.busy = static_cast<double>(m_out.compute);
        m_out.limit = Limit::Compute;
        m_out.limitLevel = -1;
        m_out.waiting = 0;
        for (std::size_t i = 0; i < m_out.levels.size(); ++i) {
            LevelCost& level = m_out.levels[i];
            double readBits = 0, writeBits = 0;
            for (OperandCost& o : level.operands) {
                readBits += o.traffic.readBits;
                writeBits += o.traffic.writeBits;
                o.energy = o.traffic.readBits * m_architecture.levels[i].readPj +
                           o.traffic.writeBits * m_architecture.levels[i].writePj;
            }
            m_out.energy += level.energy();
            level.readCycles = readTime(i, readBits);
            level.writeCycles = writeTime(i, writeBits);
            limitBy(Limit::Reads, i, level.readCycles);
            limitBy(Limit::Writes, i, level.writeCycles);
            m_out.waiting += level.waiting();
        }
        m_out.cycles = m_out.busy + m_out.waiting;
        m_out.edp = m_out.energy * m_out.cycles;
    }

    void limitBy(Limit limit, std::size_t level, double cycles) const noexcept
    {
        if (cycles <= m_out.busy)
            return;
        m_out.busy = cycles;
        m_out.limit = limit;
        m_out.limitLevel = static_cast<int>(level);
    }

    const LoopNest& m_nest;
    const Architecture& m_architecture;
    const TiledNest& m_tiled;
    const ImperfectCounter* m_imperfect;
    Cost& m_out;
};

} // namespace

void countCost(const LoopNest& nest, const Architecture& architecture, const TiledNest& tiled, Cost& out)
{
    Counter(nest, architecture, tiled, nullptr, out).count();
}

void countImperfectCost(const LoopNest& nest, const Architecture& architecture, const Mapping& mapping,
                        Cost& out)
{
    const ImperfectCounter imperfect(nest, architecture, mapping);
    Counter(nest, architecture, tiledNest(nest, mapping), &imperfect, out).count();
}

Cost evaluate(const LoopNest& nest, const Architecture& architecture, const Mapping& mapping)
{
    Cost out;
    out.violation = checkMapping(nest, architecture, mapping);
    if (out.violation && out.violation->code == ViolationCode::Tiling)
        return out;
    if (architecture.imperfect)
        countImperfectCost(nest, architecture, mapping, out);
    else
        countCost(nest, architecture, tiledNest(nest, mapping), out);
    return out;
}

std::int64_t unionLength(std::int64_t length, std::span<Shifts> shifts)
{
    std::ranges::sort(shifts, {}, &Shifts::step);
    std::int64_t covered = length, extent = length;
    for (const Shifts& s : shifts) {
        if (s.step >= extent) { // the copies do not touch each other
            covered *= s.count;
        } else if (covered < extent) {
            covered = 0; // copies may fill gaps between other copies
            break;
        } else { // the copies have no gaps between them and therefore overlap
            covered += (s.count - 1) * s.step;
        }
        extent += (s.count - 1) * s.step;
    }
    if (covered > 0)
        return covered;
    std::vector<std::int64_t> starts{0};
    for (const Shifts& s : shifts) {
        const std::size_t before = starts.size();
        for (std::int64_t copy = 1; copy < s.count; ++copy)
            for (std::size_t i = 0; i < before; ++i)
                starts.push_back(starts[i] + copy * s.step);
        std::ranges::sort(starts); // equal starts count once
        starts.erase(std::unique(starts.begin(), starts.end()), starts.end());
    }
    covered = length;
    for (std::size_t i = 1; i < starts.size(); ++i)
        covered += std::min(length, starts[i] - starts[i - 1]);
    return covered;
}

} // namespace tilewright::hierarchy
