// SPDX-License-Identifier: GPL-3.0-or-later
// What explains the figures of a schedule: the evaluated schedule, and the parts that several figures have.
#pragma once

#include "eval/step_kinds.h"
#include "eval/waste.h"
#include "figures/figure.h"
#include "figures/schedule_figures.h"
#include "lower/on_machine.h"
#include "rules/check.h"
#include "snapshot/snapshot.h"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tilewright::figures {

struct ScheduleSource
{
    SnapshotPtr snapshot;
    std::string time;    ///< unit of times: "cycles", "units of time"
    std::string perTime; ///< unit of bandwidths: "elements a cycle"
    lower::ModelOnMachinePtr model;
    /// Subgraphs whose steps have been simulated so far. Key: index of the subgraph.
    std::shared_ptr<std::map<std::size_t, std::optional<StepKinds>>> walked =
        std::make_shared<std::map<std::size_t, std::optional<StepKinds>>>();
    /// The waste of the subgraphs that were asked so far, by index.
    std::shared_ptr<std::map<std::size_t, Waste>> wasted = std::make_shared<std::map<std::size_t, Waste>>();

    [[nodiscard]] const Problem& problem() const { return *snapshot->problem; }
    [[nodiscard]] const Evaluation& evaluation() const { return snapshot->evaluation; }
    /// Returns what subgraph i wastes; it is computed once.
    [[nodiscard]] const Waste& waste(std::size_t i) const
    {
        const auto [at, isNew] = wasted->try_emplace(i);
        if (isNew)
            at->second = wasteOf(problem(), snapshot->schedule, evaluation(), SubgraphId(i));
        return at->second;
    }
    /// Returns the evaluation of a subgraph; null if the subgraph breaks a rule.
    [[nodiscard]] const SubgraphEvaluation* valid(std::size_t i) const
    {
        const SubgraphEvaluation& e = evaluation().subgraphs[i];
        return e.structurallyValid ? &e : nullptr;
    }
    [[nodiscard]] const Subgraph& subgraph(std::size_t i) const { return snapshot->schedule[SubgraphId(i)]; }
    [[nodiscard]] std::vector<TensorId> resident(std::size_t i) const
    {
        return residentBefore(problem(), snapshot->schedule, evaluation().rules, SubgraphId(i));
    }
    [[nodiscard]] const std::optional<StepKinds>& steps(std::size_t i) const
    {
        const auto [at, isNew] = walked->try_emplace(i);
        if (isNew && evaluation().subgraphs[i].steps <= kMostExplainedSteps)
            at->second = stepKinds(problem(), snapshot->schedule, evaluation().rules, SubgraphId(i),
                                   kMostExplainedSteps + 1);
        return at->second;
    }
};

/// A figure with its explanation; nothing if this answer has no such figure.
using Value = std::optional<ExplainedValue>;

/// A value taken from the evaluator without explanation, because its steps are too many to list.
[[nodiscard]] ExplainedValue byEvaluator(std::string name, std::string unit, double value, std::string rule);
[[nodiscard]] ExplainedValue counted(std::string name, std::int64_t count, std::string unit = {});
/// A sum of parts. If there are many, the smaller ones become a single leaf: the remaining part of `whole`.
[[nodiscard]] ExplainedValue sumOf(std::string name, std::string unit, double whole,
                                   std::vector<ExplainedValue> parts, std::string rule = {});
/// A value from the problem file, or from the lowering of the model.
[[nodiscard]] ExplainedValue given(const ScheduleSource& s, std::string name, std::string unit, double value,
                                   const std::string& field);
/// Converts sizes in units (R1.9) to elements, as capacity and bandwidth count them.
[[nodiscard]] ExplainedValue asElements(const ScheduleSource& s, ExplainedValue units);
/// The bandwidth of the slow memory.
[[nodiscard]] ExplainedValue bandwidth(const ScheduleSource& s);

/// Functions for the figures of subgraph i:
namespace ofSubgraph {

[[nodiscard]] Value latency(const ScheduleSource& s, std::size_t i);
[[nodiscard]] Value compute(const ScheduleSource& s, std::size_t i);
[[nodiscard]] Value memory(const ScheduleSource& s, std::size_t i);
[[nodiscard]] Value loads(const ScheduleSource& s, std::size_t i);
[[nodiscard]] Value stores(const ScheduleSource& s, std::size_t i);
[[nodiscard]] Value reserved(const ScheduleSource& s, std::size_t i);
[[nodiscard]] Value peak(const ScheduleSource& s, std::size_t i);
[[nodiscard]] Value steps(const ScheduleSource& s, std::size_t i);
[[nodiscard]] Value rows(const ScheduleSource& s, std::size_t i);
[[nodiscard]] Value cols(const ScheduleSource& s, std::size_t i);
[[nodiscard]] Value computeBound(const ScheduleSource& s, std::size_t i);
[[nodiscard]] Value energy(const ScheduleSource& s, std::size_t i);
[[nodiscard]] Value padding(const ScheduleSource& s, std::size_t i);
[[nodiscard]] Value reload(const ScheduleSource& s, std::size_t i);
[[nodiscard]] Value paddingTime(const ScheduleSource& s, std::size_t i);
[[nodiscard]] Value reloaded(const ScheduleSource& s, std::size_t i);
[[nodiscard]] Value halo(const ScheduleSource& s, std::size_t i);

} // namespace ofSubgraph

} // namespace tilewright::figures
