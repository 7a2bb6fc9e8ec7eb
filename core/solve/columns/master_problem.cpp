// SPDX-License-Identifier: GPL-3.0-or-later
#include "solve/columns/master_problem.h"

#include <array>
#include <map>

namespace tilewright {

PlanState::OpFlags runBy(const SubgraphPool& pool, const PlannedSet& column)
{
    PlanState::OpFlags out;
    for (const OpId o : pool.set(column.set).ops)
        out.set(o.index());
    return out;
}

PlanState::OpFlags readBy(const SubgraphPool& pool, const PlannedSet& column)
{
    PlanState::OpFlags out;
    (void)allReads(pool, column, [&](TensorId t) {
        out.set(pool.problem().producer(t)->index());
        return true;
    });
    return out;
}

PlanState::OpFlags storedBy(const SubgraphPool& pool, const PlannedSet& column)
{
    PlanState::OpFlags out;
    forEachStored(pool, column, [&](TensorId t) { out.set(pool.problem().producer(t)->index()); });
    return out;
}

PlanPrefix extended(const SubgraphPool& pool, PlanPrefix prefix, const CostedSet& column)
{
    prefix.columns.push_back(column);
    prefix.run |= runBy(pool, column);
    prefix.stored |= storedBy(pool, column);
    prefix.resident = column.retain;
    prefix.latency += column.latency;
    return prefix;
}

FixedParts fixedAround(const SubgraphPool& pool, const Plan& plan, PlanStretch stretch)
{
    FixedParts out;
    const std::size_t end = stretch.first + stretch.count;
    for (std::size_t i = 0; i < stretch.first; ++i)
        out.before = extended(pool, std::move(out.before), plan.entries[i]);
    for (std::size_t i = end; i < plan.entries.size(); ++i) {
        const CostedSet& e = plan.entries[i];
        if (i == end)
            out.residentAfter = e.resident;
        out.readAfter |= readBy(pool, e) & ~out.storedAfter;
        out.storedAfter |= storedBy(pool, e);
        out.runAfter |= runBy(pool, e);
    }
    return out;
}

namespace {

constexpr double kMinValue = 1e-6; ///< minimum value of a column's variable that counts as non-zero
/// right-hand side that disables a row: its left-hand side is always larger
constexpr double kInactiveRow = -100;
constexpr double kViolated = 0.01;
constexpr std::size_t kMaxCuts = 50; ///< maximum number of cuts added at once
constexpr int kCutRounds = 2;        ///< maximum number of rounds of cuts in one call of solve()
constexpr int kMaxIterations = 5000; ///< limit on simplex iterations, since the simplex method may cycle

} // namespace

MasterProblem::MasterProblem(SubgraphPool& pool, Repeats repeats, FixedParts fixed)
    : m_pool(pool), m_problem(pool.problem()), m_isLikely(repeats == Repeats::Likely),
      m_deliveriesTo(m_problem.opCount()), m_deliveriesFrom(m_problem.opCount()),
      m_ancestors(m_problem.opCount()), m_program(std::vector<double>(m_problem.opCount(), 1.0)),
      m_fixed(std::move(fixed)), m_start(m_fixed.before)
{
    if (m_isLikely)
        for (; m_repeatColumns < m_problem.opCount(); ++m_repeatColumns)
            (void)m_program.add(0, std::vector<IncrementalLp::Entry>{{m_repeatColumns, -1}});
    const auto read = [&](OpId by, TensorId t) {
        const std::optional<OpId> from = m_problem.producer(t);
        if (!from)
            return;
        if (!m_start.run[by.index()])
            addDelivery(*from, by, !m_isLikely);
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
    if (m_fixed.residentAfter != 0)
        (void)rowOf(m_fixed.residentAfter);
    setRightHandSides();
}

double MasterProblem::coefficient(const Column& column, const DeliveryRow& delivery)
{
    return (column.stores[delivery.from.index()] && !column.needs[delivery.to.index()] ? 1 : 0) -
           (column.runs[delivery.to.index()] && column.reads[delivery.from.index()] ? 1 : 0);
}

double MasterProblem::coefficient(const PlannedSet& column, const OpFlags& stored, RetainId list,
                                  const StoreOnceRow& once)
{
    const bool isStoring = stored[once.op.index()];
    const RetainId own = once.isGiver ? column.retain : column.resident;
    const RetainId other = once.isGiver ? column.resident : column.retain;
    return (other == list && !isStoring ? 1 : 0) - (own == list && isStoring ? 1 : 0);
}

/// Adds a row with coefficients for the known columns (`coefficientOf`) and for other variables (`shares`).
template <class F>
std::size_t MasterProblem::addRow(double atLeast, F&& coefficientOf,
                                  std::vector<IncrementalLp::RowEntry> shares)
{
    for (std::size_t i = 0; i < m_columns.size(); ++i)
        if (const double value = coefficientOf(m_columns[i]); value != 0)
            shares.push_back({m_repeatColumns + i, value});
    return m_program.addRow(atLeast, shares);
}

void MasterProblem::addDelivery(OpId from, OpId to, bool eachTime)
{
    if (std::ranges::any_of(m_deliveriesTo[to.index()], [&](std::size_t d) {
            return m_deliveries[d].from == from && m_deliveries[d].eachTime == eachTime;
        }))
        return;
    DeliveryRow delivery{from, to, eachTime};
    std::vector<IncrementalLp::RowEntry> repeats;
    if (!eachTime)
        repeats.push_back({to.index(), 1});
    delivery.row = addRow(
        demand(delivery, m_start), [&](const Column& c) { return coefficient(c, delivery); },
        std::move(repeats));
    m_deliveriesTo[to.index()].push_back(m_deliveries.size());
    m_deliveriesFrom[from.index()].push_back(m_deliveries.size());
    m_deliveries.push_back(delivery);
}

double MasterProblem::demand(const DeliveryRow& delivery, const PlanState& state) const
{
    const bool isStored = state.stored[delivery.from.index()];
    const bool hasRun = state.run[delivery.to.index()];
    if (m_fixed.runAfter[delivery.to.index()])
        return m_fixed.readAfter[delivery.from.index()] && !isStored && !hasRun ? 1 : kInactiveRow;
    if (!delivery.eachTime)
        return hasRun ? 0 : isStored ? -1 : delivery.atLeast;
    if (m_isLikely)
        return isStored || !hasRun ? kInactiveRow : delivery.atLeast;
    return delivery.atLeast - (isStored ? 1 : 0);
}

double MasterProblem::demand(RetainId list, const StoreOnceRow& once, const PlanState& state) const
{
    // If the prefix has stored the result, it is not stored again.
    const bool isStored = state.stored[once.op.index()];
    const double before = state.resident != list ? 0
                          : once.isGiver         ? (isStored ? 1 : 0)
                                                 : (isStored ? 0 : -1);
    return once.atLeast + before - (list == m_fixed.residentAfter && once.isGiver ? 1 : 0);
}

double MasterProblem::demand(RetainId list, RetainId resident) const
{
    return (list == m_fixed.residentAfter ? 1 : 0) - (list == resident ? 1 : 0);
}

bool MasterProblem::addViolatedStoreOnces()
{
    /// Sums of the LP values of the columns that retain a list (givers), or of the columns at whose start the
    /// list is resident (takers).
    struct Side
    {
        double all = 0;
        /// For each op, the sum of the LP values of the columns that store its result.
        std::map<std::size_t, double> storing;
    };
    // for each list of tensors, the sums over its takers and the sums over its givers
    std::map<RetainId, std::array<Side, 2>> lists;
    for (const std::size_t i : usedColumns())
        for (const bool isGiver : {false, true}) {
            const RetainId list = isGiver ? m_columns[i].retain : m_columns[i].resident;
            if (list == 0)
                continue;
            Side& side = lists[list][isGiver ? 1 : 0];
            side.all += valueOf(i);
            for (std::size_t o = 0; o < m_problem.opCount(); ++o)
                if (m_columns[i].stores[o])
                    side.storing[o] += valueOf(i);
        }
    struct Violated
    {
        double lacks;
        RetainId list;
        StoreOnceRow once;
    };
    std::vector<Violated> violated;
    for (const auto& [list, sides] : lists)
        for (const bool isGiver : {false, true}) {
            const Side& other = sides[isGiver ? 0 : 1];
            for (const auto& [o, storing] : sides[isGiver ? 1 : 0].storing) {
                const auto it = other.storing.find(o);
                const double without = other.all - (it == other.storing.end() ? 0 : it->second);
                const StoreOnceRow once{OpId(static_cast<std::uint32_t>(o)), isGiver};
                const double lacks = demand(list, once, m_start) - without + storing;
                if (lacks > kViolated && !knows(list, once))
                    violated.push_back({lacks, list, once});
            }
        }
    std::ranges::stable_sort(violated, std::ranges::greater(), &Violated::lacks);
    for (std::size_t i = 0; i < std::min(violated.size(), kMaxCuts); ++i) {
        StoreOnceRow& once = violated[i].once;
        const RetainId list = violated[i].list;
        once.row = addRow(demand(list, once, m_start),
                          [&](const Column& c) { return coefficient(c, c.stores, list, once); });
        m_storeOnceRows[list].push_back(once);
    }
    return !violated.empty();
}

bool MasterProblem::knows(RetainId list, const StoreOnceRow& once) const
{
    const auto it = m_storeOnceRows.find(list);
    return it != m_storeOnceRows.end() && std::ranges::any_of(it->second, [&](const StoreOnceRow& o) {
               return o.op == once.op && o.isGiver == once.isGiver;
           });
}

std::vector<std::size_t> MasterProblem::usedColumns() const
{
    std::vector<std::size_t> out;
    for (std::size_t i = 0; i < m_columns.size(); ++i)
        if (valueOf(i) > kMinValue)
            out.push_back(i);
    return out;
}

bool MasterProblem::addViolatedDeliveries()
{
    const std::vector<std::size_t> used = usedColumns();
    struct Violated
    {
        double sum;
        DeliveryRow delivery;
    };
    std::vector<Violated> violated;
    std::vector<OpFlags> seen(m_problem.opCount());
    for (const std::size_t i : used)
        for (const OpId to : m_pool.set(m_columns[i].set).ops) {
            OpFlags reads = m_columns[i].reads & ~m_start.stored & ~seen[to.index()];
            if (reads.none() || m_fixed.runAfter[to.index()])
                continue;
            const bool eachTime = m_start.run[to.index()];
            seen[to.index()] |= reads;
            for (const std::size_t d : m_deliveriesTo[to.index()])
                if (m_deliveries[d].eachTime == eachTime)
                    reads.reset(m_deliveries[d].from.index());
            for (std::size_t o = 0; o < m_problem.opCount(); ++o) {
                if (!reads[o])
                    continue;
                const DeliveryRow delivery{OpId(static_cast<std::uint32_t>(o)), to, eachTime};
                double sum = eachTime ? 0 : m_solution.values[to.index()];
                for (const std::size_t j : used)
                    sum += valueOf(j) * coefficient(m_columns[j], delivery);
                if (sum < -kViolated)
                    violated.push_back({sum, delivery});
            }
        }
    std::ranges::stable_sort(violated, {}, &Violated::sum);
    for (std::size_t i = 0; i < std::min(violated.size(), kMaxCuts); ++i)
        addDelivery(violated[i].delivery.from, violated[i].delivery.to, violated[i].delivery.eachTime);
    return !violated.empty();
}

MasterProblem::OpFlags MasterProblem::neededBy(const OpSet& set) const
{
    OpFlags out;
    for (const auto* tensors : {&set.inputs, &set.bases})
        for (const TensorId t : *tensors)
            out |= m_ancestors[m_problem.producer(t)->index()];
    return out;
}

bool MasterProblem::canHandOver(const PlannedSet& column) const
{
    if (column.retain == 0)
        return true;
    const OpFlags needed = neededBy(m_pool.set(column.set));
    return std::ranges::all_of(m_pool.retain(column.retain), [&](TensorId t) {
        return std::ranges::any_of(m_problem.consumers(t), [&](OpId o) { return !needed[o.index()]; });
    });
}

/// Calls f(row, coefficient) for the column's coefficients in all rows except list rows. The same row may be
/// passed more than once.
template <class F> void MasterProblem::forEachRow(const PlannedSet& column, F&& f) const
{
    const OpSet& set = m_pool.set(column.set);
    const OpFlags needed = neededBy(set);
    const OpFlags read = readBy(m_pool, column);
    for (const OpId o : set.ops) {
        f(o.index(), 1.0);
        for (const std::size_t d : m_deliveriesTo[o.index()])
            if (read[m_deliveries[d].from.index()])
                f(m_deliveries[d].row, -1.0);
    }
    // Results stored by the column do not count as delivered to ops that have to run before the column.
    const OpFlags stored = storedBy(m_pool, column);
    for (const TensorId t : set.sinks) {
        const std::size_t from = m_problem.producer(t)->index();
        if (stored[from])
            for (const std::size_t d : m_deliveriesFrom[from])
                if (!needed[m_deliveries[d].to.index()])
                    f(m_deliveries[d].row, 1.0);
    }
    if (column.resident == 0 && column.retain == 0)
        return;
    for (const RetainId list : {column.resident, column.retain})
        if (const auto it = m_storeOnceRows.find(list); it != m_storeOnceRows.end())
            for (const StoreOnceRow& once : it->second)
                if (const double value = coefficient(column, stored, list, once); value != 0)
                    f(once.row, value);
}

std::size_t MasterProblem::rowOf(RetainId list)
{
    const auto it = m_rowOfList.find(list);
    if (it != m_rowOfList.end())
        return it->second;
    m_lists.push_back(list);
    return m_rowOfList.emplace(list, m_program.addRow(demand(list, m_start.resident))).first->second;
}

bool MasterProblem::add(const PlannedSet& column)
{
    if (knows(column))
        return false;
    const double latency = m_pool.latency(column);
    if (!(latency < std::numeric_limits<double>::infinity()))
        return false;
    std::map<std::size_t, double> rows;
    forEachRow(column, [&](std::size_t row, double value) { rows[row] += value; });
    if (column.resident != 0)
        rows[rowOf(column.resident)] -= 1;
    if (column.retain != 0)
        rows[rowOf(column.retain)] += 1;
    std::vector<IncrementalLp::Entry> entries;
    for (const auto& [row, value] : rows)
        if (value != 0)
            entries.push_back({row, value});
    m_known.insert(column);
    m_columns.push_back({{column, latency},
                         runBy(m_pool, column),
                         readBy(m_pool, column),
                         storedBy(m_pool, column),
                         neededBy(m_pool.set(column.set))});
    (void)m_program.add(latency, entries);
    return true;
}

void MasterProblem::addPlan(std::span<const CostedSet> entries)
{
    std::unordered_map<std::size_t, double> rows;
    for (const CostedSet& e : entries) {
        add(e);
        add({e.set});
        forEachRow(e, [&](std::size_t row, double value) { rows[row] += value; });
    }
    const PlanState& start = m_fixed.before;
    for (DeliveryRow& d : m_deliveries) {
        const double needed = start.run[d.to.index()] || m_fixed.runAfter[d.to.index()] ? 0 : 1;
        const double beyond = d.eachTime ? 0 : std::max(0.0, rows[d.to.index()] - needed);
        d.atLeast -= std::max(0.0, demand(d, start) - rows[d.row] - beyond);
    }
    for (auto& [list, onces] : m_storeOnceRows)
        for (StoreOnceRow& o : onces)
            o.atLeast -= std::max(0.0, demand(list, o, start) - rows[o.row]);
    setRightHandSides();
}

void MasterProblem::startFrom(const PlanPrefix& prefix)
{
    const RetainId before = m_start.resident;
    m_start = prefix;
    if (before != 0)
        m_program.setAtLeast(rowOf(before), demand(before, m_start.resident));
    setRightHandSides();
}

void MasterProblem::setRightHandSides()
{
    for (std::size_t o = 0; o < m_problem.opCount(); ++o)
        m_program.setAtLeast(o, m_start.run[o] || m_fixed.runAfter[o] ? 0 : 1);
    for (const DeliveryRow& d : m_deliveries)
        m_program.setAtLeast(d.row, demand(d, m_start));
    for (const auto& [list, onces] : m_storeOnceRows)
        for (const StoreOnceRow& o : onces)
            m_program.setAtLeast(o.row, demand(list, o, m_start));
    if (const RetainId list = m_start.resident; list != 0)
        m_program.setAtLeast(rowOf(list), demand(list, list));
}

bool MasterProblem::solve()
{
    for (int round = 0;; ++round) {
        m_solution = m_program.solve(std::numeric_limits<double>::infinity(), kMaxIterations);
        if (!m_solution.optimal || round == kCutRounds)
            return m_solution.optimal;
        const bool isViolated = m_isLikely && addViolatedDeliveries();
        if (!addViolatedStoreOnces() && !isViolated)
            return true;
    }
}

double MasterProblem::listPrice(RetainId list) const
{
    const auto it = list == 0 ? m_rowOfList.end() : m_rowOfList.find(list);
    return it == m_rowOfList.end() || it->second >= m_solution.prices.size() ? 0
                                                                             : m_solution.prices[it->second];
}

double MasterProblem::price(const PlannedSet& column) const
{
    double sum = listPrice(column.retain) - listPrice(column.resident);
    forEachRow(column, [&](std::size_t row, double value) { sum += value * m_solution.prices[row]; });
    return sum;
}

double MasterProblem::priceOfRest(const PlanState& state) const
{
    double sum = listPrice(m_fixed.residentAfter) - listPrice(state.resident);
    for (const auto& [list, onces] : m_storeOnceRows)
        for (const StoreOnceRow& o : onces)
            if (o.atLeast != 0 || list == state.resident || list == m_fixed.residentAfter)
                sum += demand(list, o, state) * m_solution.prices[o.row];
    for (std::size_t o = 0; o < m_problem.opCount(); ++o)
        if (!state.run[o]) {
            sum += m_fixed.runAfter[o] ? 0 : m_solution.prices[o];
            for (const std::size_t d : m_deliveriesTo[o])
                if (const double atLeast = demand(m_deliveries[d], state); atLeast != kInactiveRow)
                    sum += atLeast * m_solution.prices[m_deliveries[d].row];
        }
    return sum;
}

} // namespace tilewright
