// SPDX-License-Identifier: GPL-3.0-or-later
#include "solve/proof/prove_columns.h"

#include "eval/components.h"
#include "solve/proof/connected_sets.h"

#include <algorithm>
#include <bit>

namespace tilewright {

namespace {

constexpr std::size_t kCountedAtOnce = 4; ///< of the parts of one
constexpr double kInfinity = std::numeric_limits<double>::infinity();

} // namespace

ProofColumns::ProofColumns(const ProofGraph& graph, const Rules& rules, double upperBound, Limits limits)
    : m_graph(graph), m_upper(upperBound), m_limits(std::move(limits)), m_reaches(graph.size()),
      m_given(graph.size())
{
    for (std::size_t thread = 0; thread < m_limits.threads; ++thread)
        m_models.emplace_back(graph.problem, rules);
    const auto row = [this](double demand) {
        m_demands.push_back(demand);
        return m_demands.size() - 1;
    };
    for (std::size_t i = 0; i < graph.size(); ++i) {
        m_runs.push_back(row(1));
        m_written.push_back((graph.written & ProofGraph::bit(i)) != 0 ? row(1) : kNoRow);
        const bool isHanded = (graph.mayStay & ProofGraph::bit(i)) != 0 && graph.readers[i] != 0;
        m_handed.push_back(isHanded ? row(0) : kNoRow);
        forEachBit(graph.inputs[i], [&](std::size_t input) {
            m_reaches[i].push_back(row(1));
            m_given[input].push_back(m_reaches[i].back());
        });
    }
    m_prices.assign(m_demands.size(), 0);
    m_program = std::make_unique<GrowingProgram>(m_demands);
    for (std::size_t i = 0; i < m_demands.size(); ++i) // so that it can be done from the start
        if (m_demands[i] > 0)
            (void)m_program->add(kOutOfReach, std::array{GrowingProgram::Entry{i, 1}});
}

Slack ProofColumns::slack(const ProofColumn& column, const Prices& prices) const
{
    Slack out(column.least);
    forEachAchieved(column, [&](std::size_t row, double amount) { out.take(amount * prices[row]); });
    return out;
}

bool ProofColumns::complete(ProofColumn& c, CostModel& model, bool sharp) const
{
    if (m_graph.elementsOf(c.stayIn | c.stayOut) > m_graph.problem.hardware().fastMemoryCapacity)
        return false;
    const std::vector<OpId> ops = m_graph.opsOf(c.ops);
    const std::vector<TensorId> resident = m_graph.outputsOf(c.stayIn);
    const std::vector<TensorId> retained = m_graph.outputsOf(c.stayOut);
    const std::vector<TensorId> free = m_graph.outputsOf(c.openIn | c.openOut);
    const bool known = model.compile(ops, {.resident = resident, .retained = retained, .free = free});
    c.least = std::max(c.least, !known ? 0 : sharp ? model.leastByDepth() : model.leastOfAnyOrder());
    c.sharp = sharp;
    c.exact = false;
    c.counts = false;
    c.program = ProofColumn::kNone;
    if (c.least == kInfinity)
        return false;
    c.reduced = slack(c, m_prices).value();
    return true;
}

ProofColumns::Parts ProofColumns::split(const ProofColumn& column, CostModel& model) const
{
    // The largest of what is open: it says most about room and traffic.
    ProofMask choice = 0;
    bool isIn = false;
    std::int64_t largest = -1;
    const auto look = [&](ProofMask open, bool in) {
        forEachBit(open, [&](std::size_t i) {
            if (const std::int64_t size = m_graph.problem.tensor(m_graph.output(i)).elements();
                size > largest) {
                largest = size;
                choice = ProofGraph::bit(i);
                isIn = in;
            }
        });
    };
    look(column.openIn, true);
    look(column.openOut, false);
    Parts out;
    for (const bool stays : {false, true}) {
        ProofColumn& child = out.part[out.count];
        child = column;
        (isIn ? child.openIn : child.openOut) &= ~choice;
        if (stays)
            (isIn ? child.stayIn : child.stayOut) |= choice;
        if (complete(child, model) && !(m_priced && isTooExpensive(child)))
            ++out.count;
    }
    return out;
}

bool ProofColumns::list(const Rules& rules)
{
    std::vector<std::size_t> place(m_graph.problem.opCount());
    for (std::size_t i = 0; i < m_graph.size(); ++i)
        place[m_graph.ops[i].index()] = i;
    std::vector<ProofMask> sets;
    for (const std::vector<OpId>& ops : componentsOf(m_graph.problem, rules)) {
        const auto add = [&](std::uint64_t local) {
            constexpr std::size_t kAskedEvery = 4096;
            ProofMask set = 0;
            forEachBit(local, [&](std::size_t i) { set |= ProofGraph::bit(place[ops[i].index()]); });
            sets.push_back(set);
            return sets.size() <= m_limits.columns &&
                   (sets.size() % kAskedEvery != 0 || m_limits.secondsLeft() > 0);
        };
        if (!forEachConnectedSet(m_graph.problem, rules, ops, add))
            return false;
    }
    m_columns.resize(sets.size());
    const double available = m_limits.secondsLeft();
    const auto isInTime = [&](std::size_t done) {
        constexpr std::size_t kLooked = 8; // one in so many tells how long all take,
        constexpr double kRoughly = 1.3;   // as the first ones are larger than most
        const double left = m_limits.secondsLeft();
        return left > 0 &&
               (done * kLooked <= sets.size() || (available - left) * static_cast<double>(sets.size()) <=
                                                     kRoughly * available * static_cast<double>(done));
    };
    const bool all =
        forAllInThreads(m_models.size(), sets.size(), isInTime, [&](std::size_t thread, std::size_t i) {
            ProofColumn& c = m_columns[i];
            c.ops = sets[i];
            c.openIn = m_graph.neededBy(c.ops) & m_graph.mayStay;
            c.openOut = c.ops & m_graph.mayStay;
            if (!complete(c, m_models[thread]))
                c.least = c.reduced = kInfinity;
        });
    if (!all)
        return false;
    strike();
    std::vector<Overpriced> small; // each op has a price from the start
    for (std::size_t i = 0; i < m_columns.size(); ++i)
        if (std::popcount(m_columns[i].ops) <= 2)
            small.push_back({i, 0});
    let(small, {});
    return true;
}

void ProofColumns::addToProgram(ProofColumn& column)
{
    std::vector<GrowingProgram::Entry> entries;
    forEachAchieved(column, [&](std::size_t row, double amount) { entries.push_back({row, amount}); });
    column.program = static_cast<std::uint32_t>(m_program->add(column.least / m_upper, entries));
}

void ProofColumns::retire(ProofColumn& column)
{
    if (column.program != ProofColumn::kNone)
        m_program->setCost(column.program, kOutOfReach);
    column.program = ProofColumn::kNone;
}

void ProofColumns::strike()
{
    std::erase_if(m_columns, [this](ProofColumn& c) {
        if (!isTooExpensive(c))
            return false;
        retire(c);
        return true;
    });
}

std::vector<ProofColumn> ProofColumns::decide(const ProofColumn& column, const Prices& prices,
                                              CostModel& model) const
{
    std::vector<ProofColumn> out;
    std::vector<ProofColumn> todo{column};
    std::size_t counting = 0;
    while (!todo.empty()) {
        ProofColumn c = todo.back();
        todo.pop_back();
        const auto isOver = [&] {
            return counting < kCountedAtOnce &&
                   (prices.empty() ? counting == 0 : slack(c, prices).value() < -kOverpriced * c.least);
        };
        bool over = isOver();
        const bool isFirst = c.openIn == column.openIn && c.openOut == column.openOut;
        if (over && !c.sharp && (c.decided() || isFirst)) { // takes too long for those in between
            if (!complete(c, model, true))
                continue;
            over = isOver();
        }
        if (!over || c.decided()) {
            c.counts = over;
            counting += over ? 1 : 0;
            out.push_back(c);
            continue;
        }
        Parts parts = split(c, model);
        // The part that the prices exceed most comes first; without prices that where nothing stays.
        if (parts.count == 2 &&
            (prices.empty() || slack(parts.part[0], prices).value() < slack(parts.part[1], prices).value()))
            std::swap(parts.part[0], parts.part[1]);
        todo.insert(todo.end(), parts.part.begin(),
                    parts.part.begin() + static_cast<std::ptrdiff_t>(parts.count));
    }
    return out;
}

void ProofColumns::let(std::span<const Overpriced> count, const Prices& prices)
{
    std::vector<std::vector<ProofColumn>> parts(count.size());
    const bool all = forAllInThreads(
        m_models.size(), count.size(), [](std::size_t) { return true; },
        [&](std::size_t thread, std::size_t i) {
            parts[i] = decide(m_columns[count[i].column], prices, m_models[thread]);
        });
    if (!all)
        return;
    for (std::size_t i = 0; i < count.size(); ++i) {
        retire(m_columns[count[i].column]);
        m_columns[count[i].column].least = kInfinity; // gone with the next strike()
        m_columns[count[i].column].reduced = kInfinity;
        for (ProofColumn& c : parts[i]) {
            if (c.counts)
                addToProgram(c);
            c.counts = false;
            m_columns.push_back(c);
        }
    }
    std::erase_if(m_columns, [](const ProofColumn& c) { return c.least == kInfinity; });
}

} // namespace tilewright
