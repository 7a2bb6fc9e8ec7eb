// SPDX-License-Identifier: GPL-3.0-or-later
#include "mapping/imperfect.h"

#include "base/integer.h"

#include <algorithm>
#include <cmath>

namespace tilewright::mapping {

namespace {

/// A class of equal tiles of one loop: `times` tiles of `size` elements.
struct Part
{
    std::int64_t size = 1;
    std::int64_t times = 1;
};

/// The one or two classes of tiles of a loop: full tiles, then the smaller last tile.
struct Parts
{
    int count = 1;
    std::array<Part, 2> items;
};

Parts cut(std::int64_t whole, std::int64_t size) noexcept
{
    const std::int64_t tiles = ceilDiv(whole, size);
    const std::int64_t last = whole - (tiles - 1) * size;
    Parts out;
    if (last == size || tiles == 1) {
        out.items[0] = {last, tiles};
        return out;
    }
    out.count = 2;
    out.items = {Part{size, tiles - 1}, Part{last, 1}};
    return out;
}

double real(std::int64_t v)
{
    return static_cast<double>(v);
}

/// Calls visit(class index per loop) for every combination of classes.
template <typename Visit>
void forEachClass(const std::array<Parts, kMaxLoops>& parts, int loops, Visit&& visit)
{
    std::array<int, kMaxLoops> digit{};
    for (;;) {
        visit(digit);
        std::size_t l = 0;
        const auto n = static_cast<std::size_t>(loops);
        for (; l < n && ++digit[l] == parts[l].count; ++l)
            digit[l] = 0;
        if (l == n)
            return;
    }
}

} // namespace

ImperfectCost::ImperfectCost(const LoopNest& nest, const Architecture& architecture)
    : m_nest(nest), m_architecture(architecture), m_clock(architecture),
      m_fixedPj(real(nest.macs) * (architecture.energyPj.mac + architecture.energyPj.rfOfMac()))
{
    const double clocks = architecture.arrayMhz / architecture.dmaMhz;
    m_burstCycles = architecture.dmaInitCycles * clocks;
    m_elementCycles = architecture.dmaCyclesPerByte * real(architecture.elementBytes) * clocks;
}

// Functions for closed-form sums (a sum over tiles is a product over loops):

double summedSpan(const Dimension& d, const NestTiles& tiles, std::int64_t outputs,
                  std::int64_t filters) noexcept
{
    const std::int64_t trip = tiles[static_cast<std::size_t>(d.loop)].trip;
    if (d.filterLoop < 0)
        return real(trip);
    // Sum of (E_o - 1) stride + (E_f - 1) dilation + 1 over all pairs.
    const std::int64_t taps = tiles[static_cast<std::size_t>(d.filterLoop)].trip;
    return real(d.stride) * real(trip - outputs) * real(filters) +
           real(d.dilation) * real(taps - filters) * real(outputs) + real(outputs) * real(filters);
}

namespace {

/// Number of tiles of the filter loop of a dimension; 1 if it has none.
std::int64_t filterTiles(const Dimension& d, const NestTiles& tiles, std::size_t level)
{
    return d.filterLoop < 0 ? 1 : tiles[static_cast<std::size_t>(d.filterLoop)].count[level];
}

} // namespace

double ImperfectCost::summed(int op, const NestTiles& tiles, std::size_t level) const
{
    const Operand& operand = m_nest.operands[static_cast<std::size_t>(op)];
    double out = 1;
    for (int i = 0; i < operand.dimensionCount; ++i) {
        const Dimension& d = operand.dimensions[static_cast<std::size_t>(i)];
        out *= summedSpan(d, tiles, tiles[static_cast<std::size_t>(d.loop)].count[level],
                          filterTiles(d, tiles, level));
    }
    return out;
}

double ImperfectCost::bursts(int op, const NestTiles& tiles, std::size_t level) const
{
    const Operand& operand = m_nest.operands[static_cast<std::size_t>(op)];
    double out = 1;
    bool full = true;
    for (int i = operand.dimensionCount - 1; i >= 0; --i) {
        const Dimension& d = operand.dimensions[static_cast<std::size_t>(i)];
        const std::int64_t outputs = tiles[static_cast<std::size_t>(d.loop)].count[level];
        const std::int64_t filters = filterTiles(d, tiles, level);
        const double spans = summedSpan(d, tiles, outputs, filters);
        // Within the contiguous dimensions, a tile is one burst. In the other dimensions, each of its rows is
        // a burst.
        out *= full ? real(outputs) * real(filters) : spans;
        full = full && outputs == 1 && filters == 1 && spans == real(d.stored);
    }
    return out;
}

double ImperfectCost::movesAcross(int op, const NestTiles& tiles, const Reuse& dram) const
{
    double out = 1;
    for (std::size_t l = 0; l < static_cast<std::size_t>(m_nest.loopCount); ++l)
        if ((m_nest.operands[static_cast<std::size_t>(op)].freeMask >> l & 1u) != 0 &&
            !(op == dram.operand && (dram.loops >> l & 1u) != 0))
            out *= real(tiles[l].count[kSpmTiles]);
    return out;
}

/// Number of times that the data of an operand is sent to the array because of loops that do not index it.
/// `pes`: the number of receiving PEs instead.
double ImperfectCost::freeProduct(int op, const NestTiles& tiles, const Reuse& spm, const Reuse& dram,
                                  bool kept, bool pes) const
{
    const bool stays = kept && op == dram.operand;
    double out = 1;
    for (std::size_t l = 0; l < static_cast<std::size_t>(m_nest.loopCount); ++l) {
        if ((m_nest.operands[static_cast<std::size_t>(op)].freeMask >> l & 1u) == 0)
            continue;
        const LoopTiles& t = tiles[l];
        if (stays && (dram.loops >> l & 1u) != 0)
            out *= pes ? real(t.firstPes) : 1;
        else if (stays || (op == spm.operand && (spm.loops >> l & 1u) != 0))
            out *= pes ? real(t.firstPesOfTiles) : real(t.count[kSpmTiles]);
        else
            out *= pes ? real(t.count[kPeTiles]) : real(t.count[kArrayPasses]);
    }
    return out;
}

void ImperfectCost::energy(const NestTiles& tiles, const Reuse& spm, const Reuse& dram, bool kept,
                           MappingCost& out) const
{
    const EnergyTable& pj = m_architecture.energyPj;
    const double macs = real(m_nest.macs);
    out.energyParts = {};
    for (int op = 0; op < kOperands; ++op) {
        OperandReport& o = out.operands[static_cast<std::size_t>(op)];
        const bool written = op == kWritten;
        const bool comesIn = !written || !(kept && op == dram.operand);
        const double transfers = freeProduct(op, tiles, spm, dram, kept, false);
        const double toPes = freeProduct(op, tiles, spm, dram, kept, true);
        const double atArray = summed(op, tiles, kArrayPasses) * transfers;
        const double atPes = summed(op, tiles, kPeTiles) * (written ? transfers : toPes);
        o.energy = {};
        o.energy.rf = macs * (written ? pj.rf + pj.writeRf() : pj.rf) + (comesIn ? atPes * pj.rfFill : 0);
        o.energy.noc = atPes * (written && comesIn ? 2 : 1) * pj.noc;
        const bool direct = skips(op);
        o.energy.spm = direct ? 0 : atArray * ((comesIn ? pj.spm : 0) + (written ? pj.writeSpm() : 0));
        if (written) {
            const double reductions = summed(op, tiles, kPeTiles) * (toPes - transfers);
            o.energy.rf += reductions * (2 * pj.rf + pj.writeRf());
            o.energy.noc += reductions * pj.noc;
            o.energy.mac = reductions * pj.mac;
        }
        const double moves = direct ? transfers : movesAcross(op, tiles, dram);
        const double elements = summed(op, tiles, direct ? kArrayPasses : kSpmTiles);
        // Reads of partial results, in all moves but the first.
        const double back = written ? moves - 1 : moves;
        o.dramElements = elements * (written ? back + moves : back);
        o.energy.dram = elements * (back * pj.dram + (written ? moves * pj.writeDram() : 0));
        if (!direct)
            o.energy.spm += elements * back * pj.spmFill;
        o.networkCycles = static_cast<std::int64_t>(atArray);
        out.energyParts.mac += o.energy.mac;
        out.energyParts.rf += o.energy.rf;
        out.energyParts.noc += o.energy.noc;
        out.energyParts.spm += o.energy.spm;
        out.energyParts.dram += o.energy.dram;
    }
    out.energyParts.mac += macs * pj.mac;
}

double ImperfectCost::energy(const NestTiles& tiles, const Reuse& spm, const Reuse& dram, bool kept) const
{
    MappingCost out;
    energy(tiles, spm, dram, kept, out);
    return out.energyParts.total();
}

std::int64_t ImperfectCost::cyclesBound(const NestTiles& tiles, const Reuse& spm, const Reuse& dram,
                                        bool kept) const
{
    double computing = 1;
    for (std::size_t l = 0; l < static_cast<std::size_t>(m_nest.loopCount); ++l)
        computing *= real(tiles[l].computing);
    double others = 0; // cycles of the longest network transfers that take place in every pass
    double dma = 0;
    for (int op = 0; op < kOperands; ++op) {
        if (!(op == spm.operand || (kept && op == dram.operand)))
            others = std::max(others,
                              summed(op, tiles, kArrayPasses) * freeProduct(op, tiles, {}, {}, false, false));
        const bool stays = kept && op == dram.operand;
        const bool once = skips(op) ? stays : op == dram.operand;
        const std::size_t level = skips(op) ? kArrayPasses : kSpmTiles;
        const double moves =
            skips(op) ? freeProduct(op, tiles, spm, dram, kept, false) : movesAcross(op, tiles, dram);
        dma += (bursts(op, tiles, level) * m_burstCycles + summed(op, tiles, level) * m_elementCycles) *
               moves * (op == kWritten && !once ? 2 : 1);
    }
    const bool writtenStays = spm.operand == kWritten || (kept && dram.operand == kWritten);
    const double pass =
        m_architecture.options.overlapped || writtenStays ? std::max(computing, others) : computing + others;
    return static_cast<std::int64_t>(std::ceil(std::max(pass, dma) * (1 - 1e-9)));
}

// Functions for cycles, which are sums over classes of equal tiles:

/// One class of equal SPM tiles: the tile size of each loop.
struct ImperfectCost::Shape
{
    Factors sizes{1, 1, 1, 1, 1, 1, 1};
};

/// Cycles of an SPM tile: of all its array passes, and of its first one.
struct ImperfectCost::Pass
{
    CycleParts parts;
    std::int64_t comp = 0; ///< compute cycles of the first array pass
    std::int64_t red = 0;
    std::int64_t excess = 0; ///< network cycles of the reused operand beyond those of the other operands
    std::array<std::int64_t, kOperands> network{};
    std::int64_t reducing = 0;
    // DMA cycles of operands that bypass the scratchpad, in all passes and in the first pass.
    std::array<std::int64_t, kOperands> dma{};
    std::array<std::int64_t, kOperands> firstDma{};
};

ImperfectCost::Pass ImperfectCost::passOf(const Shape& shape, const NestTiles& tiles, const Reuse& spm,
                                          bool kept) const
{
    Pass out;
    std::array<Parts, kMaxLoops> parts;
    for (std::size_t l = 0; l < kMaxLoops; ++l)
        parts[l] = cut(shape.sizes[l], tiles[l].size[kArrayPasses]);
    const unsigned outFree = m_nest.operands[kWritten].freeMask;
    bool first = true;
    forEachClass(parts, m_nest.loopCount, [&](const std::array<int, kMaxLoops>& choice) {
        Factors sizes{1, 1, 1, 1, 1, 1, 1};
        std::int64_t comp = 1;
        std::int64_t reduced = 1;
        std::int64_t times = 1;
        std::int64_t changes = 1; // number of SPM tiles in which the data of the reused operand changes
        for (std::size_t l = 0; l < static_cast<std::size_t>(m_nest.loopCount); ++l) {
            const Part& part = parts[l].items[static_cast<std::size_t>(choice[l])];
            sizes[l] = part.size;
            comp *= std::min(part.size, tiles[l].size[kPeTiles]);
            times *= part.times;
            if ((spm.loops >> l & 1u) != 0)
                changes *= choice[l] == 0 ? 1 : 0;
            else
                changes *= part.times;
            if ((outFree >> l & 1u) != 0)
                reduced *= ceilDiv(part.size, tiles[l].size[kPeTiles]);
        }
        std::array<std::int64_t, kOperands> noc{};
        std::int64_t others = 0;
        for (int op = 0; op < kOperands; ++op) {
            const auto i = static_cast<std::size_t>(op);
            noc[i] = m_nest.elements(op, sizes);
            if (op != spm.operand)
                others = std::max(others, noc[i]);
            const std::int64_t moves = op == spm.operand ? changes : times;
            out.network[i] += noc[i] * moves;
            if (skips(op)) {
                const std::int64_t cycles = burstsOf(m_nest, op, sizes).cycles(m_clock);
                out.dma[i] += cycles * moves;
                if (first)
                    out.firstDma[i] = cycles;
            }
        }
        const std::int64_t red = noc[kWritten] * reductionSteps(reduced, m_architecture.options);
        out.reducing += red * (spm.operand == kWritten ? changes : times);
        const std::int64_t own = spm.operand < 0 ? 0 : noc[static_cast<std::size_t>(spm.operand)];
        out.parts.compute += comp * times;
        if (first) {
            out.comp = comp;
            out.red = red;
            out.excess = std::max<std::int64_t>(0, own - others);
            first = false;
        }
        if (spm.operand == kWritten) {
            const std::int64_t run = std::max(comp, others);
            out.parts.distribution += (run - comp) * times;
            if (!kept) {
                out.parts.distribution += std::max<std::int64_t>(0, own - run) * changes;
                out.parts.reduction += red * changes;
                out.parts.drain += comp * changes;
            }
        } else {
            out.parts.distribution += others * times;
            out.parts.reduction += red * times;
            if (!kept)
                out.parts.distribution += std::max<std::int64_t>(0, own - others) * changes;
        }
    });
    return out;
}

CycleParts ImperfectCost::cycles(const NestTiles& tiles, const Reuse& spm, const Reuse& dram, bool kept,
                                 Details* details) const
{
    CycleParts out;
    std::array<Parts, kMaxLoops> parts;
    for (std::size_t l = 0; l < kMaxLoops; ++l)
        parts[l] = cut(tiles[l].trip, tiles[l].size[kSpmTiles]);
    const Reuse atSpm = kept ? Reuse{dram.operand, spm.loops} : spm;
    bool first = true;
    std::array<std::int64_t, kOperands> network{};
    std::int64_t reducing = 0;
    Details known;
    // The data of an operand that bypasses the scratchpad does not stay between SPM tiles, unless the PEs
    // keep it.
    const bool reused = dram.operand >= 0 && (kept || !skips(dram.operand));
    forEachClass(parts, m_nest.loopCount, [&](const std::array<int, kMaxLoops>& choice) {
        Shape shape;
        std::int64_t times = 1;
        std::int64_t changes = 1;
        for (std::size_t l = 0; l < static_cast<std::size_t>(m_nest.loopCount); ++l) {
            const Part& part = parts[l].items[static_cast<std::size_t>(choice[l])];
            shape.sizes[l] = part.size;
            times *= part.times;
            if ((dram.loops >> l & 1u) != 0)
                changes *= choice[l] == 0 ? 1 : 0;
            else
                changes *= part.times;
        }
        const Pass pass = passOf(shape, tiles, atSpm, kept);
        const std::int64_t passCycles = pass.parts.total();
        DramChange change;
        change.pass = passCycles;
        change.written = dram.operand == kWritten;
        change.kept = kept;
        change.computing = pass.comp;
        change.reducing = pass.red;
        change.excess = pass.excess;
        for (int op = 0; op < kOperands; ++op) {
            const auto i = static_cast<std::size_t>(op);
            const bool once = reused && op == dram.operand;
            const std::int64_t dma = !skips(op) ? burstsOf(m_nest, op, shape.sizes).cycles(m_clock)
                                     : once     ? pass.firstDma[i]
                                                : pass.dma[i];
            const std::int64_t ways = op == kWritten ? 2 : 1;
            (once ? change.own : change.every) += once ? dma : ways * dma;
            known.dmaBusy[i] += dma * ways * (once ? changes : times);
            if (first)
                known.firstDma[i] = dma;
            network[i] += pass.network[i] * (kept && once ? changes : times);
        }
        if (first)
            known.firstPass = passCycles;
        first = false;
        reducing += pass.reducing * (kept && change.written ? changes : times);
        out.add(pass.parts, times);
        out.dma += (change.base() - passCycles) * times;
        if (reused)
            out.add(exposed(change), changes);
    });
    if (details)
        *details = known;
    if (!m_architecture.options.overlapped)
        return out;
    CycleParts busiest;
    busiest.compute = out.compute;
    const std::int64_t array = out.compute + reducing;
    const std::int64_t longest = std::max({network[0], network[1], network[2]});
    const std::int64_t dmaBusy = known.dmaBusy[0] + known.dmaBusy[1] + known.dmaBusy[2];
    const std::int64_t most = std::max({array, longest, dmaBusy});
    (most == array     ? busiest.reduction
     : most == longest ? busiest.distribution
                       : busiest.dma) = most - out.compute;
    return busiest;
}

} // namespace tilewright::mapping
