// SPDX-License-Identifier: GPL-3.0-or-later
#include "solve/prove_columns.h"

#include "eval/request_kinds.h"
#include "solve/pieces.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace tilewright {

namespace {

constexpr std::size_t kNoRow = std::numeric_limits<std::size_t>::max();
constexpr std::size_t kCountedARound = 400;
constexpr std::size_t kCountedAtOnce = 8; ///< of the parts of one
constexpr double kOverpriced = 1e-10;     ///< of a column's latency: what is then taken off all prices
constexpr double kSumError = 1e-13;       ///< relative error of a sum of some dozen products, amply

std::size_t lowest(ProofMask mask)
{
    return static_cast<std::size_t>(std::countr_zero(mask));
}

/// Calls visit(i) for every bit.
template <class Visit> void forEachBit(ProofMask mask, Visit&& visit)
{
    for (; mask != 0; mask &= mask - 1)
        visit(lowest(mask));
}

} // namespace

ProofGraph::ProofGraph(const Problem& p, const Rules& rules)
    : problem(p), ops(p.topologicalOrder()), inputs(ops.size()), readers(ops.size()), bases(ops.size()),
      never(ops.size())
{
    std::vector<std::size_t> place(p.opCount());
    for (std::size_t i = 0; i < ops.size(); ++i)
        place[ops[i].index()] = i;
    for (std::size_t i = 0; i < ops.size(); ++i)
        for (const TensorId t : p.op(ops[i]).inputs) {
            for (const TensorId base : p.bases(t))
                if (const auto producer = p.producer(base)) {
                    bases[i] |= bit(place[producer->index()]);
                    written |= bit(place[producer->index()]);
                }
            const auto producer = p.producer(t);
            if (!producer)
                continue;
            const std::size_t from = place[producer->index()];
            inputs[i] |= bit(from);
            readers[from] |= bit(i);
            if (isFusionForbidden(p, rules, t, ops[i]))
                never[from] |= bit(i);
        }
    for (std::size_t i = 0; i < ops.size(); ++i) {
        if (p.isGraphOutput(output(i)))
            outputs |= bit(i);
        // Beside what stays a step needs an element at least, unless an input's memory becomes the output's.
        if (p.tensor(output(i)).elements() + (rules.donation ? 0 : 1) <= p.hardware().fastMemoryCapacity)
            mayStay |= bit(i);
    }
    written |= outputs;
}

std::vector<OpId> ProofGraph::opsOf(ProofMask mask) const
{
    std::vector<OpId> out;
    forEachBit(mask, [&](std::size_t i) { out.push_back(ops[i]); });
    return out;
}

std::vector<TensorId> ProofGraph::outputsOf(ProofMask mask) const
{
    std::vector<TensorId> out;
    forEachBit(mask, [&](std::size_t i) { out.push_back(output(i)); });
    return out;
}

std::int64_t ProofGraph::elementsOf(ProofMask mask) const
{
    std::int64_t sum = 0;
    forEachBit(mask, [&](std::size_t i) { sum += problem.tensor(output(i)).elements(); });
    return sum;
}

ProofMask ProofGraph::neededBy(ProofMask set) const
{
    ProofMask out = 0;
    forEachBit(set, [&](std::size_t i) { out |= inputs[i]; });
    return out & ~set;
}

ProofMask ProofGraph::basesOf(ProofMask set) const
{
    ProofMask out = 0;
    forEachBit(set, [&](std::size_t i) { out |= bases[i]; });
    return out;
}

ProofMask ProofGraph::sinksOf(ProofMask set) const
{
    ProofMask out = set;
    forEachBit(set, [&](std::size_t i) { out &= ~inputs[i]; });
    return out;
}

ProofColumns::ProofColumns(const ProofGraph& graph, const Rules& rules, double upperBound, Limits limits)
    : m_graph(graph), m_model(graph.problem, rules), m_upper(upperBound), m_limits(std::move(limits)),
      m_reaches(graph.size())
{
    const auto row = [this](double demand) {
        m_demands.push_back(demand);
        return m_demands.size() - 1;
    };
    for (std::size_t i = 0; i < graph.size(); ++i) {
        m_runs.push_back(row(1));
        m_written.push_back((graph.written & ProofGraph::bit(i)) != 0 ? row(1) : kNoRow);
        const bool isHanded = (graph.mayStay & ProofGraph::bit(i)) != 0 && graph.readers[i] != 0;
        m_handed.push_back(isHanded ? row(0) : kNoRow);
        forEachBit(graph.inputs[i], [&](std::size_t) { m_reaches[i].push_back(row(1)); });
    }
    m_prices.assign(m_demands.size(), 0);
}

/// What it costs and achieves (docs/rules/bound.md 1 to 3). False when it is none.
bool ProofColumns::complete(ProofColumn& c)
{
    if (m_graph.elementsOf(c.stayIn | c.stayOut) > m_graph.problem.hardware().fastMemoryCapacity)
        return false;
    const std::vector<OpId> ops = m_graph.opsOf(c.ops);
    const std::vector<TensorId> resident = m_graph.outputsOf(c.stayIn);
    const std::vector<TensorId> retained = m_graph.outputsOf(c.stayOut);
    const std::vector<TensorId> free = m_graph.outputsOf(c.openIn | c.openOut);
    const bool known = m_model.compile(ops, {.resident = resident, .retained = retained, .free = free});
    c.least = std::max(c.least, known ? m_model.leastOfAnyOrder().latency : 0);
    if (c.least == std::numeric_limits<double>::infinity())
        return false;
    c.achieves.clear();
    const auto achieves = [&](std::size_t row, double amount) {
        if (row != kNoRow)
            c.achieves.push_back({row, amount});
    };
    const ProofMask sinks = m_graph.sinksOf(c.ops);
    const ProofMask exposed = sinks & ~c.stayOut;
    // What ops outside read of it gets to them; what is read inside does in any case.
    forEachBit(c.ops, [&](std::size_t i) {
        achieves(m_runs[i], 1);
        if ((exposed & ProofGraph::bit(i)) != 0)
            achieves(m_written[i], 1);
        if (((c.stayOut | c.openOut) & ProofGraph::bit(i)) != 0)
            achieves(m_handed[i], 1);
    });
    const ProofMask there = c.ops | c.stayIn | c.openIn;
    for (std::size_t reader = 0; reader < m_graph.size(); ++reader) {
        std::size_t at = 0;
        const bool inside = (c.ops & ProofGraph::bit(reader)) != 0;
        forEachBit(m_graph.inputs[reader], [&](std::size_t i) {
            const std::size_t row = m_reaches[reader][at++];
            if ((exposed & ProofGraph::bit(i)) != 0 || (inside && (there & ProofGraph::bit(i)) != 0))
                achieves(row, 1);
        });
    }
    forEachBit(c.stayIn, [&](std::size_t i) { achieves(m_handed[i], -1); });
    reduce(c);
    return true;
}

void ProofColumns::reduce(ProofColumn& c) const
{
    c.reduced = c.least;
    for (const Achieved& a : c.achieves)
        c.reduced -= a.amount * m_prices[a.row];
}

void ProofColumns::split(const ProofColumn& column, std::vector<ProofColumn>& out)
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
    for (const bool stays : {false, true}) {
        ProofColumn child = column;
        (isIn ? child.openIn : child.openOut) &= ~choice;
        if (stays)
            (isIn ? child.stayIn : child.stayOut) |= choice;
        if (complete(child) && !(m_priced && isTooExpensive(child)))
            out.push_back(std::move(child));
    }
}

bool ProofColumns::list(const Rules& rules)
{
    const std::vector<Piece> pieces = cutIntoPieces(
        m_graph.problem, rules, {.whole = ProofGraph::kMostOps, .atom = 1, .most = ProofGraph::kMostOps});
    std::vector<std::size_t> place(m_graph.problem.opCount());
    for (std::size_t i = 0; i < m_graph.size(); ++i)
        place[m_graph.ops[i].index()] = i;
    std::vector<ProofMask> sets;
    for (const Piece& piece : pieces) {
        if (!piece.alone)
            return false;
        std::vector<std::uint64_t> apart(piece.ops.size());
        for (std::size_t i = 0; i < piece.ops.size(); ++i)
            for (std::size_t j = 0; j < piece.ops.size(); ++j)
                if ((m_graph.never[place[piece.ops[i].index()]] &
                     ProofGraph::bit(place[piece.ops[j].index()])) != 0) {
                    apart[i] |= ProofGraph::bit(j);
                    apart[j] |= ProofGraph::bit(i);
                }
        const auto add = [&](std::uint64_t local) {
            ProofMask set = 0;
            forEachBit(local, [&](std::size_t i) { set |= ProofGraph::bit(place[piece.ops[i].index()]); });
            sets.push_back(set);
            return sets.size() <= m_limits.columns && (sets.size() % 256 != 0 || m_limits.keepGoing());
        };
        const bool all = forEachConnectedSet(m_graph.problem, piece, add, apart);
        if (!all)
            return false;
    }
    for (std::size_t i = 0; i < sets.size(); ++i) {
        if (i % 64 == 0 && !m_limits.keepGoing())
            return false;
        ProofColumn c;
        c.ops = sets[i];
        c.openIn = m_graph.neededBy(c.ops) & m_graph.mayStay;
        c.openOut = c.ops & m_graph.mayStay;
        if (complete(c))
            m_columns.push_back(std::move(c));
    }
    for (std::size_t i = 0, listed = m_columns.size(); i < listed; ++i) // each op has a price from the start
        if (std::popcount(m_columns[i].ops) <= 2)
            decide(i, {});
    strike();
    return true;
}

void ProofColumns::strike()
{
    std::vector<std::size_t> place(m_columns.size(), kNoRow);
    std::size_t kept = 0;
    for (std::size_t i = 0; i < m_columns.size(); ++i) {
        if (isTooExpensive(m_columns[i]))
            continue;
        place[i] = kept;
        if (kept != i)
            m_columns[kept] = std::move(m_columns[i]);
        ++kept;
    }
    m_columns.resize(kept);
    std::erase_if(m_support, [&](std::size_t& i) {
        i = place[i];
        return i == kNoRow;
    });
}

ProofColumns::Slack ProofColumns::slack(const ProofColumn& column, const std::vector<double>& prices)
{
    Slack s{column.least, column.least};
    for (const Achieved& a : column.achieves) {
        const double term = a.amount * prices[a.row];
        s.value -= term;
        s.error += std::abs(term);
    }
    s.error *= kSumError;
    return s;
}

/// Splits a column as far as these prices exceed its parts, the most overpriced ones first, until some of
/// them count; without prices until one does.
void ProofColumns::decide(std::size_t column, const std::vector<double>& prices)
{
    std::vector<ProofColumn> todo;
    todo.push_back(std::move(m_columns[column]));
    m_columns[column].least = m_columns[column].reduced = std::numeric_limits<double>::infinity();
    m_columns[column].achieves.clear();
    m_columns[column].counts = false;
    std::size_t counting = 0;
    while (!todo.empty()) {
        ProofColumn c = std::move(todo.back());
        todo.pop_back();
        const bool over = counting < kCountedAtOnce &&
                          (prices.empty() ? counting == 0 : slack(c, prices).value < -kOverpriced * c.least);
        if (!over || c.decided()) {
            c.counts = over;
            counting += over ? 1 : 0;
            m_columns.push_back(std::move(c));
            continue;
        }
        const std::size_t before = todo.size();
        split(c, todo);
        // Without prices the part comes first where nothing stays.
        if (todo.size() == before + 2 &&
            (prices.empty() || slack(todo[before], prices).value < slack(todo[before + 1], prices).value))
            std::swap(todo[before], todo[before + 1]);
    }
}

bool ProofColumns::addOverpriced(const std::vector<double>& prices)
{
    std::vector<std::pair<double, std::size_t>> found;
    for (std::size_t i = 0; i < m_columns.size(); ++i)
        if (const ProofColumn& c = m_columns[i]; !c.counts)
            if (const Slack s = slack(c, prices); s.value < -kOverpriced * c.least)
                found.emplace_back(s.value, i);
    if (found.empty())
        return false;
    const std::size_t most = std::min(found.size(), kCountedARound);
    std::ranges::partial_sort(found, found.begin() + static_cast<std::ptrdiff_t>(most));
    for (std::size_t i = 0; i < most; ++i)
        decide(found[i].second, prices);
    return true;
}

/// Weak duality: prices that no column falls short of, be it by rounding, add up to a bound.
bool ProofColumns::adopt(const CoverPrices& prices)
{
    std::vector<double> lowered = prices.prices;
    for (double& price : lowered)
        price = std::max(price, 0.0) / (1 + 2 * kOverpriced);
    const auto holds = [&](const ProofColumn& c) {
        const Slack s = slack(c, lowered);
        return s.value >= s.error || (s.value >= 0 && s.error == 0);
    };
    if (!std::ranges::all_of(m_columns, holds))
        return false;
    double value = 0;
    for (std::size_t i = 0; i < m_demands.size(); ++i)
        value += m_demands[i] * lowered[i];
    value *= 1 - 1e-12;
    if (value <= m_bound)
        return true;
    m_bound = value;
    m_prices = std::move(lowered);
    m_priced = true;
    return true;
}

bool ProofColumns::price(const std::function<double()>& secondsLeft)
{
    bool adopted = false;
    while (secondsLeft() > 0) {
        std::vector<CoverColumn> cover;
        std::vector<std::size_t> place;
        for (std::size_t i = 0; i < m_columns.size(); ++i)
            if (const ProofColumn& c = m_columns[i]; c.counts) {
                cover.push_back({c.least, &c.achieves, std::popcount(c.ops) <= 2});
                place.push_back(i);
            }
        const CoverPrices prices = priceCover(m_demands, cover, secondsLeft);
        if (prices.prices.empty())
            break;
        m_support.clear();
        for (const auto& [i, share] : prices.shares)
            m_support.push_back(place[i]);
        if (addOverpriced(prices.prices)) {
            std::erase_if(m_columns, [](const ProofColumn& c) { // those that were split
                return c.least == std::numeric_limits<double>::infinity();
            });
            m_support.clear();
            continue;
        }
        adopted = adopt(prices);
        break;
    }
    for (ProofColumn& c : m_columns)
        reduce(c);
    strike();
    return adopted;
}

bool ProofColumns::decideAll()
{
    std::vector<ProofColumn> decided;
    std::vector<ProofColumn> todo(std::move(m_columns));
    m_columns.clear();
    m_support.clear();
    bool complete = true;
    for (std::size_t looked = 0; !todo.empty(); ++looked) {
        ProofColumn c = std::move(todo.back());
        todo.pop_back();
        complete &=
            todo.size() + decided.size() < 2 * m_limits.columns && (looked % 64 != 0 || m_limits.keepGoing());
        if (c.decided() || !complete)
            decided.push_back(std::move(c));
        else
            split(c, todo);
    }
    m_columns = std::move(decided);
    return complete;
}

std::vector<std::size_t> ProofColumns::inexact(std::size_t most) const
{
    std::vector<std::size_t> out;
    for (const std::size_t i : m_support)
        if (!m_columns[i].exact)
            out.push_back(i);
    if (out.empty())
        return out;
    const std::size_t first = out.size();
    for (std::size_t i = 0; i < m_columns.size(); ++i)
        if (m_columns[i].decided() && !m_columns[i].exact &&
            std::find(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(first), i) ==
                out.begin() + static_cast<std::ptrdiff_t>(first))
            out.push_back(i);
    std::stable_sort(
        out.begin() + static_cast<std::ptrdiff_t>(first), out.end(),
        [this](std::size_t a, std::size_t b) { return m_columns[a].reduced < m_columns[b].reduced; });
    out.resize(std::min(out.size(), std::max(first, most)));
    return out;
}

void ProofColumns::raise(const std::vector<std::size_t>& which,
                         const std::function<void(ProofColumn&)>& visit)
{
    for (const std::size_t i : which) {
        visit(m_columns[i]);
        reduce(m_columns[i]);
    }
    strike();
}

double ProofColumns::rest(ProofMask slow, ProofMask resident) const
{
    double sum = 0;
    ProofMask write = m_graph.outputs & ~slow;
    ProofMask all = write;
    for (ProofMask todo = all; todo != 0;) {
        const std::size_t i = lowest(todo);
        todo &= todo - 1;
        sum += m_prices[m_runs[i]];
        std::size_t at = 0;
        forEachBit(m_graph.inputs[i], [&](std::size_t input) {
            const std::size_t row = m_reaches[i][at++];
            if ((slow & ProofGraph::bit(input)) == 0)
                sum += m_prices[row];
        });
        const ProofMask bases = m_graph.bases[i] & ~slow;
        write |= bases;
        const ProofMask more = (bases | (m_graph.inputs[i] & ~slow & ~resident)) & ~all;
        all |= more;
        todo |= more;
    }
    forEachBit(write, [&](std::size_t i) { sum += m_prices[m_written[i]]; });
    forEachBit(resident, [&](std::size_t i) {
        if (m_handed[i] != kNoRow)
            sum -= m_prices[m_handed[i]];
    });
    return std::max(sum, 0.0);
}

double ProofColumns::leastBetween(ProofMask ops, ProofMask resident, ProofMask retained)
{
    const std::vector<OpId> list = m_graph.opsOf(ops);
    const std::vector<TensorId> before = m_graph.outputsOf(resident);
    const std::vector<TensorId> after = m_graph.outputsOf(retained);
    if (!m_model.compile(list, {.resident = before, .retained = after}))
        return 0;
    return m_model.leastOfAnyOrder().latency;
}

} // namespace tilewright
