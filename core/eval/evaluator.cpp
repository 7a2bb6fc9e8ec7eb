// SPDX-License-Identifier: GPL-3.0-or-later
#include "eval/evaluator.h"

#include <algorithm>

namespace tilewright {

namespace {

/// Number of schedules for which results are kept. Undo and the preview of a drop return to earlier
/// schedules.
constexpr std::int64_t kGenerations = 16;

} // namespace

Evaluator::Evaluator(ProblemPtr problem, const Rules& rules)
    : m_problem(std::move(problem)), m_rules(rules), m_compiler(*m_problem, rules)
{
}

Evaluation Evaluator::evaluate(const Schedule& schedule)
{
    ++m_use;
    Evaluation out =
        walkSchedule(*m_problem, schedule, m_rules, [&](SubgraphId id, std::span<const TensorId> resident) {
            const SubgraphPtr& s = schedule.subgraphs[id.index()];
            const auto [begin, end] = m_known.equal_range(s.get());
            for (auto it = begin; it != end; ++it)
                if (std::ranges::equal(it->second.resident, resident)) {
                    it->second.lastUse = m_use;
                    return it->second.result;
                }
            ++m_computed;
            m_compiler.compile(s->ops, m_plan);
            const SubgraphEvaluation result =
                tilewright::evaluate(m_plan, s->granularity, s->traversal, resident, s->retain);
            m_known.emplace(s.get(), Known{s, {resident.begin(), resident.end()}, result, m_use});
            return result;
        });
    if (m_known.size() > 4 * schedule.size() + 64)
        std::erase_if(m_known,
                      [&](const auto& entry) { return entry.second.lastUse + kGenerations < m_use; });
    return out;
}

} // namespace tilewright
