// SPDX-License-Identifier: GPL-3.0-or-later
#include "solve/proof/proof_columns.h"

#include "eval/lower_bound.h"
#include "solve/proof/connected_sets.h"
#include "solve/proof/parallel_for.h"

#include <algorithm>
#include <bit>

namespace tilewright {

namespace {

/// Maximum number of overpriced parts into which one column is split.
constexpr std::size_t kMaxOverpricedParts = 4;
constexpr std::size_t kActivatedPerRound = 150;
constexpr double kInfinite = std::numeric_limits<double>::infinity();

} // namespace

ProofColumns::ProofColumns(const ProofGraph& graph, const Rules& rules, double upperBound,
                           const Limits& limits)
    : DualPricer(graph.problem, MasterRows(graph.problem, rules, graph.ops),
                 {.threads = limits.threads,
                  .activatedPerRound = kActivatedPerRound,
                  .converged = 1e-9,
                  .goal = upperBound,
                  .secondsLeft = limits.secondsLeft}),
      m_graph(graph), m_mostColumns(limits.columns),
      m_models(limits.threads, CostModel(graph.problem, rules)), m_reaches(graph.size()),
      m_delivers(graph.size())
{
    setUnit(upperBound);
    for (std::size_t i = 0; i < graph.size(); ++i) {
        const TensorId t = graph.output(i);
        m_mayBeResident |= rows().mayBeResident(t) ? ProofGraph::bit(i) : 0;
        m_runs.push_back(rows().runs(graph.ops[i]));
        m_written.push_back(rows().written(t).value_or(kNoRow));
        m_handedOver.push_back(rows().handedOver(t).value_or(kNoRow));
        forEachBit(graph.inputs[i], [&](std::size_t input) {
            m_reaches[i].push_back(*rows().reaches(graph.output(input), graph.ops[i]));
            m_delivers[input].push_back(m_reaches[i].back());
        });
    }
}

template <class Work> bool ProofColumns::forAll(std::size_t count, const Work& work) const
{
    return forAllInThreads(
        m_models.size(), count, [this](std::size_t) { return settings().secondsLeft() > 0; }, work);
}

template <class Visit> void ProofColumns::forEachAchieved(const ProofColumn& c, Visit&& visit) const
{
    const OpMask exposed = m_graph.sinksOf(c.ops) & ~c.retained;
    const OpMask there = c.ops | c.resident | c.openResident;
    forEachBit(c.ops, [&](std::size_t i) {
        visit(m_runs[i], 1.0);
        // An exposed result reaches all readers outside the set. Readers inside the set get it in any case.
        if ((exposed & ProofGraph::bit(i)) != 0) {
            if (m_written[i] != kNoRow)
                visit(m_written[i], 1.0);
            for (const std::size_t row : m_delivers[i])
                visit(row, 1.0);
        }
        if (m_handedOver[i] != kNoRow && ((c.retained | c.openRetained) & ProofGraph::bit(i)) != 0)
            visit(m_handedOver[i], 1.0);
        std::size_t at = 0;
        forEachBit(m_graph.inputs[i], [&](std::size_t input) {
            const std::size_t row = m_reaches[i][at++];
            if ((there & ProofGraph::bit(input)) != 0)
                visit(row, 1.0);
        });
    });
    forEachBit(c.resident, [&](std::size_t i) {
        if (m_handedOver[i] != kNoRow)
            visit(m_handedOver[i], -1.0);
    });
}

std::vector<DualPricer::Entry> ProofColumns::entriesOf(const ProofColumn& column) const
{
    std::vector<Entry> out;
    forEachAchieved(column, [&](std::size_t row, double amount) { out.push_back({row, amount}); });
    return out;
}

Slack ProofColumns::reducedCostOf(const ProofColumn& column, const Prices& prices) const
{
    Slack out(column.least);
    forEachAchieved(column, [&](std::size_t row, double amount) { out.subtract(amount * prices[row]); });
    return out;
}

bool ProofColumns::computeBound(ProofColumn& c, CostModel& model, bool sharp) const
{
    if (m_graph.elementsOf(c.resident | c.retained) > m_graph.problem.hardware().fastMemoryCapacity)
        return false;
    const std::vector<OpId> ops = m_graph.opsOf(c.ops);
    const std::vector<TensorId> resident = m_graph.outputsOf(c.resident);
    const std::vector<TensorId> retained = m_graph.outputsOf(c.retained);
    const std::vector<TensorId> free = m_graph.outputsOf(c.openResident | c.openRetained);
    const bool known = model.compile(ops, {.resident = resident, .retained = retained, .free = free});
    c.least = std::max(c.least, !known ? 0 : sharp ? model.anyOrderBoundByDepth() : model.anyOrderBound());
    c.sharp = sharp;
    c.exact = false;
    c.program = kInactive;
    if (c.least == kInfinite)
        return false;
    c.reduced = reducedCostOf(c, prices()).value();
    return true;
}

/// Decides the largest undecided tensor, which has the most influence on memory use and traffic.
ProofColumns::Parts ProofColumns::split(const ProofColumn& column, CostModel& model) const
{
    OpMask choice = 0;
    bool isResident = false;
    std::int64_t largest = -1;
    const auto look = [&](OpMask open, bool resident) {
        forEachBit(open, [&](std::size_t i) {
            if (const std::int64_t size = m_graph.problem.tensor(m_graph.output(i)).elements();
                size > largest) {
                largest = size;
                choice = ProofGraph::bit(i);
                isResident = resident;
            }
        });
    };
    look(column.openResident, true);
    look(column.openRetained, false);
    Parts out;
    for (const bool stays : {false, true}) {
        ProofColumn& child = out.part[out.count];
        child = column;
        (isResident ? child.openResident : child.openRetained) &= ~choice;
        if (stays)
            (isResident ? child.resident : child.retained) |= choice;
        if (computeBound(child, model) && !isTooExpensive(child))
            ++out.count;
    }
    return out;
}

bool ProofColumns::list(const Rules& rules)
{
    constexpr std::size_t kPolledEvery = 4096;
    std::vector<OpMask> sets;
    for (const std::vector<OpId>& ops : componentsOf(m_graph.problem, rules)) {
        const auto add = [&](std::uint64_t local) {
            OpMask set = 0;
            forEachBit(local,
                       [&](std::size_t i) { set |= m_graph.producerOf(m_graph.problem.op(ops[i]).output); });
            sets.push_back(set);
            return sets.size() <= m_mostColumns &&
                   (sets.size() % kPolledEvery != 0 || settings().secondsLeft() > 0);
        };
        if (!forEachConnectedSet(m_graph.problem, rules, ops, add))
            return false;
    }
    m_columns.resize(sets.size());
    const double available = settings().secondsLeft();
    const auto isInTime = [&](std::size_t done) {
        // The time is estimated after an eighth of the sets has been processed.
        constexpr std::size_t kEstimateFrom = 8;
        // factor by which the estimate may exceed the time limit, since the first sets are larger than the
        // average
        constexpr double kEstimateTolerance = 1.3;
        const double left = settings().secondsLeft();
        return left > 0 && (done * kEstimateFrom <= sets.size() ||
                            (available - left) * static_cast<double>(sets.size()) <=
                                kEstimateTolerance * available * static_cast<double>(done));
    };
    const bool all =
        forAllInThreads(m_models.size(), sets.size(), isInTime, [&](std::size_t thread, std::size_t i) {
            ProofColumn& c = m_columns[i];
            c.ops = sets[i];
            c.openResident = m_graph.neededBy(c.ops) & m_mayBeResident;
            c.openRetained = c.ops & m_mayBeResident;
            if (!computeBound(c, m_models[thread]))
                c.least = c.reduced = kInfinite;
        });
    if (!all)
        return false;
    removeTooExpensive();
    OverpricedList small; // small sets, which are active from the start so that each op has a price
    for (std::size_t i = 0; i < m_columns.size(); ++i)
        if (std::popcount(m_columns[i].ops) <= 2)
            small.push_back({i, 0});
    activate(small, {});
    return true;
}

void ProofColumns::deactivate(ProofColumn& column)
{
    if (column.program != kInactive)
        setProgramCost(column.program, kInfinite);
    column.program = kInactive;
}

void ProofColumns::removeTooExpensive()
{
    std::erase_if(m_columns, [this](ProofColumn& c) {
        if (!isTooExpensive(c))
            return false;
        deactivate(c);
        return true;
    });
}

std::vector<ProofColumns::Split> ProofColumns::splitOverpriced(const ProofColumn& column,
                                                               const Prices& prices, CostModel& model) const
{
    std::vector<Split> out;
    std::vector<ProofColumn> todo{column};
    std::size_t count = 0; // number of overpriced parts
    const auto reducedOf = [&](const ProofColumn& c) { return reducedCostOf(c, prices).value(); };
    while (!todo.empty()) {
        ProofColumn c = todo.back();
        todo.pop_back();
        const auto isOver = [&] {
            return count < kMaxOverpricedParts &&
                   (prices.empty() ? count == 0 : reducedOf(c) < -kTolerance * c.least);
        };
        bool over = isOver();
        const bool isFirst = c.openResident == column.openResident && c.openRetained == column.openRetained;
        // the tighter bound takes too long for partly decided columns
        if (over && !c.sharp && (c.decided() || isFirst)) {
            if (!computeBound(c, model, true))
                continue;
            over = isOver();
        }
        if (!over || c.decided()) {
            count += over ? 1 : 0;
            out.push_back({c, over});
            continue;
        }
        Parts parts = split(c, model);
        // The more overpriced part is handled first. If there are no prices yet, the part in which the tensor
        // is not in fast memory is handled first.
        if (parts.count == 2 && (prices.empty() || reducedOf(parts.part[0]) < reducedOf(parts.part[1])))
            std::swap(parts.part[0], parts.part[1]);
        todo.insert(todo.end(), parts.part.begin(),
                    parts.part.begin() + static_cast<std::ptrdiff_t>(parts.count));
    }
    return out;
}

void ProofColumns::activate(const OverpricedList& list, const Prices& prices)
{
    std::vector<std::vector<Split>> splits(list.size());
    (void)forAllInThreads(
        m_models.size(), list.size(), [](std::size_t) { return true; },
        [&](std::size_t thread, std::size_t i) {
            splits[i] = splitOverpriced(m_columns[list[i].column], prices, m_models[thread]);
        });
    for (std::size_t i = 0; i < list.size(); ++i) {
        ProofColumn& whole = m_columns[list[i].column];
        deactivate(whole);
        // The column is replaced by its parts, so it gets an infinite cost.
        whole.least = whole.reduced = kInfinite;
        for (Split& s : splits[i]) {
            if (s.isOverpriced)
                s.column.program =
                    addToProgram(s.column.least, entriesOf(s.column), m_graph.opsOf(s.column.ops));
            m_columns.push_back(s.column);
        }
    }
    std::erase_if(m_columns, [](const ProofColumn& c) { return c.least == kInfinite; });
}

void ProofColumns::adopted(const std::vector<double>& reduced)
{
    for (std::size_t i = 0; i < reduced.size(); ++i)
        m_columns[i].reduced = reduced[i];
    removeTooExpensive();
    if (m_onBound)
        m_onBound();
}

bool ProofColumns::decideAll()
{
    constexpr std::size_t kAtOnce = 1 << 14;
    std::vector<ProofColumn> decided;
    std::vector<ProofColumn> todo(std::move(m_columns));
    m_columns.clear();
    bool all = true;
    while (!todo.empty() && all) {
        std::vector<ProofColumn> open;
        for (; !todo.empty() && open.size() < kAtOnce; todo.pop_back())
            (todo.back().decided() ? decided : open).push_back(todo.back());
        std::vector<Parts> parts(open.size());
        all = todo.size() + decided.size() < m_mostColumns &&
              forAll(open.size(),
                     [&](std::size_t thread, std::size_t i) { parts[i] = split(open[i], m_models[thread]); });
        if (!all)
            todo.insert(todo.end(), open.begin(), open.end());
        for (std::size_t i = 0; i < open.size() && all; ++i) {
            deactivate(open[i]);
            todo.insert(todo.end(), parts[i].part.begin(),
                        parts[i].part.begin() + static_cast<std::ptrdiff_t>(parts[i].count));
        }
    }
    m_columns = std::move(decided);
    m_columns.insert(m_columns.end(), todo.begin(), todo.end());
    if (all && m_columns.size() <= kAtOnce) // tighten the costs of as many columns as the time limit allows
        (void)forAll(m_columns.size(), [&](std::size_t thread, std::size_t i) {
            ProofColumn& c = m_columns[i];
            if (c.sharp || c.exact)
                return;
            const std::uint32_t program = c.program;
            if (!computeBound(c, m_models[thread], true))
                c.least = c.reduced = kInfinite;
            c.program = program;
        });
    for (const ProofColumn& c : m_columns)
        if (c.program != kInactive)
            setProgramCost(c.program, c.least);
    removeTooExpensive();
    return all;
}

void ProofColumns::raise(const std::vector<std::size_t>& which,
                         const std::function<void(ProofColumn&)>& visit)
{
    for (const std::size_t i : which) {
        ProofColumn& c = m_columns[i];
        visit(c);
        c.reduced = reducedCostOf(c, prices()).value();
        if (c.program != kInactive)
            setProgramCost(c.program, c.least);
    }
    removeTooExpensive();
}

std::vector<std::size_t> ProofColumns::inexact(std::size_t most) const
{
    std::vector<std::size_t> out, others;
    for (std::size_t i = 0; i < m_columns.size(); ++i) {
        const ProofColumn& c = m_columns[i];
        const bool isUsed = isInSolution(c.program);
        if (!c.exact && (isUsed || c.decided()))
            (isUsed ? out : others).push_back(i);
    }
    if (out.empty())
        return out;
    std::ranges::stable_sort(others, {}, [this](std::size_t i) { return m_columns[i].reduced; });
    others.resize(std::min(others.size(), most - std::min(most, out.size())));
    out.insert(out.end(), others.begin(), others.end());
    return out;
}

double ProofColumns::remaining(OpMask slow, OpMask resident) const
{
    const Prices& price = prices();
    double sum = 0;
    const OpMask written = m_graph.forEachMissing(m_graph.outputs, 0, slow, resident, [&](std::size_t i) {
        sum += price[m_runs[i]];
        std::size_t at = 0;
        forEachBit(m_graph.inputs[i], [&](std::size_t input) {
            const std::size_t row = m_reaches[i][at++];
            if ((slow & ProofGraph::bit(input)) == 0)
                sum += price[row];
        });
    });
    forEachBit(written, [&](std::size_t i) { sum += price[m_written[i]]; });
    forEachBit(resident, [&](std::size_t i) {
        if (m_handedOver[i] != kNoRow)
            sum -= price[m_handedOver[i]];
    });
    return std::max(sum, 0.0);
}

double ProofColumns::leastBetween(OpMask ops, OpMask resident, OpMask retained)
{
    const std::vector<OpId> list = m_graph.opsOf(ops);
    const std::vector<TensorId> before = m_graph.outputsOf(resident);
    const std::vector<TensorId> after = m_graph.outputsOf(retained);
    CostModel& model = m_models.front();
    if (!model.compile(list, {.resident = before, .retained = after}))
        return 0;
    return model.anyOrderBoundByDepth();
}

} // namespace tilewright
