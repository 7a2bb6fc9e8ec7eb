// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "solve/search/solver.h"
#include "verbs/evaluate.h"

#include <functional>

namespace tilewright::verbs {

/// What `solve` is asked.
struct SolveCall
{
    WorkloadCall workload;
    RulesCall rules;
    double seconds = 10; ///< 0: until interrupted, or `iterations`
    double prove = 0;
    std::int64_t iterations = 0;
    int threads = 0;
    std::uint64_t seed = 1;
    std::string startFile;
    std::optional<Schedule> start; ///< instead of the file
    bool placeable = false;
};
void bindOptions(OptionList& o, SolveCall& call);

/// The options of the search for a schedule of the problem. The Error is one of the file to start from.
[[nodiscard]] Result<SolveOptions> solveOptions(const SolveCall& call, const Problem& problem);
/// After the search, where the call asks for it: a proof of how good the result is. `report` gets the seconds
/// since the search began and the bound.
void proveAfter(const SolveCall& call, const Problem& problem, const SolveOptions& options,
                SolveResult& result, const std::function<void(double, double)>& report = {});

} // namespace tilewright::verbs
