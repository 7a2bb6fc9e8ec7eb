// SPDX-License-Identifier: GPL-3.0-or-later
// Evaluation of a schedule by the fast or the explaining evaluator, and its result for each subgraph.
#pragma once

#include "base/ids.h"
#include "schedule/schedule.h"
#include "workload/rules.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright {

/// Whether compute or memory time limits a step or subgraph: Compute if compute time > memory time, Memory if
/// it is lower, Balanced if both are equal.
enum class Bound : std::uint8_t { Compute, Memory, Balanced };
[[nodiscard]] std::string_view boundName(Bound bound); // Returns "compute", "memory" or "balanced".

/// Result for one subgraph at its position in the schedule. Times are in the problem's unit of time. Sizes
/// are in elements as capacity and bandwidth count them; with element widths (R1.9) they may be fractions.
struct SubgraphEvaluation
{
    /// True if R4 and R5 hold, so that latency and traffic below are meaningful; the subgraph may still
    /// be out of memory.
    bool structurallyValid = false;
    bool fits = false; ///< true if peakWorkingSet <= capacity
    /// False if the sums are estimates, which happens rarely and only with millions of steps; see
    /// kMostWalkedSteps.
    bool exact = true;
    double latency = 0; ///< sum over steps of max(compute, memory) (R10.1)
    double compute = 0; ///< sum of compute times
    double memory = 0;  ///< sum of memory times (R10.1)
    double energy = 0;  ///< energy in pJ (R17); 0 if the problem states no energies
    double loadElements = 0;
    double storeElements = 0;
    double peakWorkingSet = 0;
    /// Size of the resident and retained tensors, which are part of every working set (R9.1a).
    double reserved = 0;
    std::int64_t steps = 0;
    std::int64_t rows = 0; ///< rows and columns of the tile grid (R5.1)
    std::int64_t cols = 0;
    std::int64_t computeBoundSteps = 0; ///< number of steps with compute time >= memory time
    Bound bound = Bound::Balanced;      ///< comparison of total compute and memory time
    bool operator==(const SubgraphEvaluation&) const = default;
};

/// Result for a whole schedule. Every subgraph is evaluated even after an invalid one, so that the user sees
/// all problems. `issues.front()` is the verdict in the order of R10.4.
struct Evaluation
{
    Rules rules;
    std::vector<SubgraphEvaluation> subgraphs;
    std::vector<Issue> issues;
    double total = 0;  ///< sum of the latencies of all structurally valid subgraphs
    double energy = 0; ///< sum of the energies of all structurally valid subgraphs, in pJ (R17)
    /// Energy-delay product, in pJ x unit of time.
    [[nodiscard]] double edp() const noexcept { return total * energy; }
    [[nodiscard]] bool valid() const noexcept { return issues.empty(); }
    [[nodiscard]] const Issue* verdict() const noexcept { return issues.empty() ? nullptr : &issues.front(); }
};

/// Evaluates a schedule by the fast evaluator, which uses a closed form for repeated steps. It never
/// simulates all steps if steps repeat.
[[nodiscard]] Evaluation evaluate(const Problem& problem, const Schedule& schedule, const Rules& rules);

/// Evaluates a schedule by the explaining evaluator. The result equals evaluate() in every field (checked by
/// tests).
[[nodiscard]] Evaluation evaluateByTrace(const Problem& problem, const Schedule& schedule,
                                         const Rules& rules);

/// Function that evaluates one well-formed subgraph (checkFormat() holds) at its position in the schedule,
/// given the tensors that are resident before it (RES), ascending. In the result, structurallyValid is false
/// if the subgraph breaks R4 or R5.3.
using EvaluateSubgraph = std::function<SubgraphEvaluation(SubgraphId, std::span<const TensorId> resident)>;

/// Evaluates the subgraphs one after another, with the verdicts in the order of R10.4. Shared by both
/// evaluators.
[[nodiscard]] Evaluation walkSchedule(const Problem& problem, const Schedule& schedule, const Rules& rules,
                                      const EvaluateSubgraph& evaluateSubgraph);

/// Returns the size of the resident and the retained tensors in units (R1.9), each tensor once (R9.1a).
[[nodiscard]] std::int64_t reservedUnits(const Problem& problem, std::span<const TensorId> resident,
                                         std::span<const TensorId> retain);

} // namespace tilewright
