// SPDX-License-Identifier: GPL-3.0-or-later
#include "solve/columns/column_walk.h"

#include "solve/cost/op_lists.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tilewright {

namespace {

constexpr std::size_t kMostColumns = 100; ///< added in a round
constexpr int kLeastSteps = 20;           ///< of a walk
constexpr int kMostSteps = 600;
constexpr std::size_t kMostOfWalk = 3;
constexpr std::size_t kMostInARow = 5;
// Temperatures of walks, in latencies of the relaxation's average column.
constexpr double kCoolest = 0.01;
constexpr double kHottest = 0.3;
constexpr double kNearly = 0.3; ///< columns that cost so much more than they are worth begin walks, too
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kLeast = 1e-7; ///< of the relaxation's value: what counts as less

bool isWithin(const std::vector<TensorId>& tensors, const std::vector<TensorId>& ascending)
{
    return std::ranges::all_of(tensors, [&](TensorId t) { return std::ranges::binary_search(ascending, t); });
}

/// What one makes and the other reads.
std::vector<TensorId> handedOver(const OpSet& from, const OpSet& to)
{
    std::vector<TensorId> out;
    std::ranges::set_intersection(from.produced, to.inputs, std::back_inserter(out));
    return out;
}

bool has(const OpSet& set, OpId o)
{
    return std::ranges::find(set.ops, o) != set.ops.end();
}

} // namespace

/// An op outside that reads what the set makes, makes what it reads, or reads the same.
std::optional<OpId> ColumnWalk::neighbour(SetId id)
{
    const Problem& problem = m_pool.problem();
    const OpSet& set = m_pool.set(id);
    const Op& op = problem.op(set.ops[below(set.ops.size())]);
    const std::uint32_t which = below(op.inputs.size() + 1);
    const TensorId t = which < op.inputs.size() ? op.inputs[which] : op.output;
    const auto consumers = problem.consumers(t);
    const std::optional<OpId> producer = problem.producer(t);
    const std::size_t choices = consumers.size() + (producer ? 1 : 0);
    if (choices == 0)
        return std::nullopt;
    const std::uint32_t chosen = below(choices);
    const OpId out = chosen < consumers.size() ? consumers[chosen] : *producer;
    return has(set, out) ? std::nullopt : std::optional(out);
}

std::vector<OpId> ColumnWalk::partAround(OpId o)
{
    const std::vector<SetId>& sets = m_takenBy[o.index()];
    const std::uint32_t dice = below(4);
    if (dice < 2 || sets.empty())
        return {o};
    return cone(m_pool.problem(), m_pool.set(sets[below(sets.size())]).ops, o, dice == 2);
}

SetId ColumnWalk::with(SetId set, const std::vector<OpId>& ops)
{
    return m_pool.intern(united(m_pool.set(set).ops, ops));
}

bool ColumnWalk::addOps(Chain& chain, std::size_t at)
{
    const std::optional<OpId> o = neighbour(chain[at].set);
    if (!o)
        return false;
    const std::vector<OpId> part = partAround(*o);
    SetId set = with(chain[at].set, part);
    if (below(3) == 0)
        if (const std::optional<OpId> another = neighbour(set))
            set = with(set, {*another});
    chain[at].set = set;
    if (below(2) == 0) // else it is computed twice
        return true;
    for (std::size_t i = 0; i < chain.size(); ++i) {
        if (i == at || !has(m_pool.set(chain[i].set), *o))
            continue;
        std::vector<OpId> rest = without(m_pool.set(chain[i].set).ops, part);
        if (rest.empty())
            return false;
        chain[i].set = m_pool.intern(std::move(rest));
    }
    return true;
}

/// One op, or one with all before or after it: away, to a neighbour in the chain, or a subgraph of their own.
bool ColumnWalk::removeOps(Chain& chain, std::size_t at)
{
    const std::vector<OpId>& ops = m_pool.set(chain[at].set).ops;
    const OpId o = ops[below(ops.size())];
    const std::uint32_t dice = below(3);
    const std::vector<OpId> part =
        dice == 0 ? std::vector<OpId>{o} : cone(m_pool.problem(), ops, o, dice == 1);
    std::vector<OpId> rest = without(ops, part);
    if (rest.empty())
        return false;
    const SetId left = m_pool.intern(std::move(rest));
    if (chain.size() > 1 && below(3) == 0) {
        const std::size_t to = at + 1 < chain.size() && (at == 0 || below(2) == 0) ? at + 1 : at - 1;
        chain[to].set = with(chain[to].set, part);
    } else if (chain.size() < kMostInARow && below(4) == 0) {
        PlanColumn own{m_pool.intern(part), 0, 0, 0};
        const bool isBefore = below(2) == 0;
        if (isBefore)
            own.resident = std::exchange(chain[at].resident, 0);
        else
            own.retain = std::exchange(chain[at].retain, 0);
        chain[at].set = left;
        chain.insert(chain.begin() + static_cast<std::ptrdiff_t>(at + (isBefore ? 0 : 1)), own);
        return true;
    }
    chain[at].set = left;
    if (below(5) == 0)
        if (const std::optional<OpId> another = neighbour(left))
            chain[at].set = with(left, {*another});
    return true;
}

bool ColumnWalk::insertOp(Chain& chain, std::size_t at)
{
    const std::optional<OpId> o =
        chain.size() < kMostInARow ? neighbour(chain[at].set) : std::optional<OpId>();
    if (!o)
        return false;
    const bool isBefore = below(2) == 0;
    (isBefore ? chain[at].resident : chain[at].retain) = 0;
    chain.insert(chain.begin() + static_cast<std::ptrdiff_t>(at + (isBefore ? 0 : 1)),
                 {m_pool.intern({*o}), 0, 0, 0});
    return true;
}

bool ColumnWalk::fuse(Chain& chain, std::size_t at)
{
    if (at + 1 >= chain.size())
        return false;
    chain[at].set = with(chain[at].set, m_pool.set(chain[at + 1].set).ops);
    chain[at].retain = chain[at + 1].retain;
    chain.erase(chain.begin() + static_cast<std::ptrdiff_t>(at + 1));
    return true;
}

bool ColumnWalk::shorten(Chain& chain)
{
    if (chain.size() < 2)
        return false;
    if (below(2) == 0) {
        chain.erase(chain.begin());
        chain.front().resident = 0;
    } else {
        chain.pop_back();
        chain.back().retain = 0;
    }
    return true;
}

/// At the ends lists that other columns hand over, between them any part of what can be.
bool ColumnWalk::changeHandedOver(Chain& chain)
{
    const std::size_t at = below(chain.size() + 1);
    if (at == 0 || at == chain.size()) {
        RetainId& list = at == 0 ? chain.front().resident : chain.back().retain;
        if (list != 0 && below(2) == 0) {
            list = 0;
            return true;
        }
        const OpSet& set = m_pool.set((at == 0 ? chain.front() : chain.back()).set);
        std::vector<RetainId> fitting;
        for (const RetainId r : m_columns.handedOver())
            if (isWithin(m_pool.retain(r), at == 0 ? set.inputs : set.produced))
                fitting.push_back(r);
        if (fitting.empty())
            return false;
        list = fitting[below(fitting.size())];
        return true;
    }
    std::vector<TensorId> some;
    for (const TensorId t : handedOver(m_pool.set(chain[at - 1].set), m_pool.set(chain[at].set)))
        if (below(2) == 0)
            some.push_back(t);
    if (some.empty())
        return false;
    chain[at - 1].retain = chain[at].resident = m_pool.internRetain(std::move(some));
    return true;
}

bool ColumnWalk::isConnected(const Chain& chain) const
{
    return std::ranges::all_of(chain, [&](const PlanColumn& c) { return m_pool.set(c.set).connected; });
}

bool ColumnWalk::isValid(const Chain& chain) const
{
    PlanColumns::OpFlags stored;
    for (const PlanColumn& c : chain) {
        const PlanColumns::OpFlags more = storedBy(m_pool, c);
        if ((more & stored).any()) // is worth nothing the second time
            return false;
        stored |= more;
    }
    return isConnected(chain) &&
           std::ranges::all_of(chain, [&](const PlanColumn& c) { return m_columns.handsOver(c); });
}

bool ColumnWalk::mend(Chain& chain, std::size_t at, bool handAll)
{
    if (!isConnected(chain))
        return false;
    if (!isWithin(m_pool.retain(chain.front().resident), m_pool.set(chain.front().set).inputs))
        chain.front().resident = 0;
    if (!isWithin(m_pool.retain(chain.back().retain), m_pool.set(chain.back().set).produced))
        chain.back().retain = 0;
    for (std::size_t i = 0; i + 1 < chain.size(); ++i) {
        const std::vector<TensorId> all = handedOver(m_pool.set(chain[i].set), m_pool.set(chain[i + 1].set));
        std::vector<TensorId> kept;
        std::ranges::set_intersection(all, m_pool.retain(chain[i].retain), std::back_inserter(kept));
        if (kept.empty() && handAll)
            kept = all;
        if (!kept.empty()) {
            chain[i].retain = chain[i + 1].resident = m_pool.internRetain(std::move(kept));
            continue;
        }
        if (below(2) == 0)
            return false;
        chain[i].retain = chain[i + 1].resident = 0;
        const auto middle = chain.begin() + static_cast<std::ptrdiff_t>(i + 1);
        if (at <= i) {
            chain.erase(middle, chain.end());
        } else {
            chain.erase(chain.begin(), middle);
            at -= i + 1;
            i = static_cast<std::size_t>(-1); // from the start
        }
    }
    return isValid(chain);
}

bool ColumnWalk::change(Chain& chain)
{
    const std::size_t at = below(chain.size());
    const std::uint32_t dice = below(100);
    const bool handAll = below(4) != 0;
    const bool isChanged = dice < 35   ? addOps(chain, at)
                           : dice < 62 ? removeOps(chain, at)
                           : dice < 72 ? insertOp(chain, at)
                           : dice < 78 ? fuse(chain, at)
                           : dice < 84 ? shorten(chain)
                                       : changeHandedOver(chain);
    return isChanged && mend(chain, std::min(at, chain.size() - 1), handAll);
}

double ColumnWalk::worth(const Chain& chain) const
{
    double sum = 0;
    for (const PlanColumn& c : chain)
        sum += m_columns.price(c);
    return sum;
}

double ColumnWalk::loss(Chain& chain, double most)
{
    const double allowed = most + worth(chain);
    double cost = 0;
    for (const PlanColumn& c : chain)
        cost += m_pool.floor(c.set, c.resident, c.retain);
    for (PlanColumn& c : chain) {
        if (!(cost <= allowed && cost < kInfinity))
            return kInfinity;
        cost -= m_pool.floor(c.set, c.resident, c.retain);
        c.latency = m_pool.latencyBelow(allowed - cost, c.set, c.resident, c.retain);
        cost += c.latency;
    }
    return cost <= allowed ? cost - worth(chain) : kInfinity;
}

bool ColumnWalk::isFind(const Chain& chain, double loss) const
{
    return loss < -kLeast * m_columns.value() &&
           std::ranges::any_of(chain, [&](const PlanColumn& c) { return !m_columns.knows(c); });
}

void ColumnWalk::mirror(const Chain& chain)
{
    const Problem& problem = m_pool.problem();
    std::vector<OpId> ops;
    for (const PlanColumn& c : chain)
        ops = united(ops, m_pool.set(c.set).ops);
    const OpId from = ops[below(ops.size())];
    if (m_mirror.alike(from).size() < 2)
        return;
    for (const TensorId t : m_pool.retain(chain.front().resident))
        ops = united(ops, {*problem.producer(t)});
    for (const OpId to : m_mirror.alike(from)) {
        const auto image = to == from ? std::nullopt : m_mirror.image(ops, from, to);
        if (!image)
            continue;
        const auto listOf = [&](RetainId list) {
            std::vector<TensorId> out;
            for (const TensorId t : m_pool.retain(list))
                out.push_back(problem.op(*(*image)[problem.producer(t)->index()]).output);
            return m_pool.internRetain(std::move(out));
        };
        Chain found;
        for (const PlanColumn& c : chain) {
            std::vector<OpId> set;
            for (const OpId o : m_pool.set(c.set).ops)
                set.push_back(*(*image)[o.index()]);
            found.push_back({m_pool.intern(std::move(set)), listOf(c.resident), listOf(c.retain), 0});
        }
        if (!isValid(found))
            continue;
        if (const double loss = this->loss(found, 0); isFind(found, loss))
            m_finds.push_back({loss, std::move(found)});
    }
}

void ColumnWalk::walk(Chain chain, int steps, double temperature, const std::function<bool()>& keepGoing)
{
    double current = loss(chain, kInfinity);
    if (!(current < kInfinity))
        return;
    const std::size_t before = m_finds.size();
    for (int i = 0; i < steps && (i % 16 != 0 || keepGoing()); ++i) {
        Chain next = chain;
        if (!change(next))
            continue;
        const double most = current - std::log(1.0 - m_random.unit()) * temperature;
        const double changed = loss(next, most);
        if (!(changed <= most))
            continue;
        current = changed;
        chain = std::move(next);
        if (isFind(chain, current))
            m_finds.push_back({current, chain});
    }
    // Those of one walk are much alike.
    const auto own = m_finds.begin() + static_cast<std::ptrdiff_t>(before);
    std::ranges::stable_sort(own, m_finds.end(), {}, &Find::loss);
    if (m_finds.size() > before + kMostOfWalk)
        m_finds.resize(before + kMostOfWalk);
}

/// With what it gets handed over and hands over in the relaxation, mostly.
ColumnWalk::Chain ColumnWalk::chainAround(std::size_t column, const std::vector<std::size_t>& taken)
{
    const std::vector<PlanColumn>& all = m_columns.columns();
    Chain out{all[column]};
    if (below(3) == 0)
        return out;
    const auto pick = [&](auto&& fits) {
        std::vector<std::size_t> fitting;
        std::ranges::copy_if(taken, std::back_inserter(fitting), [&](std::size_t i) { return fits(all[i]); });
        return fitting.empty() ? std::optional<PlanColumn>() : all[fitting[below(fitting.size())]];
    };
    while (out.back().retain != 0 && out.size() + 1 < kMostInARow) {
        const auto next = pick([&](const PlanColumn& c) { return c.resident == out.back().retain; });
        if (!next)
            break;
        out.push_back(*next);
    }
    while (out.front().resident != 0 && out.size() + 1 < kMostInARow) {
        const auto previous = pick([&](const PlanColumn& c) { return c.retain == out.front().resident; });
        if (!previous)
            break;
        out.insert(out.begin(), *previous);
    }
    return out;
}

void ColumnWalk::joinAnother(Chain& chain, const std::vector<std::size_t>& taken)
{
    const PlanColumn& other = m_columns.columns()[taken[below(taken.size())]];
    if (chain.back().retain != 0 || other.resident != 0)
        return;
    std::vector<TensorId> tensors = handedOver(m_pool.set(chain.back().set), m_pool.set(other.set));
    if (tensors.empty())
        return;
    chain.push_back(other);
    chain[chain.size() - 2].retain = chain.back().resident = m_pool.internRetain(std::move(tensors));
}

std::size_t ColumnWalk::round(int mostSteps, const std::function<bool()>& keepGoing)
{
    const std::vector<PlanColumn>& all = m_columns.columns();
    std::vector<std::size_t> taken;
    double average = 0;
    double shares = 0;
    for (std::size_t i = 0; i < all.size(); ++i)
        if (m_columns.share(i) > 1e-6) {
            taken.push_back(i);
            average += m_columns.share(i) * all[i].latency;
            shares += m_columns.share(i);
        }
    average /= shares;
    m_takenBy.assign(m_pool.problem().opCount(), {});
    for (const std::size_t i : taken)
        for (const OpId o : m_pool.set(all[i].set).ops)
            m_takenBy[o.index()].push_back(all[i].set);
    m_finds.clear();
    const int steps = std::min(mostSteps, m_steps);
    const auto temperature = [&] {
        return average * kCoolest * std::pow(kHottest / kCoolest, m_random.unit());
    };
    for (const std::size_t i : taken) {
        Chain chain = chainAround(i, taken);
        if (below(3) == 0)
            joinAnother(chain, taken);
        mirror(chain);
        walk(std::move(chain), steps, temperature(), keepGoing);
        if (!keepGoing())
            return 0;
    }
    for (std::size_t i = 0; i < taken.size() && keepGoing(); ++i)
        if (const PlanColumn& c = all[below(all.size())]; c.latency - m_columns.price(c) < kNearly * average)
            walk({c}, steps, temperature(), keepGoing);
    for (std::size_t i = 0, found = m_finds.size(); i < found; ++i)
        mirror(Chain(m_finds[i].chain));
    std::ranges::stable_sort(m_finds, {}, &Find::loss);
    std::size_t added = 0;
    for (const Find& find : m_finds) {
        if (added >= kMostColumns)
            break;
        for (const PlanColumn& c : find.chain)
            added += m_columns.add(c) ? 1 : 0;
    }
    // Where many are found prices soon are others; where few are, one has to go far.
    if (steps == m_steps)
        m_steps = added > kMostColumns / 2    ? std::max(kLeastSteps, m_steps / 2)
                  : added < kMostColumns / 10 ? std::min(kMostSteps, m_steps * 2)
                                              : m_steps;
    return added;
}

} // namespace tilewright
