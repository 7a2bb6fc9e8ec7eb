// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/ids.h"
#include "rules/run_tile.h"
#include "schedule/schedule.h"

#include <cstdint>
#include <vector>

namespace tilewright {

/// How well a MatMul of a subgraph uses an output-stationary array of native_h x native_w PEs (R8.2).
/// Computed under all rules, even those that charge a MatMul differently.
struct ArrayUse
{
    OpId op;
    RunTile run;          ///< the largest run, i.e. one that no tensor edge clips
    double runCycles = 0; ///< cycles of `run`
    /// Cycles of all runs that are charged (R8.1). With compute=array the cost of these cycles is base_cost
    /// times cycles / (cycles of a native tile over the whole reduction).
    double cycles = 0;
    double utilisation = 0; ///< multiplications of the op / (number of PEs x cycles)
    bool exact = true;      ///< false if `cycles` is an estimate; see SubgraphEvaluation::exact
};

struct ArrayUses
{
    std::int64_t rows = 1, cols = 1; ///< PEs of the array
    std::vector<ArrayUse> uses;      ///< in the order in which the subgraph declares its ops
    std::size_t more = 0; ///< number of MatMuls beyond the `most` requested ones, which are left out
};

/// Returns the array use of the first MatMuls of a subgraph; empty if the subgraph breaks R2.2, R4.1 to R4.5
/// or R4.7. Takes microseconds, unless steps have to be simulated one by one (kMostWalkedSteps).
[[nodiscard]] ArrayUses arrayUses(const Problem& problem, const Subgraph& subgraph, const Rules& rules,
                                  std::size_t most, std::int64_t mostWalkedSteps = 20'000);

} // namespace tilewright
