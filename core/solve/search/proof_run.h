// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "eval/lower_bound.h"
#include "schedule/schedule.h"
#include "solve/plan/solve_options.h"
#include "workload/problem.h"
#include "workload/rules.h"

#include <cstddef>
#include <functional>
#include <limits>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

namespace tilewright {

/// Intermediate result of a proof: the bounds that are proven so far, and the incumbent.
struct ProofState
{
    double presetBound = 0; ///< lower bound for schedules with preset traversals
    /// Latency of the incumbent, the best known schedule; infinite without one.
    double best = std::numeric_limits<double>::infinity();
    bool optimal = false; ///< true if no schedule in `space` is better than `best`
    std::string space;    ///< description of the schedules that the proof covers
    /// The incumbent and its latencies by subgraph; null if it is not better than the schedule known at the
    /// start.
    std::shared_ptr<const Schedule> schedule;
    std::vector<double> latencies;
};

struct ProofRunLimits
{
    double seconds = 10;
    std::size_t threads = 0; ///< number of threads; 0 = all hardware threads
    /// latency of a known valid schedule; infinite = none
    double total = std::numeric_limits<double>::infinity();
    bool findsSchedule = true; ///< true if a better schedule is searched before the proof
    /// True if the set-cover bound is computed in several runs, each longer than the one before, and every
    /// run that raises the bound reports it. If false, one run has all the remaining time.
    bool reportsEarly = false;
    std::stop_token stop;
};

/// Callbacks of a proof. The thread that runs the proof calls them.
struct ProofCallbacks
{
    std::function<void(const LowerBound&)> onBound; ///< called when the bound has increased
    std::function<void(const ProofState&)> onState;
};

struct ProofRunResult
{
    LowerBound bound;
    ProofState state;
    std::size_t columns = 0; ///< columns of branch and bound that reduced costs cannot exclude
    std::int64_t states = 0; ///< states that branch and bound has expanded
};

/// Anytime proof of the quality of a schedule (docs/rules/bound.md 7). It first searches for a good schedule,
/// then runs branch and bound, and computes the set-cover bound if branch and bound yields no result. The
/// published bounds are valid at any time. `bound --seconds`, `solve --prove` and the window all call this
/// function.
[[nodiscard]] ProofRunResult runProof(const Problem& problem, const Rules& rules,
                                      const ProofRunLimits& limits, const ProofCallbacks& callbacks = {});

/// Copies the proven bounds, and a better schedule if `replace`, into a result of solve(). `seconds` is the
/// duration of the proof.
void applyProof(SolveResult& result, const ProofRunResult& proof, bool replace, double seconds = 0);

} // namespace tilewright
