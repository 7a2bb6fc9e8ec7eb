// SPDX-License-Identifier: GPL-3.0-or-later
#include "mapping/imperfect.h"

#include "base/integer.h"

#include <algorithm>
#include <cmath>

namespace tilewright::mapping {

namespace {

constexpr std::size_t kPe = 0;    ///< tiles of one PE
constexpr std::size_t kArray = 1; ///< array passes
constexpr std::size_t kTile = 2;  ///< SPM tiles

/// One loop inside one class of tiles: `size`, found `times` times.
struct Part
{
    std::int64_t size = 1;
    std::int64_t times = 1;
};

/// The at most two classes of tiles that a loop of `whole` is cut into: full ones first, then the last one.
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

/// Calls visit(choice of part per loop) for every combination.
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

LoopTiles LoopTiles::make(std::int64_t trip, std::int64_t rf, std::int64_t spatial, std::int64_t spm) noexcept
{
    LoopTiles t;
    t.trip = trip;
    t.size[kPe] = std::min(rf, trip);
    t.size[kArray] = std::min(rf * spatial, trip);
    t.size[kTile] = std::min(rf * spatial * spm, trip);
    for (std::size_t level = 0; level < t.count.size(); ++level)
        t.count[level] = ceilDiv(trip, t.size[level]);
    t.firstPes = ceilDiv(t.size[kArray], t.size[kPe]);
    const std::int64_t lastTile = trip - (t.count[kTile] - 1) * t.size[kTile];
    t.firstPesOfTiles =
        (t.count[kTile] - 1) * t.firstPes + ceilDiv(std::min(lastTile, t.size[kArray]), t.size[kPe]);
    const std::int64_t lastPass = trip - (t.count[kArray] - 1) * t.size[kArray];
    t.computing = (t.count[kArray] - 1) * t.size[kPe] + std::min(t.size[kPe], lastPass);
    return t;
}

NestTiles nestTiles(const LoopNest& nest, const Method& method) noexcept
{
    NestTiles out;
    for (std::size_t l = 0; l < out.size(); ++l)
        out[l] = LoopTiles::make(nest.trips[l], method.at(Level::Rf)[l], method.at(Level::Spatial)[l],
                                 method.at(Level::Spm)[l]);
    return out;
}

namespace {
constexpr std::array kInsideOut{Level::Rf, Level::Spatial, Level::Spm, Level::Dram};
} // namespace

std::optional<Violation> checkTight(const LoopNest& nest, const Method& method, int loop)
{
    const auto l = static_cast<std::size_t>(loop);
    std::int64_t inside = 1;
    for (const Level level : kInsideOut) {
        const std::int64_t factor = method.at(level)[l];
        const std::int64_t enough = ceilDiv(nest.trips[l], inside);
        if (factor > enough)
            return Violation{
                ViolationCode::Tiling, loop,
                "loop " + std::string(nest.loopNames[l]) + ": the factor " + std::to_string(factor) + " at " +
                    std::string(levelName(level)) + " is larger than needed, " + std::to_string(enough) +
                    " cover" + (enough == 1 ? "s" : "") + " the trip count " + std::to_string(nest.trips[l])};
        inside *= factor;
    }
    return std::nullopt;
}

Method tightened(const LoopNest& nest, const Method& method) noexcept
{
    Method out = method;
    for (std::size_t l = 0; l < kMaxLoops; ++l) {
        std::int64_t inside = 1;
        for (const Level level : kInsideOut) {
            std::int64_t& factor = out.at(level)[l];
            const std::int64_t enough = ceilDiv(nest.trips[l], inside);
            factor = level == Level::Dram ? enough : std::min(factor, enough);
            inside *= factor;
        }
    }
    return out;
}

ImperfectCost::ImperfectCost(const LoopNest& nest, const Architecture& architecture)
    : m_nest(nest), m_architecture(architecture), m_clock(architecture),
      m_fixedPj(real(nest.macs) * (architecture.energyPj.mac + architecture.energyPj.rfOfMac()))
{
    const double clocks = architecture.arrayMhz / architecture.dmaMhz;
    m_burstCycles = architecture.dmaInitCycles * clocks;
    m_elementCycles = architecture.dmaCyclesPerByte * real(architecture.elementBytes) * clocks;
}

// -- sums in closed form: tiles of a product of loops factorise
// ----------------------------------------------

double ImperfectCost::summed(int op, const NestTiles& tiles, std::size_t level) const
{
    const Operand& operand = m_nest.operands[static_cast<std::size_t>(op)];
    double out = 1;
    for (int i = 0; i < operand.dimensionCount; ++i) {
        const Dimension& d = operand.dimensions[static_cast<std::size_t>(i)];
        const LoopTiles& o = tiles[static_cast<std::size_t>(d.loop)];
        if (d.filterLoop < 0) {
            out *= real(o.trip);
            continue;
        }
        // The spans of all pairs of an output and a filter tile: (E_o - 1) stride + (E_f - 1) dilation + 1.
        const LoopTiles& f = tiles[static_cast<std::size_t>(d.filterLoop)];
        const std::int64_t no = o.count[level];
        const std::int64_t nf = f.count[level];
        out *= real(d.stride) * real(o.trip - no) * real(nf) +
               real(d.dilation) * real(f.trip - nf) * real(no) + real(no) * real(nf);
    }
    return out;
}

double ImperfectCost::bursts(int op, const NestTiles& tiles) const
{
    const Operand& operand = m_nest.operands[static_cast<std::size_t>(op)];
    double out = 1;
    bool full = true;
    for (int i = operand.dimensionCount - 1; i >= 0; --i) {
        const Dimension& d = operand.dimensions[static_cast<std::size_t>(i)];
        const LoopTiles& o = tiles[static_cast<std::size_t>(d.loop)];
        const std::int64_t no = o.count[kTile];
        double spans = real(o.trip);
        bool whole = no == 1;
        double pairs = real(no);
        if (d.filterLoop >= 0) {
            const LoopTiles& f = tiles[static_cast<std::size_t>(d.filterLoop)];
            const std::int64_t nf = f.count[kTile];
            spans = real(d.stride) * real(o.trip - no) * real(nf) +
                    real(d.dilation) * real(f.trip - nf) * real(no) + real(no) * real(nf);
            pairs *= real(nf);
            whole = whole && nf == 1;
        }
        // Inside the burst a tile counts once, outside it each of its rows does.
        out *= full ? pairs : spans;
        full = full && whole && spans == real(d.stored);
    }
    return out;
}

/// How often an operand's data moves to the array because of the loops that do not index it; with `pes`, how
/// many PEs that reaches in all.
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
            out *= pes ? real(t.firstPesOfTiles) : real(t.count[kTile]);
        else
            out *= pes ? real(t.count[kPe]) : real(t.count[kArray]);
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
        const double atArray = summed(op, tiles, kArray) * transfers;
        const double atPes = summed(op, tiles, kPe) * (written ? transfers : toPes);
        o.energy = {};
        o.energy.rf = macs * (written ? pj.rf + pj.writeRf() : pj.rf) + (comesIn ? atPes * pj.rfFill : 0);
        o.energy.noc = atPes * (written && comesIn ? 2 : 1) * pj.noc;
        o.energy.spm = atArray * ((comesIn ? pj.spm : 0) + (written ? pj.writeSpm() : 0));
        if (written) {
            const double reductions = summed(op, tiles, kPe) * (toPes - transfers);
            o.energy.rf += reductions * (2 * pj.rf + pj.writeRf());
            o.energy.noc += reductions * pj.noc;
            o.energy.mac = reductions * pj.mac;
        }
        double moves = 1;
        for (std::size_t l = 0; l < static_cast<std::size_t>(m_nest.loopCount); ++l)
            if ((m_nest.operands[static_cast<std::size_t>(op)].freeMask >> l & 1u) != 0 &&
                !(op == dram.operand && (dram.loops >> l & 1u) != 0))
                moves *= real(tiles[l].count[kTile]);
        const double elements = summed(op, tiles, kTile);
        const double back = written ? moves - 1 : moves;
        o.energy.dram = elements * (back * pj.dram + (written ? moves * pj.writeDram() : 0));
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
    double others = 0; // the longest network that is busy in every pass
    double dma = 0;
    for (int op = 0; op < kOperands; ++op) {
        if (!(op == spm.operand || (kept && op == dram.operand)))
            others =
                std::max(others, summed(op, tiles, kArray) * freeProduct(op, tiles, {}, {}, false, false));
        double moves = 1;
        for (std::size_t l = 0; l < static_cast<std::size_t>(m_nest.loopCount); ++l)
            if ((m_nest.operands[static_cast<std::size_t>(op)].freeMask >> l & 1u) != 0 &&
                !(op == dram.operand && (dram.loops >> l & 1u) != 0))
                moves *= real(tiles[l].count[kTile]);
        const bool twice = op == kWritten && op != dram.operand;
        dma += (bursts(op, tiles) * m_burstCycles + summed(op, tiles, kTile) * m_elementCycles) * moves *
               (twice ? 2 : 1);
    }
    const bool writtenStays = spm.operand == kWritten || (kept && dram.operand == kWritten);
    const double pass =
        m_architecture.options.overlapped || writtenStays ? std::max(computing, others) : computing + others;
    return static_cast<std::int64_t>(std::ceil(std::max(pass, dma) * (1 - 1e-9)));
}

// -- cycles: tiles of the same sizes together
// ----------------------------------------------------------------

/// One class of SPM tiles: the sizes of its loops.
struct ImperfectCost::Shape
{
    Factors sizes{1, 1, 1, 1, 1, 1, 1};
};

/// What all array passes of an SPM tile take, and its first one.
struct ImperfectCost::Pass
{
    CycleParts parts;
    std::int64_t comp = 0; ///< of the first array pass
    std::int64_t red = 0;
    std::int64_t excess = 0; ///< of the reused operand's network over the others'
    std::array<std::int64_t, kOperands> network{};
    std::int64_t reducing = 0;
};

ImperfectCost::Pass ImperfectCost::passOf(const Shape& shape, const NestTiles& tiles, const Reuse& spm,
                                          bool kept) const
{
    Pass out;
    std::array<Parts, kMaxLoops> parts;
    for (std::size_t l = 0; l < kMaxLoops; ++l)
        parts[l] = cut(shape.sizes[l], tiles[l].size[kArray]);
    const unsigned outFree = m_nest.operands[kWritten].freeMask;
    bool first = true;
    forEachClass(parts, m_nest.loopCount, [&](const std::array<int, kMaxLoops>& choice) {
        Factors sizes{1, 1, 1, 1, 1, 1, 1};
        std::int64_t comp = 1;
        std::int64_t reduced = 1;
        std::int64_t times = 1;
        std::int64_t changes = 1; // the first passes of their groups: the reused operand's data changes
        for (std::size_t l = 0; l < static_cast<std::size_t>(m_nest.loopCount); ++l) {
            const Part& part = parts[l].items[static_cast<std::size_t>(choice[l])];
            sizes[l] = part.size;
            comp *= std::min(part.size, tiles[l].size[kPe]);
            times *= part.times;
            if ((spm.loops >> l & 1u) != 0)
                changes *= choice[l] == 0 ? 1 : 0;
            else
                changes *= part.times;
            if ((outFree >> l & 1u) != 0)
                reduced *= ceilDiv(part.size, tiles[l].size[kPe]);
        }
        std::array<std::int64_t, kOperands> noc{};
        std::int64_t others = 0;
        for (int op = 0; op < kOperands; ++op) {
            const auto i = static_cast<std::size_t>(op);
            noc[i] = m_nest.elements(op, sizes);
            if (op != spm.operand)
                others = std::max(others, noc[i]);
            out.network[i] += noc[i] * (op == spm.operand ? changes : times);
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

std::array<std::int64_t, kOperands> ImperfectCost::dmaOf(const Factors& sizes) const
{
    std::array<std::int64_t, kOperands> out{};
    for (int op = 0; op < kOperands; ++op) {
        const Operand& operand = m_nest.operands[static_cast<std::size_t>(op)];
        std::int64_t bursts = 1;
        std::int64_t burst = 1;
        bool full = true;
        for (int i = operand.dimensionCount - 1; i >= 0; --i) {
            const Dimension& d = operand.dimensions[static_cast<std::size_t>(i)];
            const std::int64_t span = m_nest.span(d, sizes);
            (full ? burst : bursts) *= span;
            full = full && span == d.stored;
        }
        out[static_cast<std::size_t>(op)] = bursts * m_clock.cycles(burst);
    }
    return out;
}

CycleParts ImperfectCost::cycles(const NestTiles& tiles, const Reuse& spm, const Reuse& dram, bool kept,
                                 std::int64_t* firstPass) const
{
    CycleParts out;
    std::array<Parts, kMaxLoops> parts;
    for (std::size_t l = 0; l < kMaxLoops; ++l)
        parts[l] = cut(tiles[l].trip, tiles[l].size[kTile]);
    const Reuse atSpm = kept ? Reuse{dram.operand, spm.loops} : spm;
    bool first = true;
    std::array<std::int64_t, kOperands> network{};
    std::int64_t reducing = 0;
    std::int64_t dmaBusy = 0;
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
        if (first && firstPass)
            *firstPass = passCycles;
        first = false;
        const auto dma = dmaOf(shape.sizes);
        std::int64_t every = 0;
        std::int64_t own = 0;
        for (int op = 0; op < kOperands; ++op) {
            const auto i = static_cast<std::size_t>(op);
            if (op == dram.operand)
                own = dma[i];
            else
                every += dma[i] * (op == kWritten ? 2 : 1);
            network[i] += pass.network[i] * (kept && op == dram.operand ? changes : times);
        }
        reducing += pass.reducing * (kept && dram.operand == kWritten ? changes : times);
        dmaBusy += every * times + own * changes * (dram.operand == kWritten ? 2 : 1);
        const std::int64_t base = std::max(every, passCycles);
        out.compute += pass.parts.compute * times;
        out.distribution += pass.parts.distribution * times;
        out.reduction += pass.parts.reduction * times;
        out.drain += pass.parts.drain * times;
        out.dma += (base - passCycles) * times;
        if (dram.operand < 0)
            return;
        const std::int64_t d1 = every + own;
        const std::int64_t d2 = dram.operand == kWritten ? d1 : every;
        const std::int64_t a1 = passCycles + (kept && dram.operand == kWritten ? pass.comp + pass.red : 0);
        const std::int64_t a2 = passCycles + (kept ? pass.excess : 0);
        const std::int64_t array1 = std::max<std::int64_t>(0, a1 - base);
        const std::int64_t array2 = std::max<std::int64_t>(0, a2 - base);
        const std::int64_t reducing = std::min(array1, pass.red);
        out.reduction += reducing * changes;
        out.drain += (array1 - reducing) * changes;
        out.distribution += array2 * changes;
        out.dma +=
            (std::max<std::int64_t>(0, d1 - base - array1) + std::max<std::int64_t>(0, d2 - base - array2)) *
            changes;
    });
    if (!m_architecture.options.overlapped)
        return out;
    CycleParts busiest;
    busiest.compute = out.compute;
    const std::int64_t array = out.compute + reducing;
    const std::int64_t longest = std::max({network[0], network[1], network[2]});
    const std::int64_t most = std::max({array, longest, dmaBusy});
    (most == array     ? busiest.reduction
     : most == longest ? busiest.distribution
                       : busiest.dma) = most - out.compute;
    return busiest;
}

void evaluateImperfect(const LoopNest& nest, const Architecture& architecture, const Method& method,
                       MappingCost& out)
{
    const ImperfectCost cost(nest, architecture);
    const NestTiles tiles = nestTiles(nest, method);
    std::array<Factors, 3> full;
    for (std::size_t level = 0; level < full.size(); ++level)
        for (std::size_t l = 0; l < kMaxLoops; ++l)
            full[level][l] = tiles[l].size[level];
    const auto product = [](const Factors& f) {
        std::int64_t p = 1;
        for (const std::int64_t v : f)
            p *= v;
        return p;
    };
    out.pesUsed = product(method.at(Level::Spatial));
    out.spmPasses = product(method.at(Level::Dram));
    out.rfPasses = product(method.at(Level::Spm));
    out.rfPassCycles = product(full[kPe]);
    out.spmTiles = out.arrayPasses = out.peTiles = 1;
    std::int64_t reduced = 1;
    for (std::size_t l = 0; l < kMaxLoops; ++l) {
        out.spmTiles *= real(tiles[l].count[kTile]);
        out.arrayPasses *= real(tiles[l].count[kArray]);
        out.peTiles *= real(tiles[l].count[kPe]);
        if ((nest.operands[kWritten].freeMask >> l & 1u) != 0)
            reduced *= tiles[l].firstPes;
    }
    const DmaClock clock(architecture);
    ImperfectCost::Reuse spm;
    ImperfectCost::Reuse dram;
    const auto loops = [&](int op, Level level, const LoopOrder& order) {
        unsigned mask = 0;
        for (int i = nest.loopCount - 1; i >= 0; --i) {
            const int loop = order[static_cast<std::size_t>(i)];
            if (method.at(level)[static_cast<std::size_t>(loop)] == 1)
                continue;
            if ((nest.operands[static_cast<std::size_t>(op)].indexMask >> loop & 1u) != 0)
                break;
            mask |= 1u << loop;
        }
        return mask;
    };
    bool kept = false;
    for (int op = 0; op < kOperands; ++op) {
        OperandReport& o = out.operands[static_cast<std::size_t>(op)];
        o.dataRf = nest.elements(op, full[kPe]);
        o.dataArray = nest.elements(op, full[kArray]);
        o.dataSpm = nest.elements(op, full[kTile]);
        o.spmBanks = ceilDiv(o.dataSpm * architecture.elementBytes, architecture.spmBankBytes);
        out.rfElementsUsed += o.dataRf;
        out.spmBanksUsed += o.spmBanks;
        o.reuseSpm = reuseOf(nest, op, method.at(Level::Spm), method.spmOrder);
        o.reuseDram = reuseOf(nest, op, method.at(Level::Dram), method.dramOrder);
        o.kept = o.reuseSpm == out.rfPasses && o.reuseDram > 1;
        kept = kept || o.kept;
        if (o.reuseSpm > 1)
            spm = {op, loops(op, Level::Spm, method.spmOrder)};
        if (o.reuseDram > 1)
            dram = {op, loops(op, Level::Dram, method.dramOrder)};
        o.bursts = o.burstElements = 1;
        const Operand& operand = nest.operands[static_cast<std::size_t>(op)];
        bool whole = true;
        for (int i = operand.dimensionCount - 1; i >= 0; --i) {
            const Dimension& d = operand.dimensions[static_cast<std::size_t>(i)];
            const std::int64_t span = nest.span(d, full[kTile]);
            (whole ? o.burstElements : o.bursts) *= span;
            whole = whole && span == d.stored;
        }
        o.dmaCycles = o.bursts * clock.cycles(o.burstElements);
    }
    out.reductionCycles = out.operands[kWritten].dataArray * reductionSteps(reduced, architecture.options);
    cost.energy(tiles, spm, dram, kept, out);
    out.cycleParts = cost.cycles(tiles, spm, dram, kept, &out.spmPassCycles);
    out.cycles = out.cycleParts.total();
    out.energyParts.leakage = architecture.energyPj.leakage * real(out.cycles);
    out.energy = out.energyParts.total();
    out.edp = out.energy * real(out.cycles);
}

} // namespace tilewright::mapping
