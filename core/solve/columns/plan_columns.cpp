// SPDX-License-Identifier: GPL-3.0-or-later
#include "solve/columns/plan_columns.h"

#include <algorithm>
#include <array>
#include <map>

namespace tilewright {

namespace {

constexpr double kLittle = 1e-6;
constexpr double kNoMatter = 100; ///< no column is taken so often
constexpr double kMissing = 0.01;
constexpr std::size_t kMostWays = 50; ///< added at once
constexpr int kWayRounds = 2;         ///< without asking for new columns in between
constexpr int kMostChanges = 5000;    ///< of the basis: where numbers go round in circles there is no end

} // namespace

PlanColumns::PlanColumns(SubgraphPool& pool, Repeats repeats, PlanFrame frame)
    : m_pool(pool), m_problem(pool.problem()), m_isLikely(repeats == Repeats::Likely),
      m_waysTo(m_problem.opCount()), m_waysFrom(m_problem.opCount()), m_ancestors(m_problem.opCount()),
      m_program(std::vector<double>(m_problem.opCount(), 1.0)), m_frame(std::move(frame)),
      m_handed(m_frame.before.resident), m_run(m_frame.before.run), m_stored(m_frame.before.stored)
{
    if (m_isLikely)
        for (; m_before < m_problem.opCount(); ++m_before)
            (void)m_program.add(0, std::vector<GrowingProgram::Entry>{{m_before, -1}});
    const auto read = [&](OpId by, TensorId t) {
        const std::optional<OpId> from = m_problem.producer(t);
        if (!from)
            return;
        if (!m_run[by.index()])
            addWay(*from, by, !m_isLikely);
        m_ancestors[by.index()] |= m_ancestors[from->index()];
    };
    for (const OpId o : m_problem.topologicalOrder()) {
        m_ancestors[o.index()].set(o.index());
        for (const TensorId t : m_problem.op(o).inputs) {
            read(o, t);
            for (const TensorId base : m_problem.bases(t))
                read(o, base);
        }
    }
    if (m_frame.residentAfter != 0)
        (void)rowOf(m_frame.residentAfter);
    setRightHandSides();
}

double PlanColumns::coefficient(std::size_t column, const Way& way) const
{
    return (m_storesOf[column][way.from.index()] && !m_neededBy[column][way.to.index()] ? 1 : 0) -
           (m_runs[column][way.to.index()] && m_readsOf[column][way.from.index()] ? 1 : 0);
}

void PlanColumns::addWay(OpId from, OpId to, bool eachTime)
{
    if (std::ranges::any_of(m_waysTo[to.index()], [&](std::size_t w) {
            return m_ways[w].from == from && m_ways[w].eachTime == eachTime;
        }))
        return;
    Way way{from, to, eachTime};
    std::vector<GrowingProgram::Share> shares;
    if (!eachTime)
        shares.push_back({to.index(), 1});
    for (std::size_t i = 0; i < m_columns.size(); ++i)
        if (const double value = coefficient(i, way); value != 0)
            shares.push_back({m_before + i, value});
    way.row = m_program.addRow(left(way, m_run, m_stored), shares);
    m_waysTo[to.index()].push_back(m_ways.size());
    m_waysFrom[from.index()].push_back(m_ways.size());
    m_ways.push_back(way);
}

double PlanColumns::left(const Way& way, const OpFlags& run, const OpFlags& stored) const
{
    const bool isStored = stored[way.from.index()];
    const bool hasRun = run[way.to.index()];
    if (m_frame.runAfter[way.to.index()])
        return m_frame.readAfter[way.from.index()] && !isStored && !hasRun ? 1 : -kNoMatter;
    if (!way.eachTime)
        return hasRun ? 0 : isStored ? -1 : way.atLeast;
    if (m_isLikely)
        return isStored || !hasRun ? -kNoMatter : way.atLeast;
    return way.atLeast - (isStored ? 1 : 0);
}

double PlanColumns::left(RetainId list, const Once& once, const OpFlags& stored, RetainId resident) const
{
    // What is stored is not stored again.
    const bool isStored = stored[once.op.index()];
    const double before = resident != list ? 0 : once.isGiver ? (isStored ? 1 : 0) : (isStored ? 0 : -1);
    return once.atLeast + before - (list == m_frame.residentAfter && once.isGiver ? 1 : 0);
}

double PlanColumns::left(RetainId list, RetainId resident) const
{
    return (list == m_frame.residentAfter ? 1 : 0) - (list == resident ? 1 : 0);
}

void PlanColumns::addOnce(RetainId list, Once once)
{
    std::vector<GrowingProgram::Share> shares;
    for (std::size_t i = 0; i < m_columns.size(); ++i)
        if (const double value = coefficient(m_columns[i], m_storesOf[i], list, once); value != 0)
            shares.push_back({m_before + i, value});
    once.row = m_program.addRow(left(list, once, m_stored, m_handed), shares);
    m_onces[list].push_back(once);
}

bool PlanColumns::addMissingOnces()
{
    /// Shares of the columns that give, or take, a list.
    struct Side
    {
        double all = 0;
        std::map<std::size_t, double> storing; ///< by op
    };
    std::map<RetainId, std::array<Side, 2>> lists; // takers, givers
    for (const std::size_t i : taken())
        for (const bool isGiver : {false, true}) {
            const RetainId list = isGiver ? m_columns[i].retain : m_columns[i].resident;
            if (list == 0)
                continue;
            Side& side = lists[list][isGiver ? 1 : 0];
            side.all += share(i);
            for (std::size_t o = 0; o < m_problem.opCount(); ++o)
                if (m_storesOf[i][o])
                    side.storing[o] += share(i);
        }
    struct Missing
    {
        double lacks;
        RetainId list;
        Once once;
    };
    std::vector<Missing> missing;
    for (const auto& [list, sides] : lists)
        for (const bool isGiver : {false, true}) {
            const Side& other = sides[isGiver ? 0 : 1];
            for (const auto& [o, storing] : sides[isGiver ? 1 : 0].storing) {
                const auto it = other.storing.find(o);
                const double without = other.all - (it == other.storing.end() ? 0 : it->second);
                const Once once{OpId(static_cast<std::uint32_t>(o)), isGiver};
                const double lacks = left(list, once, m_stored, m_handed) - without + storing;
                if (lacks > kMissing && !knows(list, once))
                    missing.push_back({lacks, list, once});
            }
        }
    std::ranges::stable_sort(missing, std::ranges::greater(), &Missing::lacks);
    for (std::size_t i = 0; i < std::min(missing.size(), kMostWays); ++i)
        addOnce(missing[i].list, missing[i].once);
    return !missing.empty();
}

bool PlanColumns::knows(RetainId list, const Once& once) const
{
    const auto it = m_onces.find(list);
    return it != m_onces.end() && std::ranges::any_of(it->second, [&](const Once& o) {
               return o.op == once.op && o.isGiver == once.isGiver;
           });
}

std::vector<std::size_t> PlanColumns::taken() const
{
    std::vector<std::size_t> out;
    for (std::size_t i = 0; i < m_columns.size(); ++i)
        if (share(i) > kLittle)
            out.push_back(i);
    return out;
}

bool PlanColumns::addMissingWays()
{
    const std::vector<std::size_t> taken = this->taken();
    struct Missing
    {
        double share;
        Way way;
    };
    std::vector<Missing> missing;
    std::vector<OpFlags> seen(m_problem.opCount());
    for (const std::size_t i : taken)
        for (const OpId to : m_pool.set(m_columns[i].set).ops) {
            OpFlags reads = m_readsOf[i] & ~m_stored & ~seen[to.index()];
            if (reads.none() || m_frame.runAfter[to.index()])
                continue;
            const bool eachTime = m_run[to.index()];
            seen[to.index()] |= reads;
            for (const std::size_t w : m_waysTo[to.index()])
                if (m_ways[w].eachTime == eachTime)
                    reads.reset(m_ways[w].from.index());
            for (std::size_t o = 0; o < m_problem.opCount(); ++o) {
                if (!reads[o])
                    continue;
                const Way way{OpId(static_cast<std::uint32_t>(o)), to, eachTime};
                double sum = eachTime ? 0 : m_solution.values[to.index()];
                for (const std::size_t j : taken)
                    sum += share(j) * coefficient(j, way);
                if (sum < -kMissing)
                    missing.push_back({sum, way});
            }
        }
    std::ranges::stable_sort(missing, {}, &Missing::share);
    for (std::size_t i = 0; i < std::min(missing.size(), kMostWays); ++i)
        addWay(missing[i].way.from, missing[i].way.to, missing[i].way.eachTime);
    return !missing.empty();
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
    const OpFlags needed = neededBy(set);
    const OpFlags read = readBy(m_pool, column);
    for (const OpId o : set.ops) {
        f(o.index(), 1.0);
        for (const std::size_t w : m_waysTo[o.index()])
            if (read[m_ways[w].from.index()])
                f(m_ways[w].row, -1.0);
    }
    // Who has to run before the column cannot wait for what it stores.
    const OpFlags stored = storedBy(m_pool, column);
    for (const TensorId t : set.sinks) {
        const std::size_t from = m_problem.producer(t)->index();
        if (stored[from])
            for (const std::size_t w : m_waysFrom[from])
                if (!needed[m_ways[w].to.index()])
                    f(m_ways[w].row, 1.0);
    }
    if (column.resident == 0 && column.retain == 0)
        return;
    for (const RetainId list : {column.resident, column.retain})
        if (const auto it = m_onces.find(list); it != m_onces.end())
            for (const Once& once : it->second)
                if (const double value = coefficient(column, stored, list, once); value != 0)
                    f(once.row, value);
}

double PlanColumns::coefficient(const PlanColumn& column, const OpFlags& stored, RetainId list,
                                const Once& once)
{
    const bool isStoring = stored[once.op.index()];
    const RetainId own = once.isGiver ? column.retain : column.resident;
    const RetainId other = once.isGiver ? column.resident : column.retain;
    return (other == list && !isStoring ? 1 : 0) - (own == list && isStoring ? 1 : 0);
}

std::size_t PlanColumns::rowOf(RetainId list)
{
    const auto it = m_rowOfList.find(list);
    if (it != m_rowOfList.end())
        return it->second;
    m_lists.push_back(list);
    return m_rowOfList.emplace(list, m_program.addRow(left(list, m_handed))).first->second;
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
    const OpSet& set = m_pool.set(column.set);
    m_runs.emplace_back();
    for (const OpId o : set.ops)
        m_runs.back().set(o.index());
    m_readsOf.push_back(readBy(m_pool, column));
    m_storesOf.push_back(storedBy(m_pool, column));
    m_neededBy.push_back(neededBy(set));
    (void)m_program.add(column.latency, entries);
    return true;
}

void PlanColumns::add(std::span<const PlanEntry> entries)
{
    std::unordered_map<std::size_t, double> rows;
    const PlanPrefix& start = m_frame.before;
    RetainId before = start.resident;
    for (const PlanEntry& e : entries) {
        const PlanColumn column{e.set, before, e.retain, 0};
        add(column);
        add({e.set, 0, 0, 0});
        forEachRow(column, [&](std::size_t row, double value) { rows[row] += value; });
        before = e.retain;
    }
    for (Way& w : m_ways) {
        const double needed = start.run[w.to.index()] || m_frame.runAfter[w.to.index()] ? 0 : 1;
        const double beyond = w.eachTime ? 0 : std::max(0.0, rows[w.to.index()] - needed);
        w.atLeast -= std::max(0.0, left(w, start.run, start.stored) - rows[w.row] - beyond);
    }
    for (auto& [list, onces] : m_onces)
        for (Once& o : onces)
            o.atLeast -= std::max(0.0, left(list, o, start.stored, start.resident) - rows[o.row]);
    setRightHandSides();
}

void PlanColumns::startFrom(const PlanPrefix& prefix)
{
    const RetainId before = m_handed;
    m_run = prefix.run;
    m_stored = prefix.stored;
    m_handed = prefix.resident;
    if (before != 0)
        m_program.setAtLeast(rowOf(before), left(before, m_handed));
    setRightHandSides();
}

void PlanColumns::setRightHandSides()
{
    for (std::size_t o = 0; o < m_problem.opCount(); ++o)
        m_program.setAtLeast(o, m_run[o] || m_frame.runAfter[o] ? 0 : 1);
    for (const Way& w : m_ways)
        m_program.setAtLeast(w.row, left(w, m_run, m_stored));
    for (const auto& [list, onces] : m_onces)
        for (const Once& o : onces)
            m_program.setAtLeast(o.row, left(list, o, m_stored, m_handed));
    if (m_handed != 0)
        m_program.setAtLeast(rowOf(m_handed), left(m_handed, m_handed));
}

bool PlanColumns::solve()
{
    for (int round = 0;; ++round) {
        m_solution = m_program.solve(std::numeric_limits<double>::infinity(), kMostChanges);
        if (!m_solution.optimal || round == kWayRounds)
            return m_solution.optimal;
        const bool isMissing = m_isLikely && addMissingWays();
        if (!addMissingOnces() && !isMissing)
            return true;
    }
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
    double sum = listPrice(m_frame.residentAfter) - listPrice(resident);
    for (const auto& [list, onces] : m_onces)
        for (const Once& o : onces)
            if (o.atLeast != 0 || list == resident || list == m_frame.residentAfter)
                sum += left(list, o, stored, resident) * m_solution.prices[o.row];
    for (std::size_t o = 0; o < m_problem.opCount(); ++o)
        if (!run[o]) {
            sum += m_frame.runAfter[o] ? 0 : m_solution.prices[o];
            for (const std::size_t w : m_waysTo[o])
                if (const double atLeast = left(m_ways[w], run, stored); atLeast != -kNoMatter)
                    sum += atLeast * m_solution.prices[m_ways[w].row];
        }
    return sum;
}

} // namespace tilewright
