// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "eval/lower_bound.h"
#include "rules/rules.h"
#include "schedule/schedule.h"
#include "workload/problem.h"

#include <cstddef>
#include <functional>
#include <limits>
#include <memory>
#include <stop_token>
#include <string>

namespace tilewright {

/// What has been proven by now.
struct ProofState
{
    double presetBound = 0; ///< no schedule of preset traversals takes less
    /// Latency of the best schedule that is known; infinite without one.
    double best = std::numeric_limits<double>::infinity();
    bool optimal = false; ///< nothing in `space` is better than `best`
    std::string space;    ///< what the proof covers, in words
    /// With the latency `best`, where that is better than what was known at the start.
    std::shared_ptr<const Schedule> schedule;
};

struct ProofRunLimits
{
    double seconds = 10;
    std::size_t threads = 0;                                ///< 0: as many as the machine has
    double total = std::numeric_limits<double>::infinity(); ///< of a valid schedule that is known
    bool soon = false;                                      ///< says a little early, for somebody who watches
    std::stop_token stop;
};

/// Who is told of what is proven, by the thread that runs it.
struct ProofRunTold
{
    std::function<void(const LowerBound&)> bound; ///< a better one
    std::function<void(const ProofState&)> state;
};

struct ProofRunResult
{
    LowerBound bound;
    ProofState state;
};

/// Proves how good the best schedule is, anytime (docs/rules/bound.md 7): looks for a schedule, then branch
/// and bound from the best one that is known; where that says nothing, prices until the time is over or there
/// is nothing more to find.
[[nodiscard]] ProofRunResult runProof(const Problem& problem, const Rules& rules,
                                      const ProofRunLimits& limits, const ProofRunTold& told = {});

} // namespace tilewright
