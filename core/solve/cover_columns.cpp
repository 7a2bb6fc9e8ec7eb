// SPDX-License-Identifier: GPL-3.0-or-later
#include "solve/cover_columns.h"

#include <algorithm>
#include <limits>
#include <span>

namespace tilewright {

namespace {

bool has(const std::vector<TensorId>& list, TensorId t)
{
    return std::ranges::find(list, t) != list.end();
}

std::uint64_t key(TensorId t, OpId reader)
{
    return std::uint64_t{t.value} << 32 | reader.value;
}

} // namespace

CoverColumns::CoverColumns(const Problem& problem, const Rules& rules, const std::vector<OpId>& ops,
                           std::vector<CostModel>& models)
    : m_problem(problem), m_rules(rules), m_models(models),
      m_keepsInputs(rules.retainInputs == Rules::RetainInputs::Allow), m_isHere(problem.opCount(), 0),
      m_runs(problem.opCount(), 0), m_written(problem.tensorCount()), m_handed(problem.tensorCount())
{
    for (const OpId o : ops)
        m_isHere[o.index()] = 1;
    addRows(ops);
}

std::optional<std::size_t> CoverColumns::reaches(TensorId t, OpId reader) const
{
    const auto it = m_reaches.find(key(t, reader));
    return it == m_reaches.end() ? std::nullopt : std::optional(it->second);
}

bool CoverColumns::mayStay(TensorId t) const
{
    const bool room = m_problem.tensor(t).elements() + (m_keepsInputs || m_rules.donation ? 0 : 1) <=
                      m_problem.hardware().fastMemoryCapacity;
    return room && !m_problem.isView(t) && (m_problem.producer(t) || m_keepsInputs);
}

void CoverColumns::addRows(const std::vector<OpId>& ops)
{
    const auto add = [&](OpId o, double atLeast) {
        m_demands.push_back(atLeast);
        m_rowOp.push_back(o);
        return m_demands.size() - 1;
    };
    for (const OpId o : ops) {
        m_runs[o.index()] = add(o, 1);
        const TensorId t = m_problem.op(o).output;
        if (m_problem.isGraphOutput(t) || !m_problem.viewsOf(t).empty())
            m_written[t.index()] = add(o, 1);
        for (const OpId c : m_problem.consumers(t))
            m_reaches.emplace(key(t, c), add(o, 1));
        if (mayStay(t) && !m_keepsInputs && !m_problem.consumers(t).empty())
            m_handed[t.index()] = add(o, 0);
    }
}

std::vector<Achieved> CoverColumns::achievedBy(const Column& column) const
{
    std::vector<Achieved> out;
    const auto isInside = [&](OpId o) { return std::ranges::find(column.ops, o) != column.ops.end(); };
    const auto achieves = [&](Row row, double amount) { out.push_back({row, amount}); };
    const auto reach = [&](TensorId t, OpId reader) {
        if (const auto row = reaches(t, reader))
            achieves(*row, 1);
    };
    for (const OpId o : column.ops) {
        achieves(m_runs[o.index()], 1);
        const TensorId t = m_problem.op(o).output;
        const auto consumers = m_problem.consumers(t);
        const bool kept = has(column.stayOut, t);
        // Retained it is not written (R3.3), but where it may be kept on it may be later.
        const bool exposed = kept ? m_keepsInputs : std::ranges::none_of(consumers, isInside);
        if (exposed && m_written[t.index()])
            achieves(*m_written[t.index()], 1);
        for (const OpId c : consumers)
            if (exposed || isInside(c) || (kept && !covers(c)))
                reach(t, c);
        if (kept && m_handed[t.index()])
            achieves(*m_handed[t.index()], 1);
        std::vector<TensorId> inputs(m_problem.op(o).inputs);
        std::ranges::sort(inputs);
        inputs.erase(std::unique(inputs.begin(), inputs.end()), inputs.end());
        for (const TensorId input : inputs)
            if (has(column.stayIn, input))
                reach(input, o);
    }
    for (const TensorId t : column.stayIn)
        if (m_handed[t.index()])
            achieves(*m_handed[t.index()], -1);
    return out;
}

std::optional<CoverColumns::Column> CoverColumns::subgraph(const std::vector<OpId>& ops,
                                                           const std::vector<TensorId>& stayIn,
                                                           const std::vector<TensorId>& stayOut,
                                                           std::size_t thread)
{
    CostModel& model = m_models[thread];
    if (!model.compile(ops, {.resident = stayIn, .retained = stayOut}))
        return std::nullopt;
    std::int64_t stays = 0;
    for (const std::vector<TensorId>* list : {&stayIn, &stayOut})
        for (const TensorId t : *list)
            stays += m_problem.tensor(t).elements();
    Column out{.ops = ops, .stayIn = stayIn, .stayOut = stayOut, .achieves = {}};
    out.least = stays <= m_problem.hardware().fastMemoryCapacity ? model.leastOfAnyOrder()
                                                                 : std::numeric_limits<double>::infinity();
    out.achieves = achievedBy(out);
    return out;
}

void CoverColumns::sharpen(Column& column, std::size_t thread)
{
    column.sharp = true;
    CostModel& model = m_models[thread];
    if (model.compile(column.ops, {.resident = column.stayIn, .retained = column.stayOut}))
        column.least = std::max(column.least, model.leastByDepth());
}

} // namespace tilewright
