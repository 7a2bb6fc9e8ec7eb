// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/ids.h"
#include "rules/run_tile.h"
#include "schedule/schedule.h"

#include <cstdint>
#include <vector>

namespace tilewright {

/// How a MatMul of a subgraph uses an output-stationary array of native_h x native_w PEs (R8.2), also under
/// rules that charge it differently.
struct ArrayUse
{
    OpId op;
    RunTile run;          ///< the largest, where no edge clips it
    double runCycles = 0; ///< of that run
    /// Cycles of all runs that are charged (R8.1). With compute=array the op costs base_cost for as many
    /// cycles as a native tile takes over the whole reduction.
    double cycles = 0;
    double utilisation = 0; ///< multiplications that the op consists of / (PEs * cycles)
    bool exact = true;      ///< false: as SubgraphEvaluation::exact
};

struct ArrayUses
{
    std::int64_t rows = 1, cols = 1; ///< PEs of the array
    std::vector<ArrayUse> uses;      ///< in declared order
    std::size_t more = 0;            ///< number of further MatMuls, beyond the `most` requested
};

/// The use of the array by the first MatMuls of a subgraph; none when it breaks R2.2, R4.1 to R4.5 or R4.7.
/// Microseconds, unless steps have to be walked (kMostWalkedSteps).
[[nodiscard]] ArrayUses arrayUses(const Problem& problem, const Subgraph& subgraph, const Rules& rules,
                                  std::size_t most, std::int64_t mostWalkedSteps = 20'000);

} // namespace tilewright
