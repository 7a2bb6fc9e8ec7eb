// SPDX-License-Identifier: GPL-3.0-or-later
#include "solve/columns/pricing_walk.h"

#include "solve/cost/op_lists.h"

namespace tilewright {

namespace {

constexpr std::size_t kMaxColumnsPerRound = 100; ///< maximum number of columns added in one pricing round
constexpr int kMinSteps = 20;                    ///< minimum number of steps of a walk
constexpr int kMaxSteps = 600;
constexpr std::size_t kMaxChainsPerWalk = 3; ///< maximum number of chains kept from one walk
constexpr std::size_t kMaxChainLength = 5;   ///< maximum number of columns in a chain
// Range of the start temperatures of walks, as multiples of the average latency of the columns in the LP
// solution.
constexpr double kMinTemperature = 0.01;
constexpr double kMaxTemperature = 0.3;
/// Walks also start from columns outside the LP solution if their reduced cost is below this multiple of the
/// average column latency.
constexpr double kMaxStartReducedCost = 0.3;
constexpr double kInfinity = std::numeric_limits<double>::infinity();
/// A reduced cost counts as negative if it is below minus this multiple of the relaxation's value.
constexpr double kMinReducedCost = 1e-7;

bool isWithin(const std::vector<TensorId>& tensors, const std::vector<TensorId>& ascending)
{
    return std::ranges::all_of(tensors, [&](TensorId t) { return std::ranges::binary_search(ascending, t); });
}

} // namespace

/// Returns a random op that is outside the set and shares a tensor with it: the op reads a result of the set,
/// produces an input, or reads a common input.
std::optional<OpId> PricingWalk::neighbour(SetId id)
{
    const Problem& problem = m_pool.problem();
    const OpSet& set = m_pool.set(id);
    const TensorId t = randomTensorOf(problem.op(m_random.pick(set.ops)), m_random);
    const auto consumers = problem.consumers(t);
    const std::optional<OpId> producer = problem.producer(t);
    const std::size_t choices = consumers.size() + (producer ? 1 : 0);
    if (choices == 0)
        return std::nullopt;
    const std::uint32_t chosen = m_random.below(choices);
    const OpId out = chosen < consumers.size() ? consumers[chosen] : *producer;
    return isIn(out, set.ops) ? std::nullopt : std::optional(out);
}

std::vector<OpId> PricingWalk::partAround(OpId o)
{
    const std::vector<SetId>& sets = m_usedBy[o.index()];
    const std::uint32_t dice = m_random.below(4);
    if (dice < 2 || sets.empty())
        return {o};
    return cone(m_pool.problem(), m_pool.set(m_random.pick(sets)).ops, o, dice == 2);
}

SetId PricingWalk::with(SetId set, const std::vector<OpId>& ops)
{
    return m_pool.intern(united(m_pool.set(set).ops, ops));
}

bool PricingWalk::addOps(Chain& chain, std::size_t at)
{
    const std::optional<OpId> o = neighbour(chain[at].set);
    if (!o)
        return false;
    const std::vector<OpId> part = partAround(*o);
    SetId set = with(chain[at].set, part);
    if (m_random.below(3) == 0)
        if (const std::optional<OpId> another = neighbour(set))
            set = with(set, {*another});
    chain[at].set = set;
    // in half of the cases, other columns of the chain keep the op and recompute it
    if (m_random.below(2) == 0)
        return true;
    for (std::size_t i = 0; i < chain.size(); ++i) {
        if (i == at || !isIn(*o, m_pool.set(chain[i].set).ops))
            continue;
        std::vector<OpId> rest = without(m_pool.set(chain[i].set).ops, part);
        if (rest.empty())
            return false;
        chain[i].set = m_pool.intern(std::move(rest));
    }
    return true;
}

/// Removes an op from column `at`, alone or with all ops that it needs or feeds. The removed ops are dropped,
/// move to a neighbour in the chain, or become a column of their own.
bool PricingWalk::removeOps(Chain& chain, std::size_t at)
{
    const std::vector<OpId>& ops = m_pool.set(chain[at].set).ops;
    const OpId o = m_random.pick(ops);
    const std::uint32_t dice = m_random.below(3);
    const std::vector<OpId> part =
        dice == 0 ? std::vector<OpId>{o} : cone(m_pool.problem(), ops, o, dice == 1);
    std::vector<OpId> rest = without(ops, part);
    if (rest.empty())
        return false;
    const SetId left = m_pool.intern(std::move(rest));
    if (chain.size() > 1 && m_random.below(3) == 0) {
        const std::size_t to = at + 1 < chain.size() && (at == 0 || m_random.below(2) == 0) ? at + 1 : at - 1;
        chain[to].set = with(chain[to].set, part);
    } else if (chain.size() < kMaxChainLength && m_random.below(4) == 0) {
        CostedSet own{{m_pool.intern(part)}};
        const bool isBefore = m_random.below(2) == 0;
        if (isBefore)
            own.resident = std::exchange(chain[at].resident, 0);
        else
            own.retain = std::exchange(chain[at].retain, 0);
        chain[at].set = left;
        chain.insert(chain.begin() + static_cast<std::ptrdiff_t>(at + (isBefore ? 0 : 1)), own);
        return true;
    }
    chain[at].set = left;
    if (m_random.below(5) == 0)
        if (const std::optional<OpId> another = neighbour(left))
            chain[at].set = with(left, {*another});
    return true;
}

bool PricingWalk::insertOp(Chain& chain, std::size_t at)
{
    const std::optional<OpId> o =
        chain.size() < kMaxChainLength ? neighbour(chain[at].set) : std::optional<OpId>();
    if (!o)
        return false;
    const bool isBefore = m_random.below(2) == 0;
    (isBefore ? chain[at].resident : chain[at].retain) = 0;
    chain.insert(chain.begin() + static_cast<std::ptrdiff_t>(at + (isBefore ? 0 : 1)),
                 CostedSet{{m_pool.intern({*o})}});
    return true;
}

bool PricingWalk::fuse(Chain& chain, std::size_t at)
{
    if (at + 1 >= chain.size())
        return false;
    chain[at].set = with(chain[at].set, m_pool.set(chain[at + 1].set).ops);
    chain[at].retain = chain[at + 1].retain;
    chain.erase(chain.begin() + static_cast<std::ptrdiff_t>(at + 1));
    return true;
}

bool PricingWalk::shorten(Chain& chain)
{
    if (chain.size() < 2)
        return false;
    if (m_random.below(2) == 0) {
        chain.erase(chain.begin());
        chain.front().resident = 0;
    } else {
        chain.pop_back();
        chain.back().retain = 0;
    }
    return true;
}

/// Changes the list of tensors that a column of the chain retains for the next one to a random subset of the
/// tensors that can be handed over. At the ends of the chain, changes the list to one that a known column
/// retains, or to the empty list.
bool PricingWalk::changeHandedOver(Chain& chain)
{
    const std::size_t at = m_random.below(chain.size() + 1);
    if (at == 0 || at == chain.size()) {
        RetainId& list = at == 0 ? chain.front().resident : chain.back().retain;
        if (list != 0 && m_random.below(2) == 0) {
            list = 0;
            return true;
        }
        const OpSet& set = m_pool.set((at == 0 ? chain.front() : chain.back()).set);
        std::vector<RetainId> fitting;
        for (const RetainId r : m_master.lists())
            if (isWithin(m_pool.retain(r), at == 0 ? set.inputs : set.produced))
                fitting.push_back(r);
        if (fitting.empty())
            return false;
        list = m_random.pick(fitting);
        return true;
    }
    std::vector<TensorId> some;
    for (const TensorId t : handedOver(m_pool.set(chain[at - 1].set), m_pool.set(chain[at].set)))
        if (m_random.below(2) == 0)
            some.push_back(t);
    if (some.empty())
        return false;
    chain[at - 1].retain = chain[at].resident = m_pool.internRetain(std::move(some));
    return true;
}

bool PricingWalk::isConnected(const Chain& chain) const
{
    return std::ranges::all_of(chain, [&](const CostedSet& c) { return m_pool.set(c.set).connected; });
}

bool PricingWalk::isValid(const Chain& chain) const
{
    MasterProblem::OpFlags stored;
    for (const CostedSet& c : chain) {
        const MasterProblem::OpFlags more = storedBy(m_pool, c);
        if ((more & stored).any()) // the dual prices reward storing a tensor only once
            return false;
        stored |= more;
    }
    return isConnected(chain) &&
           std::ranges::all_of(chain, [&](const CostedSet& c) { return m_master.canHandOver(c); });
}

bool PricingWalk::repairChain(Chain& chain, std::size_t at, bool handOverAll)
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
        if (kept.empty() && handOverAll)
            kept = all;
        if (!kept.empty()) {
            chain[i].retain = chain[i + 1].resident = m_pool.internRetain(std::move(kept));
            continue;
        }
        if (m_random.below(2) == 0)
            return false;
        chain[i].retain = chain[i + 1].resident = 0;
        const auto middle = chain.begin() + static_cast<std::ptrdiff_t>(i + 1);
        if (at <= i) {
            chain.erase(middle, chain.end());
        } else {
            chain.erase(chain.begin(), middle);
            at -= i + 1;
            i = static_cast<std::size_t>(-1); // restarts the loop at the first column
        }
    }
    return isValid(chain);
}

bool PricingWalk::change(Chain& chain)
{
    const std::size_t at = m_random.below(chain.size());
    const std::uint32_t dice = m_random.below(100);
    const bool handOverAll = m_random.below(4) != 0;
    const bool isChanged = dice < 35   ? addOps(chain, at)
                           : dice < 62 ? removeOps(chain, at)
                           : dice < 72 ? insertOp(chain, at)
                           : dice < 78 ? fuse(chain, at)
                           : dice < 84 ? shorten(chain)
                                       : changeHandedOver(chain);
    return isChanged && repairChain(chain, std::min(at, chain.size() - 1), handOverAll);
}

double PricingWalk::price(const Chain& chain) const
{
    double sum = 0;
    for (const CostedSet& c : chain)
        sum += m_master.price(c);
    return sum;
}

double PricingWalk::reducedCost(Chain& chain, double most)
{
    const double allowed = most + price(chain);
    double cost = 0;
    for (const CostedSet& c : chain)
        cost += m_pool.latencyFloor(c);
    for (CostedSet& c : chain) {
        if (!(cost <= allowed && cost < kInfinity))
            return kInfinity;
        cost -= m_pool.latencyFloor(c);
        c.latency = m_pool.latencyBelow(allowed - cost, c);
        cost += c.latency;
    }
    return cost <= allowed ? cost - price(chain) : kInfinity;
}

void PricingWalk::storeChain(const Chain& chain, double reducedCost)
{
    if (reducedCost < -kMinReducedCost * m_master.value() &&
        std::ranges::any_of(chain, [&](const CostedSet& c) { return !m_master.knows(c); }))
        m_foundChains.push_back({reducedCost, chain});
}

void PricingWalk::mirror(const Chain& chain)
{
    const Problem& problem = m_pool.problem();
    std::vector<OpId> ops;
    for (const CostedSet& c : chain)
        ops = united(ops, m_pool.set(c.set).ops);
    const OpId from = m_random.pick(ops);
    if (m_mirror.alike(from).size() < 2)
        return;
    for (const TensorId t : m_pool.retain(chain.front().resident))
        // A tensor without a producer is a graph input that stays in fast memory.
        if (const auto producer = problem.producer(t))
            ops = united(ops, {*producer});
    for (const OpId to : m_mirror.alike(from)) {
        const auto image = to == from ? std::nullopt : m_mirror.image(ops, from, to);
        if (!image)
            continue;
        bool isWhole = true;
        const auto listOf = [&](RetainId list) {
            std::vector<TensorId> out;
            for (const TensorId t : m_pool.retain(list)) {
                const auto other = m_mirror.image(*image, t);
                isWhole = isWhole && other;
                out.push_back(other.value_or(t));
            }
            return m_pool.internRetain(std::move(out));
        };
        Chain found;
        for (const CostedSet& c : chain) {
            std::vector<OpId> set;
            for (const OpId o : m_pool.set(c.set).ops)
                set.push_back(*(*image)[o.index()]);
            found.push_back({{m_pool.intern(std::move(set)), listOf(c.resident), listOf(c.retain)}});
        }
        if (isWhole && isValid(found))
            storeChain(found, reducedCost(found, 0));
    }
}

void PricingWalk::walk(Chain chain, int steps, double temperature, const std::function<bool()>& keepGoing)
{
    double current = reducedCost(chain, kInfinity);
    if (!(current < kInfinity))
        return;
    const std::size_t before = m_foundChains.size();
    for (int i = 0; i < steps && (i % 16 != 0 || keepGoing()); ++i) {
        Chain next = chain;
        if (!change(next))
            continue;
        const double most = current - std::log(1.0 - m_random.unit()) * temperature;
        const double changed = reducedCost(next, most);
        if (!(changed <= most))
            continue;
        current = changed;
        chain = std::move(next);
        storeChain(chain, current);
    }
    // Keeps only the best chains of this walk, since the chains of one walk are much alike.
    const auto own = m_foundChains.begin() + static_cast<std::ptrdiff_t>(before);
    std::ranges::stable_sort(own, m_foundChains.end(), {}, &FoundChain::reducedCost);
    if (m_foundChains.size() > before + kMaxChainsPerWalk)
        m_foundChains.resize(before + kMaxChainsPerWalk);
}

/// Returns a chain that contains the column. In most cases, neighbours are added: columns of the LP solution
/// that hand tensors to the column or take tensors from it.
PricingWalk::Chain PricingWalk::chainAround(std::size_t column, const std::vector<std::size_t>& used)
{
    const std::vector<MasterProblem::Column>& all = m_master.columns();
    Chain out{all[column]};
    if (m_random.below(3) == 0)
        return out;
    const auto pick = [&](auto&& fits) {
        std::vector<std::size_t> fitting;
        std::ranges::copy_if(used, std::back_inserter(fitting), [&](std::size_t i) { return fits(all[i]); });
        return fitting.empty() ? std::nullopt : std::optional<CostedSet>(all[m_random.pick(fitting)]);
    };
    while (out.back().retain != 0 && out.size() + 1 < kMaxChainLength) {
        const auto next = pick([&](const CostedSet& c) { return c.resident == out.back().retain; });
        if (!next)
            break;
        out.push_back(*next);
    }
    while (out.front().resident != 0 && out.size() + 1 < kMaxChainLength) {
        const auto previous = pick([&](const CostedSet& c) { return c.retain == out.front().resident; });
        if (!previous)
            break;
        out.insert(out.begin(), *previous);
    }
    return out;
}

void PricingWalk::joinAnother(Chain& chain, const std::vector<std::size_t>& used)
{
    const CostedSet& other = m_master.columns()[m_random.pick(used)];
    if (chain.back().retain != 0 || other.resident != 0)
        return;
    std::vector<TensorId> tensors = handedOver(m_pool.set(chain.back().set), m_pool.set(other.set));
    if (tensors.empty())
        return;
    chain.push_back(other);
    chain[chain.size() - 2].retain = chain.back().resident = m_pool.internRetain(std::move(tensors));
}

std::size_t PricingWalk::round(int mostSteps, const std::function<bool()>& keepGoing)
{
    const std::vector<MasterProblem::Column>& all = m_master.columns();
    const std::vector<std::size_t> used = m_master.usedColumns();
    double average = 0;
    double shares = 0;
    m_usedBy.assign(m_pool.problem().opCount(), {});
    for (const std::size_t i : used) {
        average += m_master.valueOf(i) * all[i].latency;
        shares += m_master.valueOf(i);
        for (const OpId o : m_pool.set(all[i].set).ops)
            m_usedBy[o.index()].push_back(all[i].set);
    }
    average /= shares;
    m_foundChains.clear();
    const int steps = std::min(mostSteps, m_steps);
    const auto temperature = [&] {
        return average * kMinTemperature * std::pow(kMaxTemperature / kMinTemperature, m_random.unit());
    };
    for (const std::size_t i : used) {
        Chain chain = chainAround(i, used);
        if (m_random.below(3) == 0)
            joinAnother(chain, used);
        mirror(chain);
        walk(std::move(chain), steps, temperature(), keepGoing);
        if (!keepGoing())
            return 0;
    }
    for (std::size_t i = 0; i < used.size() && keepGoing(); ++i)
        if (const CostedSet& c = m_random.pick(all); m_master.reducedCost(c) < kMaxStartReducedCost * average)
            walk({c}, steps, temperature(), keepGoing);
    for (std::size_t i = 0, found = m_foundChains.size(); i < found; ++i)
        mirror(Chain(m_foundChains[i].chain));
    std::ranges::stable_sort(m_foundChains, {}, &FoundChain::reducedCost);
    std::size_t added = 0;
    for (const FoundChain& find : m_foundChains) {
        if (added >= kMaxColumnsPerRound)
            break;
        for (const CostedSet& c : find.chain)
            added += m_master.add(c) ? 1 : 0;
    }
    // Adapts the length of walks. If many new columns are found, the dual prices soon change, so short walks
    // suffice; if few are found, longer walks may find more.
    if (steps == m_steps)
        m_steps = added > kMaxColumnsPerRound / 2    ? std::max(kMinSteps, m_steps / 2)
                  : added < kMaxColumnsPerRound / 10 ? std::min(kMaxSteps, m_steps * 2)
                                                     : m_steps;
    return added;
}

} // namespace tilewright
