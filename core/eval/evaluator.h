// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "eval/evaluation.h"
#include "eval/fast_evaluator.h"

#include <unordered_map>
#include <vector>

namespace tilewright {

/// evaluate() for interactive editing: caches the results of the last schedules, so that after an edit only
/// changed subgraphs are computed. Not thread-safe; each thread needs its own instance.
class Evaluator
{
public:
    Evaluator(ProblemPtr problem, const Rules& rules);

    /// Returns the same result as tilewright::evaluate().
    [[nodiscard]] Evaluation evaluate(const Schedule& schedule);
    /// Number of subgraphs that evaluate() has computed since construction.
    [[nodiscard]] std::int64_t computed() const noexcept { return m_computed; }

    [[nodiscard]] const ProblemPtr& problem() const noexcept { return m_problem; }
    [[nodiscard]] const Rules& rules() const noexcept { return m_rules; }

private:
    struct Known
    {
        SubgraphPtr subgraph; // owned, so that its address is not reused for another subgraph
        std::vector<TensorId> resident;
        SubgraphEvaluation result;
        std::int64_t lastUse = 0;
    };

    ProblemPtr m_problem;
    Rules m_rules;
    PlanCompiler m_compiler;
    SubgraphPlan m_plan;
    std::unordered_multimap<const Subgraph*, Known> m_known;
    std::int64_t m_use = 0;
    std::int64_t m_computed = 0;
};

} // namespace tilewright
