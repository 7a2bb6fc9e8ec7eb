// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/integer.h"
#include "mapping/architecture.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

// Fast form of the cost model of docs/rules/mapping.md 4 and 5 for one pair of order classes, in which each
// level reuses at most one operand. The fast evaluator and the search use it. Costs increase with every field
// of ArrayTerms, so that lower bounds of the fields give lower bounds of the cost.
namespace tilewright::mapping {

/// DRAM bursts of a tile of an operand (docs/rules/mapping.md 4). The tile's elements along a dimension are
/// contiguous if the tile contains all inner dimensions whole.
struct Bursts
{
    std::int64_t count = 1;
    std::int64_t elements = 1; ///< number of elements per burst

    [[nodiscard]] std::int64_t cycles(const DmaClock& clock) const noexcept
    {
        return count * clock.cycles(elements);
    }
};

[[nodiscard]] inline Bursts burstsOf(const LoopNest& nest, int op, const Factors& extents) noexcept
{
    const Operand& operand = nest.operands[static_cast<std::size_t>(op)];
    std::int64_t count = 1;
    std::int64_t elements = 1;
    bool full = true;
    for (int i = operand.dimensionCount - 1; i >= 0; --i) {
        const Dimension& d = operand.dimensions[static_cast<std::size_t>(i)];
        const std::int64_t span = nest.span(d, extents);
        (full ? elements : count) *= span;
        full = full && span == d.stored;
    }
    return {count, elements};
}

/// Cost terms of the array for one choice of RF and SPATIAL factors.
struct ArrayTerms
{
    std::int64_t comp = 0;                     ///< cycles of one RF pass
    std::int64_t red = 0;                      ///< reduction cycles
    std::array<std::int64_t, kOperands> noc{}; ///< elements(op, array)
    /// Network and SPM energy of one transfer: of a read operand into the array, of the written operand out
    /// of it.
    std::array<double, kOperands> transferPj{};
    double writtenPj = 0; ///< energy of the written operand: transfer in, transfer out and one reduction
    double drainPj = 0;   ///< energy of the written operand: transfer out and one reduction
};

/// Cycles to add one partial result of each of `pes` PEs, sequentially or pairwise.
[[nodiscard]] inline std::int64_t reductionSteps(std::int64_t pes, const ModelOptions& options) noexcept
{
    return options.reductionTree ? std::bit_width(static_cast<std::uint64_t>(pes - 1)) : pes - 1;
}

/// Makes the terms of an array. `noc`: elements of each operand. `sent`: elements of the read operands on the
/// network, counted once per PE that uses them. `reduced`: number of PEs whose partial results are added.
[[nodiscard]] inline ArrayTerms makeArrayTerms(const Architecture& architecture, std::int64_t comp,
                                               const std::array<std::int64_t, kOperands>& noc,
                                               const std::array<std::int64_t, 2>& sent,
                                               std::int64_t reduced) noexcept
{
    const EnergyTable& pj = architecture.energyPj;
    ArrayTerms out;
    out.comp = comp;
    out.noc = noc;
    out.red = noc[kWritten] * reductionSteps(reduced, architecture.options);
    const auto energy = [&](std::size_t op, std::int64_t elements, double each, double scratchpad) {
        const bool skips = architecture.options.bypassSpm[op];
        return static_cast<double>(elements) * each + (skips ? 0 : static_cast<double>(noc[op]) * scratchpad);
    };
    for (std::size_t op = 0; op < 2; ++op)
        out.transferPj[op] = energy(op, sent[op], pj.noc + pj.rfFill, pj.spm);
    out.transferPj[kWritten] = energy(kWritten, noc[kWritten], pj.noc, pj.writeSpm());
    const double reductionPj = static_cast<double>(noc[kWritten] * (reduced - 1)) * pj.reduction();
    out.drainPj = out.transferPj[kWritten] + reductionPj;
    out.writtenPj = energy(kWritten, noc[kWritten], pj.noc + pj.rfFill, pj.spm) + out.drainPj;
    return out;
}

/// Cost of one SPM pass for one order class at SPM, if no operand is kept in the register files.
struct PassTerms
{
    std::int64_t cycles = 0;
    std::int64_t comm1 = 0;
    double transfersPj = 0; ///< energy of all transfers of one SPM pass
};

/// Cost terms of one order class at DRAM.
struct DramTerms
{
    int operand = -1;        ///< the reused operand
    std::int64_t reuse = 1;  ///< greater than 1 if and only if `operand` >= 0
    std::int64_t passes = 1; ///< number of SPM passes, P_DRAM
    std::int64_t cum1 = 0;   ///< DMA cycles of the operands that move in every pass
    std::int64_t own = 0;    ///< DMA cycles of the reused operand
    double dramPj = 0;       ///< DRAM energy of the whole layer, pJ
    double leakagePj = 0;    ///< leakage energy per cycle, pJ
    bool overlapped = false; ///< true if cycles overlap (docs/rules/mapping.md 10.2)
};

struct Cost
{
    double energy = 0;
    std::int64_t cycles = 0;
};

/// Cycles of overlapped passes (docs/rules/mapping.md 10.2): cycles of the busiest resource, which is the
/// array or the network of an operand. `operand` is sent `times` times, the other operands in every pass. The
/// result is linear in passes and times, so it also holds for the whole layer.
[[nodiscard]] inline std::int64_t overlappedPass(const ArrayTerms& a, int operand, std::int64_t times,
                                                 std::int64_t passes) noexcept
{
    const auto sent = [&](int op) { return op == operand ? times : passes; };
    std::int64_t most = a.comp * passes + a.red * sent(kWritten);
    for (int op = 0; op < kOperands; ++op)
        most = std::max(most, a.noc[static_cast<std::size_t>(op)] * sent(op));
    return most;
}

/// Terms of an SPM pass of `passes` RF passes, in which `operand` (-1: none) is reused `reuse` times and no
/// operand is kept in the register files.
[[nodiscard]] inline PassTerms spmPassTerms(const ArrayTerms& a, int operand, std::int64_t reuse,
                                            std::int64_t passes, bool overlapped) noexcept
{
    PassTerms out;
    const std::int64_t times = passes / reuse;
    const double p = static_cast<double>(passes);
    const double t = static_cast<double>(times);
    const double writtenPj = a.writtenPj;
    switch (operand) {
    case 0:
    case 1: {
        const auto x = static_cast<std::size_t>(operand);
        out.comm1 = std::max(a.noc[1 - x], a.noc[2]);
        out.cycles =
            (out.comm1 + a.comp + a.red) * passes + std::max<std::int64_t>(0, a.noc[x] - out.comm1) * times;
        out.transfersPj = p * (a.transferPj[1 - x] + writtenPj) + t * a.transferPj[x];
        break;
    }
    case 2: {
        out.comm1 = std::max(a.noc[0], a.noc[1]);
        const std::int64_t run = std::max(out.comm1, a.comp);
        out.cycles = run * passes + (std::max<std::int64_t>(0, a.noc[2] - run) + a.comp + a.red) * times;
        out.transfersPj = p * (a.transferPj[0] + a.transferPj[1]) + t * writtenPj;
        break;
    }
    default:
        out.comm1 = std::max(std::max(a.noc[0], a.noc[1]), a.noc[2]);
        out.cycles = (out.comm1 + a.comp + a.red) * passes;
        out.transfersPj = p * (a.transferPj[0] + a.transferPj[1] + writtenPj);
        break;
    }
    if (overlapped)
        out.cycles = overlappedPass(a, operand, times, passes);
    return out;
}

/// DMA cycles of the whole layer if DMA never waits for the array.
[[nodiscard]] inline std::int64_t dmaCycles(const DramTerms& d) noexcept
{
    return d.cum1 * d.passes + d.own * (d.operand == kWritten ? 2 : 1) * (d.passes / d.reuse);
}

[[nodiscard]] inline std::int64_t layerCycles(const DramTerms& d, std::int64_t pass, std::int64_t a1,
                                              std::int64_t a2) noexcept
{
    if (d.overlapped)
        return std::max(pass * d.passes, dmaCycles(d));
    const std::int64_t base = std::max(d.cum1, pass);
    std::int64_t cycles = base * d.passes;
    if (d.operand >= 0) {
        const std::int64_t d1 = d.cum1 + d.own;
        const std::int64_t d2 = d.operand == kWritten ? d1 : d.cum1;
        cycles += (std::max(d1, a1) - base + std::max<std::int64_t>(0, std::max(d2, a2) - base)) *
                  (d.passes / d.reuse);
    }
    return cycles;
}

/// Cost of the layer if no operand is kept in the register files. `fixedPj`: energy of MACs and register
/// files.
[[nodiscard]] inline Cost layerCost(const DramTerms& d, const PassTerms& pass, double fixedPj) noexcept
{
    const std::int64_t cycles = layerCycles(d, pass.cycles, pass.cycles, pass.cycles);
    return {fixedPj + d.dramPj + static_cast<double>(d.passes) * pass.transfersPj +
                d.leakagePj * static_cast<double>(cycles),
            cycles};
}

/// Cost of the layer if the operand reused at DRAM also has full reuse at SPM and so stays in the register
/// files.
[[nodiscard]] inline Cost keptCost(const DramTerms& d, const ArrayTerms& a, std::int64_t passes,
                                   double fixedPj) noexcept
{
    const double p = static_cast<double>(d.passes) * static_cast<double>(passes);
    const std::int64_t changes =
        // Divides exactly: `reuse` is a product of some of the factors whose product is `passes`.
        d.passes / d.reuse;
    const double t = static_cast<double>(changes);
    const auto finish = [&](double energy, std::int64_t cycles) {
        return Cost{energy + d.leakagePj * static_cast<double>(cycles), cycles};
    };
    const auto atOnce = [&] {
        return std::max(overlappedPass(a, d.operand, changes, d.passes * passes), dmaCycles(d));
    };
    if (d.operand == kWritten) {
        const std::int64_t comm1 = std::max(a.noc[0], a.noc[1]);
        const std::int64_t pass = std::max(comm1, a.comp) * passes;
        const double energy = fixedPj + d.dramPj + p * (a.transferPj[0] + a.transferPj[1]) + t * a.drainPj;
        return finish(energy, d.overlapped ? atOnce()
                                           : layerCycles(d, pass, pass + a.comp + a.red,
                                                         pass + std::max<std::int64_t>(0, a.noc[2] - comm1)));
    }
    const auto x = static_cast<std::size_t>(d.operand);
    const std::int64_t comm1 = std::max(a.noc[1 - x], a.noc[2]);
    const std::int64_t pass = (comm1 + a.comp + a.red) * passes;
    const double energy = fixedPj + d.dramPj + p * (a.transferPj[1 - x] + a.writtenPj) + t * a.transferPj[x];
    return finish(energy, d.overlapped ? atOnce()
                                       : layerCycles(d, pass, pass,
                                                     pass + std::max<std::int64_t>(0, a.noc[x] - comm1)));
}

} // namespace tilewright::mapping
