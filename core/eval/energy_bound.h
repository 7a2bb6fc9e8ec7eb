// SPDX-License-Identifier: GPL-3.0-or-later
// Lower bound of the energy of every valid schedule (docs/rules/bound.md 8).
#pragma once

#include "eval/lower_bound.h"
#include "workload/problem.h"
#include "workload/rules.h"

namespace tilewright {

/// Lower bound of the energy (R17) of the runs of one op in any schedule, in pJ, if `least` elements of its
/// result are computed. Requires problem.hasEnergy().
struct OpEnergy
{
    double fast = 0;    ///< energy of the traffic of fast memory
    double compute = 0; ///< energy of the multiply-accumulates, or of the elements of a Pointwise
    [[nodiscard]] double total() const noexcept { return fast + compute; }
};
[[nodiscard]] OpEnergy leastEnergy(const Problem& problem, OpId op, std::int64_t least);

/// A lower bound of the energy of every valid schedule, with any fusion, retention and recomputation, in pJ;
/// all 0 if the problem states no energies.
struct EnergyBound
{
    double value = 0;        ///< sum of the other values, rounded down
    double slow = 0;         ///< energy of slow memory, for the traffic that every schedule has
    double fast = 0;         ///< energy of fast memory, for the same traffic and for the runs of ops
    double mac = 0;          ///< energy of the multiply-accumulates
    double vector = 0;       ///< energy of the elements of Pointwises
    double trafficUnits = 0; ///< least number of units (R1.9) that a schedule loads and stores
};
/// Returns the bound of the energy. `quick` is lowerBound() of the problem under the same rules.
[[nodiscard]] EnergyBound energyBound(const Problem& problem, const Rules& rules, const LowerBound& quick);
[[nodiscard]] inline EnergyBound energyBound(const Problem& problem, const Rules& rules)
{
    return problem.hasEnergy() ? energyBound(problem, rules, lowerBound(problem, rules)) : EnergyBound{};
}

} // namespace tilewright
