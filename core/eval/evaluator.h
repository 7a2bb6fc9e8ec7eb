// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "eval/evaluation.h"
#include "eval/fast.h"

#include <unordered_map>
#include <vector>

namespace tilewright {

/// evaluate() for live editing: remembers the results of the last schedules, so that after an edit only the
/// subgraphs that changed are computed. Not thread-safe; keep one per worker.
class Evaluator
{
public:
    Evaluator(ProblemPtr problem, const Rules& rules);

    /// Equal to tilewright::evaluate().
    [[nodiscard]] Evaluation evaluate(const Schedule& schedule);
    /// Subgraphs that evaluate() had to compute since construction.
    [[nodiscard]] std::int64_t computed() const noexcept { return m_computed; }

    [[nodiscard]] const ProblemPtr& problem() const noexcept { return m_problem; }
    [[nodiscard]] const Rules& rules() const noexcept { return m_rules; }

private:
    struct Known
    {
        SubgraphPtr subgraph; // keeps the pointer from being used again for another one
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
