// SPDX-License-Identifier: GPL-3.0-or-later
// A second simulator of the run of a schedule (R20), written from the text of the rules for tests: all steps
// are laid out first, dependencies are lists, every instant looks at everything. Rule set `machine`.
#pragma once

#include "base/integer.h"
#include "run/run.h"

#include <optional>
#include <vector>

namespace tilewright::second_run {

struct Command
{
    RunUnit unit = RunUnit::Load;
    std::size_t core = 0;
    std::size_t step = 0; ///< of all
    Int128 begin = 0, end = 0;
};
struct Outcome
{
    Int128 perUnit = 1; ///< ticks of a unit of time
    Int128 end = 0;
    std::int64_t peak = 0;               ///< room, in units
    std::vector<Command> commands;       ///< in the order of their beginning
    std::vector<Int128> admitted, ended; ///< by step: subgraph after subgraph, core after core
    std::vector<std::size_t> core;       ///< by step
    std::int64_t network = 0;            ///< units read over the network
    bool hasEarlier = false;             ///< a run reads a driver's result of an earlier step
    bool hasKept = false;                ///< a transfer of kept tensors (R9.7)
    bool waitsForStore = false;          ///< a load waits for what an earlier subgraph stores
};

/// The schedule must be valid under rule set `machine`. Empty if the ticks are too small to be counted.
[[nodiscard]] std::optional<Outcome> simulate(const Problem& problem, const Schedule& schedule,
                                              std::int64_t prefetch, std::size_t cores = 1,
                                              const RunNetwork& network = {});

} // namespace tilewright::second_run
