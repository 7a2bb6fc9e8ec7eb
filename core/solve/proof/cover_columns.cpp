// SPDX-License-Identifier: GPL-3.0-or-later
#include "solve/proof/cover_columns.h"

#include "solve/cost/structure.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <map>
#include <tuple>
#include <utility>

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
                           std::vector<std::uint32_t> classes, std::vector<CostModel>& models)
    : m_problem(problem), m_rules(rules), m_models(models),
      m_keepsInputs(rules.retainInputs == Rules::RetainInputs::Allow), m_isHere(problem.opCount(), 0),
      m_classes(std::move(classes)), m_runs(problem.opCount(), 0), m_written(problem.tensorCount()),
      m_handed(problem.tensorCount())
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
    enum class Kind : std::uint8_t { Runs, Written, Reaches, Handed };
    std::map<std::tuple<Kind, std::uint32_t, std::uint32_t>, Row> rows;
    const auto classOf = [this](OpId o) { return m_classes.empty() ? o.value : m_classes[o.index()]; };
    const auto add = [&](Kind kind, OpId o, OpId reader, double atLeast) {
        const auto [it, isNew] = rows.try_emplace({kind, classOf(o), classOf(reader)}, m_demands.size());
        if (isNew) {
            m_demands.push_back(0);
            m_rowOps.emplace_back();
        }
        m_demands[it->second] += atLeast;
        m_rowOps[it->second].push_back(o);
        return it->second;
    };
    for (const OpId o : ops) {
        m_runs[o.index()] = add(Kind::Runs, o, o, 1);
        const TensorId t = m_problem.op(o).output;
        if (m_problem.isGraphOutput(t) || !m_problem.viewsOf(t).empty())
            m_written[t.index()] = add(Kind::Written, o, o, 1);
        for (const OpId c : m_problem.consumers(t))
            m_reaches.emplace(key(t, c), add(Kind::Reaches, o, c, 1));
        if (mayStay(t) && !m_keepsInputs && !m_problem.consumers(t).empty())
            m_handed[t.index()] = add(Kind::Handed, o, o, 0);
    }
}

std::vector<Achieved> CoverColumns::achievedBy(const std::vector<OpId>& ops,
                                               const std::vector<TensorId>& stayIn,
                                               const std::vector<TensorId>& stayOut) const
{
    std::vector<Achieved> out;
    const auto isInside = [&](OpId o) { return std::ranges::find(ops, o) != ops.end(); };
    const auto achieves = [&](Row row, double amount) { out.push_back({row, amount}); };
    const auto reach = [&](TensorId t, OpId reader) {
        if (const auto row = reaches(t, reader))
            achieves(*row, 1);
    };
    for (const OpId o : ops) {
        achieves(m_runs[o.index()], 1);
        const TensorId t = m_problem.op(o).output;
        const auto consumers = m_problem.consumers(t);
        const bool kept = has(stayOut, t);
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
            if (has(stayIn, input))
                reach(input, o);
    }
    for (const TensorId t : stayIn)
        if (m_handed[t.index()])
            achieves(*m_handed[t.index()], -1);
    // Of ops that look alike the rows are the same.
    std::ranges::stable_sort(out, {}, &Achieved::row);
    std::size_t count = 0;
    for (const Achieved& a : out)
        if (count > 0 && out[count - 1].row == a.row)
            out[count - 1].amount += a.amount;
        else
            out[count++] = a;
    out.resize(count);
    std::erase_if(out, [](const Achieved& a) { return a.amount == 0; });
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
    out.achieves = achievedBy(ops, stayIn, stayOut);
    return out;
}

Digest CoverColumns::keyOf(const std::vector<OpId>& ops, const std::vector<TensorId>& stayIn,
                           const std::vector<TensorId>& stayOut) const
{
    if (m_classes.empty()) {
        Digest d;
        for (const OpId o : ops)
            d.add(o.value);
        for (const auto* list : {&stayIn, &stayOut}) {
            d.add(std::numeric_limits<std::uint64_t>::max());
            for (const TensorId t : *list)
                d.add(t.value);
        }
        return d;
    }
    Digest d = structureOf(m_problem, ops, [&](Digest& of, TensorId t) {
        of.add((has(stayIn, t) ? 1U : 0U) | (has(stayOut, t) ? 2U : 0U));
    });
    for (const Achieved& a : achievedBy(ops, stayIn, stayOut)) {
        d.add(a.row);
        d.add(std::bit_cast<std::uint64_t>(a.amount));
    }
    return d;
}

void CoverColumns::sharpen(Column& column, std::size_t thread)
{
    column.sharp = true;
    CostModel& model = m_models[thread];
    if (model.compile(column.ops, {.resident = column.stayIn, .retained = column.stayOut}))
        column.least = std::max(column.least, model.leastByDepth());
}

} // namespace tilewright
