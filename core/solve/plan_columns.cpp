// SPDX-License-Identifier: GPL-3.0-or-later
#include "solve/plan_columns.h"

#include <algorithm>

namespace tilewright {

namespace {

constexpr int kMostChanges = 5000; ///< of the basis: where numbers go round in circles there is no end

bool contains(const std::vector<TensorId>& list, TensorId t)
{
    return std::ranges::find(list, t) != list.end();
}

} // namespace

PlanColumns::PlanColumns(SubgraphPool& pool)
    : m_pool(pool), m_problem(pool.problem()), m_readsOf(m_problem.opCount()),
      m_readsFrom(m_problem.opCount()), m_ancestors(m_problem.opCount()),
      m_program(std::vector<double>(m_problem.opCount(), 1.0))
{
    const auto read = [&](OpId by, TensorId t, bool ofView) {
        const std::optional<OpId> from = m_problem.producer(t);
        const auto isSame = [&](std::size_t r) {
            return m_reads[r].tensor == t && m_reads[r].ofView == ofView;
        };
        if (!from || std::ranges::any_of(m_readsOf[by.index()], isSame))
            return;
        m_readsOf[by.index()].push_back(m_reads.size());
        m_readsFrom[from->index()].push_back(m_reads.size());
        m_reads.push_back({*from, by, t, ofView, m_program.addRow(0)});
        m_ancestors[by.index()] |= m_ancestors[from->index()];
    };
    for (const OpId o : m_problem.topologicalOrder()) {
        m_ancestors[o.index()].set(o.index());
        for (const TensorId t : m_problem.op(o).inputs) {
            read(o, t, false);
            for (const TensorId base : m_problem.bases(t))
                read(o, base, true);
        }
    }
}

/// Ops that have to run before the set, all of them.
PlanColumns::OpFlags PlanColumns::neededBy(const OpSet& set) const
{
    OpFlags out;
    for (const TensorId t : set.inputs)
        out |= m_ancestors[m_problem.producer(t)->index()];
    for (const TensorId t : set.bases)
        out |= m_ancestors[m_problem.producer(t)->index()];
    return out;
}

bool PlanColumns::handsOver(const PlanColumn& column) const
{
    if (column.retain == 0)
        return true;
    const OpSet& set = m_pool.set(column.set);
    const OpFlags needed = neededBy(set);
    return std::ranges::all_of(m_pool.retain(column.retain), [&](TensorId t) {
        return std::ranges::any_of(m_problem.consumers(t), [&](OpId o) { return !needed[o.index()]; });
    });
}

template <class F> void PlanColumns::forEachRow(const PlanColumn& column, F&& f) const
{
    const OpSet& set = m_pool.set(column.set);
    const std::vector<TensorId>& resident = m_pool.retain(column.resident);
    const std::vector<TensorId>& retain = m_pool.retain(column.retain);
    const OpFlags needed = neededBy(set);
    for (const OpId o : set.ops) {
        f(o.index(), 1.0);
        for (const std::size_t i : m_readsOf[o.index()]) {
            const Read& r = m_reads[i];
            if (r.ofView ? std::ranges::binary_search(set.bases, r.tensor)
                         : std::ranges::binary_search(set.inputs, r.tensor) && !contains(resident, r.tensor))
                f(r.row, -1.0);
        }
    }
    // Who has to run before the column cannot wait for what it stores.
    for (const TensorId t : set.sinks)
        if (!contains(retain, t))
            for (const std::size_t i : m_readsFrom[m_problem.producer(t)->index()])
                if (!needed[m_reads[i].by.index()])
                    f(m_reads[i].row, 1.0);
}

std::size_t PlanColumns::rowOf(RetainId list)
{
    const auto it = m_rowOfList.find(list);
    if (it != m_rowOfList.end())
        return it->second;
    m_lists.push_back(list);
    return m_rowOfList.emplace(list, m_program.addRow(0)).first->second;
}

bool PlanColumns::add(PlanColumn column)
{
    if (knows(column))
        return false;
    column.latency = m_pool.latency(column.set, column.resident, column.retain);
    if (!(column.latency < std::numeric_limits<double>::infinity()))
        return false;
    std::unordered_map<std::size_t, double> rows;
    forEachRow(column, [&](std::size_t row, double value) { rows[row] += value; });
    if (column.resident != 0)
        rows[rowOf(column.resident)] -= 1;
    if (column.retain != 0)
        rows[rowOf(column.retain)] += 1;
    std::vector<GrowingProgram::Entry> entries;
    for (const auto& [row, value] : rows)
        if (value != 0)
            entries.push_back({row, value});
    std::ranges::sort(entries, {}, &GrowingProgram::Entry::row);
    m_index.emplace(column, m_columns.size());
    m_columns.push_back(column);
    (void)m_program.add(column.latency, entries);
    return true;
}

void PlanColumns::add(const Plan& plan)
{
    std::unordered_map<std::size_t, double> rows;
    RetainId before = 0;
    for (const PlanEntry& e : plan.entries) {
        const PlanColumn column{e.set, before, e.retain, 0};
        add(column);
        add({e.set, 0, 0, 0});
        forEachRow(column, [&](std::size_t row, double value) { rows[row] += value; });
        before = e.retain;
    }
    for (Read& r : m_reads)
        if (const double sum = rows[r.row]; sum < r.atLeast) {
            r.atLeast = sum;
            m_program.setAtLeast(r.row, sum);
        }
}

void PlanColumns::startFrom(const PlanPrefix& prefix)
{
    for (std::size_t o = 0; o < m_problem.opCount(); ++o)
        m_program.setAtLeast(o, prefix.run[o] ? 0 : 1);
    for (const Read& r : m_reads)
        m_program.setAtLeast(r.row, prefix.stored[r.from.index()] ? -std::numeric_limits<double>::infinity()
                                                                  : r.atLeast);
    if (m_handed != 0)
        m_program.setAtLeast(rowOf(m_handed), 0);
    m_handed = prefix.resident;
    if (m_handed != 0)
        m_program.setAtLeast(rowOf(m_handed), -1);
}

PlanPrefix PlanColumns::extended(PlanPrefix prefix, const PlanColumn& column) const
{
    prefix.columns.push_back(column);
    for (const OpId o : m_pool.set(column.set).ops)
        prefix.run.set(o.index());
    prefix.stored |= stores(column);
    prefix.resident = column.retain;
    prefix.latency += column.latency;
    return prefix;
}

bool PlanColumns::solve()
{
    m_solution = m_program.solve(std::numeric_limits<double>::infinity(), kMostChanges);
    return m_solution.optimal;
}

double PlanColumns::listPrice(RetainId list) const
{
    const auto it = list == 0 ? m_rowOfList.end() : m_rowOfList.find(list);
    return it == m_rowOfList.end() || it->second >= m_solution.prices.size() ? 0
                                                                             : m_solution.prices[it->second];
}

double PlanColumns::price(const PlanColumn& column) const
{
    double sum = listPrice(column.retain) - listPrice(column.resident);
    forEachRow(column, [&](std::size_t row, double value) { sum += value * m_solution.prices[row]; });
    return sum;
}

double PlanColumns::rest(const OpFlags& run, const OpFlags& stored, RetainId resident) const
{
    double sum = -listPrice(resident);
    for (std::size_t o = 0; o < m_problem.opCount(); ++o)
        if (!run[o]) {
            sum += m_solution.prices[o];
            for (const std::size_t i : m_readsOf[o])
                if (stored[m_reads[i].from.index()])
                    sum -= m_solution.prices[m_reads[i].row];
        }
    return sum;
}

PlanColumns::OpFlags PlanColumns::reads(const PlanColumn& column) const
{
    const OpSet& set = m_pool.set(column.set);
    OpFlags out;
    for (const TensorId t : set.inputs)
        if (!contains(m_pool.retain(column.resident), t))
            out.set(m_problem.producer(t)->index());
    for (const TensorId t : set.bases)
        out.set(m_problem.producer(t)->index());
    return out;
}

PlanColumns::OpFlags PlanColumns::stores(const PlanColumn& column) const
{
    OpFlags out;
    for (const TensorId t : m_pool.set(column.set).sinks)
        if (!contains(m_pool.retain(column.retain), t))
            out.set(m_problem.producer(t)->index());
    return out;
}

} // namespace tilewright
