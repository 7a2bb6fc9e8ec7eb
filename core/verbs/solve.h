// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "solve/search/solver.h"
#include "verbs/evaluate.h"

#include <functional>

namespace tilewright::verbs {

/// Options of a search, as tilewright-cli, Python and the Solver pane of the window set them. The default
/// values are the same for all three.
struct SolveCall
{
    WorkloadCall workload;
    RulesCall rules;
    /// Time limit of the search in seconds; 0 = none; empty = suggestedSeconds() of the problem.
    std::optional<double> seconds;
    double patience = 0; ///< SolveOptions::stagnation
    double prove = 0;    ///< time limit in seconds of a proof after the search; 0 = no proof
    std::int64_t iterations = 0;
    int threads = 0; ///< number of threads of the search and of the proof; 0 = all hardware threads
    std::uint64_t seed = 1;
    bool placeable = false;
    std::string startFile;
    std::optional<Schedule> start; ///< start schedule; replaces `startFile`
    std::vector<OpId> selection;   ///< SolveOptions::selection; only the window has a selection
};
void bindOptions(OptionList& o, SolveCall& call);

/// Returns the options of solve() for a call. The Error is one of the rules or of the start file.
[[nodiscard]] Result<SolveOptions> solveOptions(const SolveCall& call, const Problem& problem);
/// Runs the proof of SolveCall::prove after a search, and copies its bounds, or a better schedule, into the
/// result. `report` is called with the seconds since the start of the search and the bound.
void proveAfter(const SolveCall& call, const Problem& problem, const SolveOptions& options,
                SolveResult& result, const std::function<void(double, double)>& report = {});

} // namespace tilewright::verbs
