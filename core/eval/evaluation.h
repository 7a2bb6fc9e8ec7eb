// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/ids.h"
#include "rules/rules.h"
#include "schedule/issue.h"
#include "schedule/schedule.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright {

/// Which side of the roofline a step or subgraph is on: compute time >= memory time or not.
enum class Bound : std::uint8_t { Compute, Memory, Balanced };
[[nodiscard]] std::string_view boundName(Bound bound); // "compute", "memory", "balanced"

/// Result for one subgraph in its place in the schedule. Times in the problem's unit of time; sizes in
/// elements.
struct SubgraphEvaluation
{
    bool structurallyValid =
        false;         ///< latency and traffic below are meaningful (R4 and R5 hold; OOM allowed)
    bool fits = false; ///< peakWorkingSet <= capacity
    /// False when the sums are estimates, which happens rarely and only with millions of steps: see
    /// kMostWalkedSteps.
    bool exact = true;
    double latency = 0; ///< sum over steps of max(compute, memory) (R10.1)
    double compute = 0; ///< sum of compute times
    double memory = 0;  ///< sum of memory times (R10.1)
    std::int64_t loadElements = 0;
    std::int64_t storeElements = 0;
    std::int64_t peakWorkingSet = 0;
    std::int64_t reserved = 0; ///< part of every working set: resident and retained tensors (R9.1a)
    std::int64_t steps = 0;
    std::int64_t rows = 0; ///< tile grid (R5.1)
    std::int64_t cols = 0;
    std::int64_t computeBoundSteps = 0; ///< steps whose compute time >= memory time
    Bound bound = Bound::Balanced;      ///< compute vs. memory total
    bool operator==(const SubgraphEvaluation&) const = default;
};

/// Result for a whole schedule. Every subgraph is evaluated even when an earlier one is invalid, so that a
/// person sees all problems; `issues.front()` is the verdict in the order of R10.4.
struct Evaluation
{
    Rules rules;
    std::vector<SubgraphEvaluation> subgraphs;
    std::vector<Issue> issues;
    double total = 0; ///< sum of the latencies of all structurally valid subgraphs
    [[nodiscard]] bool valid() const noexcept { return issues.empty(); }
    [[nodiscard]] const Issue* verdict() const noexcept { return issues.empty() ? nullptr : &issues.front(); }
};

/// Evaluates by the fast form (closed over identical steps). Never walks all steps when steps repeat.
[[nodiscard]] Evaluation evaluate(const Problem& problem, const Schedule& schedule, const Rules& rules);

/// Evaluates by the explaining form; equal to evaluate() in every field (held by tests).
[[nodiscard]] Evaluation evaluateByTrace(const Problem& problem, const Schedule& schedule,
                                         const Rules& rules);

} // namespace tilewright
