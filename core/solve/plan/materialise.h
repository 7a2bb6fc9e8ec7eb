// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "eval/evaluation.h"
#include "solve/plan/plan.h"

#include <functional>

namespace tilewright {

/// The schedule of a plan with the best tilings known (`Thorough` ones while `keepGoing` says so).
[[nodiscard]] Schedule materialise(SubgraphPool& pool, const Plan& plan,
                                   const std::function<bool()>& keepGoing);

/// The plan of a schedule: its op sets, retained tensors and locks; subgraphs that must stay as they are
/// (`frozen`) count as locked. Their subgraphs are appended to `locked`.
struct PlanSketch
{
    struct Part
    {
        std::vector<OpId> ops;
        std::vector<TensorId> retain;
        std::int32_t lock = -1;
        Granularity granularity;
    };
    std::vector<Part> parts;
    std::vector<LockedSubgraph> locked;
};
[[nodiscard]] PlanSketch sketchOf(const Schedule& schedule, const std::vector<OpId>& selection);
[[nodiscard]] Plan planOf(SubgraphPool& pool, const PlanSketch& sketch);

/// Total latency by the explaining evaluator, or by the fast one when the schedule has more steps than
/// `maxExplainedSteps`; nothing when the schedule is not valid.
struct Checked
{
    double total = 0;
    std::vector<double> latencies;
};
[[nodiscard]] std::optional<Checked> checkSchedule(const Problem& problem, const Schedule& schedule,
                                                   const Rules& rules, double maxExplainedSteps = 3e5);

} // namespace tilewright
