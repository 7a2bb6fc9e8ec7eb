// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "eval/lower_bound.h"
#include "rules/rules.h"
#include "schedule/schedule.h"
#include "solve/plan/solve_options.h"
#include "workload/problem.h"

#include <cstddef>
#include <functional>
#include <limits>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

namespace tilewright {

/// What has been proven so far.
struct ProofState
{
    double presetBound = 0; ///< no schedule of preset traversals takes less
    /// Latency of the incumbent, the best known schedule; infinite without one.
    double best = std::numeric_limits<double>::infinity();
    bool optimal = false; ///< nothing in `space` is better than `best`
    std::string space;    ///< what the proof covers, in words
    /// The incumbent, where it is better than what was known at the start, and its latencies by subgraph.
    std::shared_ptr<const Schedule> schedule;
    std::vector<double> latencies;
};

struct ProofRunLimits
{
    double seconds = 10;
    std::size_t threads = 0;                                ///< 0: as many as the machine has
    double total = std::numeric_limits<double>::infinity(); ///< latency of a valid schedule that is known
    bool findsSchedule = true; ///< searches for a better schedule before the proof
    bool reportsEarly = false; ///< publishes a quick first bound, and longer runs of prices one by one
    std::stop_token stop;
};

/// Called by the thread that runs the proof.
struct ProofCallbacks
{
    std::function<void(const LowerBound&)> onBound; ///< the bound is higher
    std::function<void(const ProofState&)> onState;
};

struct ProofRunResult
{
    LowerBound bound;
    ProofState state;
    std::size_t columns = 0; ///< of branch and bound: that prices do not rule out
    std::int64_t states = 0; ///< of branch and bound: expanded by the search
};

/// Proves how good the best schedule is (docs/rules/bound.md 7): a search for a schedule, branch and bound
/// from the best one, prices alone where that says nothing. At any time what is proven holds. The one
/// orchestration of proofs: of `bound --seconds`, `solve --prove` and the window.
[[nodiscard]] ProofRunResult runProof(const Problem& problem, const Rules& rules,
                                      const ProofRunLimits& limits, const ProofCallbacks& callbacks = {});

/// Takes over into a result of solve() what was proven from its latency, and a better schedule if `replace`.
/// `seconds`: what the proof took.
void takeProof(SolveResult& result, const ProofRunResult& proof, bool replace, double seconds = 0);

} // namespace tilewright
