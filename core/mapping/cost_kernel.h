// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "mapping/layer.h"

#include <algorithm>
#include <array>
#include <cstdint>

// The fast form of the cost model: docs/rules/mapping.md 4 and 5 for one pair of order classes, where at
// every level at most one operand is reused. Shared by the fast evaluator and by the search, and monotone in
// every field of ArrayTerms, which is what makes the search's bounds sound.
namespace tilewright::mapping {

/// What the array level contributes, for one choice of RF and SPATIAL factors.
struct ArrayTerms
{
    std::int64_t comp = 0;                      ///< cycles of one RF pass
    std::int64_t red = 0;                       ///< reduction cycles
    std::array<std::int64_t, kOperands> noc{};  ///< elements(op, array)
    std::array<double, kOperands> transferPj{}; ///< network and SPM energy of one transfer, one way
    double reductionPj = 0;                     ///< energy of one reduction
};

/// What one class at SPM costs per SPM pass when nothing is kept.
struct PassTerms
{
    std::int64_t cycles = 0;
    std::int64_t comm1 = 0;
    double transfersPj = 0; ///< energy of all transfers of one SPM pass
};

/// What one class at DRAM contributes.
struct DramTerms
{
    int operand = -1;        ///< the reused operand
    std::int64_t reuse = 1;  ///< > 1 exactly when `operand` >= 0
    std::int64_t passes = 1; ///< P_DRAM
    std::int64_t cum1 = 0;   ///< DMA cycles of every pass
    std::int64_t own = 0;    ///< DMA cycles of the reused operand
    double dramPj = 0;       ///< whole layer
};

struct Cost
{
    double energy = 0;
    std::int64_t cycles = 0;
};

/// `operand` (-1: none) is reused `reuse` times over the `passes` RF passes; nothing is kept.
[[nodiscard]] inline PassTerms spmPassTerms(const ArrayTerms& a, int operand, std::int64_t reuse,
                                            std::int64_t passes) noexcept
{
    PassTerms out;
    const std::int64_t times = passes / reuse;
    const double p = static_cast<double>(passes);
    const double t = static_cast<double>(times);
    const double writtenPj = 2 * a.transferPj[2] + a.reductionPj;
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
    return out;
}

[[nodiscard]] inline std::int64_t layerCycles(const DramTerms& d, std::int64_t pass, std::int64_t a1,
                                              std::int64_t a2) noexcept
{
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

/// The layer when no operand is kept. `fixedPj`: MACs and register files.
[[nodiscard]] inline Cost layerCost(const DramTerms& d, const PassTerms& pass, double fixedPj) noexcept
{
    return {fixedPj + d.dramPj + static_cast<double>(d.passes) * pass.transfersPj,
            layerCycles(d, pass.cycles, pass.cycles, pass.cycles)};
}

/// The layer when the operand reused at DRAM also fills the whole SPM level and so stays in the RFs.
[[nodiscard]] inline Cost keptCost(const DramTerms& d, const ArrayTerms& a, std::int64_t passes,
                                   double fixedPj) noexcept
{
    const double p = static_cast<double>(d.passes) * static_cast<double>(passes);
    const std::int64_t changes = d.passes / d.reuse; // exact: the reuse is a product of some of the factors
    const double t = static_cast<double>(changes);
    const double writtenPj = 2 * a.transferPj[2] + a.reductionPj;
    if (d.operand == kWritten) {
        const std::int64_t comm1 = std::max(a.noc[0], a.noc[1]);
        const std::int64_t pass = std::max(comm1, a.comp) * passes;
        const double energy = fixedPj + d.dramPj + p * (a.transferPj[0] + a.transferPj[1]) +
                              t * (a.transferPj[2] + a.reductionPj);
        return {energy, layerCycles(d, pass, pass + a.comp + a.red,
                                    pass + std::max<std::int64_t>(0, a.noc[2] - comm1))};
    }
    const auto x = static_cast<std::size_t>(d.operand);
    const std::int64_t comm1 = std::max(a.noc[1 - x], a.noc[2]);
    const std::int64_t pass = (comm1 + a.comp + a.red) * passes;
    const double energy = fixedPj + d.dramPj + p * (a.transferPj[1 - x] + writtenPj) + t * a.transferPj[x];
    return {energy, layerCycles(d, pass, pass, pass + std::max<std::int64_t>(0, a.noc[x] - comm1))};
}

} // namespace tilewright::mapping
