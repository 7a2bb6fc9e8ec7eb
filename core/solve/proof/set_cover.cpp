// SPDX-License-Identifier: GPL-3.0-or-later
// The set-cover bound of a problem. The ops are split into groups of components. Each group is priced by
// itself (GroupCover) by column generation: a master problem over the known subgraphs (SetCoverMaster), and a
// pricing problem that finds all other overpriced subgraphs (SetPricing).
#include "solve/proof/set_cover.h"

#include "base/progress.h"
#include "base/text.h"
#include "solve/cost/cost_model.h"
#include "solve/cost/op_lists.h"
#include "solve/proof/parallel_for.h"
#include "solve/proof/set_cover_master.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <iterator>
#include <unordered_map>
#include <utility>

namespace tilewright {

namespace {

/// Maximum number of small sets of a component that are columns from the start.
constexpr std::size_t kMaxSmallSets = 3000;
constexpr std::size_t kArcs = 4'000'000, kArcsWithExactDepth = 100'000;
constexpr std::size_t kFoundAtOnce = 4000;
// Price share: factor on the dual prices of the master problem before they enter the pricing problem. The
// smaller it is, the fewer sets are overpriced. The constants are its start value, its start value for many
// ops, and its minimum.
constexpr double kFirstPriceShare = 0.9, kFirstPriceShareLarge = 0.7, kMinPriceShare = 0.5;
constexpr std::size_t kLargeOps = 200; ///< number of ops above which kFirstPriceShareLarge applies
/// If too many sets are overpriced, the distance of the price share to this value is halved.
constexpr double kShareReduction = 1.02;
constexpr double kFullShare = 1 - 1e-3; ///< a price share above this value is set to 1
/// the price share is raised if a pricing finds fewer new sets than this
constexpr std::size_t kFewSets = 500;
/// Share of the remaining time for one pricing; if the pricing takes longer, the price share is lowered.
constexpr double kFindShare = 0.35;
constexpr double kBestReached = 1 - 1e-8;

/// Finds dual prices for the ops of a group of components.
class GroupCover
{
public:
    /// `rank`: position of each op in topological order. `classes`: see SetCoverMaster.
    GroupCover(const Problem& problem, const Rules& rules, const std::vector<std::vector<OpId>>& components,
               const std::vector<OpId>& ops, const std::vector<std::size_t>& rank,
               std::vector<std::uint32_t> classes, std::vector<CostModel>& models,
               std::function<double()> secondsLeft)
        : m_problem(problem), m_rules(rules), m_opCount(ops.size()), m_rank(rank), m_threads(models.size()),
          m_secondsLeft(std::move(secondsLeft)),
          m_master(problem, rules, ops, std::move(classes), models, m_secondsLeft)
    {
        for (const std::vector<OpId>& component : components)
            m_components.push_back({component, {}, {}});
        for (const OpId o : ops)
            m_runRows.push_back(m_master.rows().runs(o));
        std::ranges::sort(m_runRows);
        m_runRows.erase(std::unique(m_runRows.begin(), m_runRows.end()), m_runRows.end());
    }
    SetCoverBound run(std::size_t mostSets);

private:
    using Columns = std::vector<SetCoverMaster::Column>;
    using Set = SetPricing::Set;
    struct Component
    {
        const std::vector<OpId>& ops;
        std::optional<FrontierGraph> graph;
        std::optional<SetPricing> pricing;
    };
    [[nodiscard]] Set inTopologicalOrder(Set set) const
    {
        std::ranges::sort(set.ops, {}, [&](OpId o) { return m_rank[o.index()]; });
        return set;
    }
    [[nodiscard]] Digest keyOf(const Set& set) const { return m_master.keyOf(inTopologicalOrder(set)); }
    bool preparePricing(Component& component, Columns& out);
    bool addColumns(std::vector<Set> sets, Columns& out);
    bool priceComponents(const std::vector<double>& prices, double value, Columns& out);

    const Problem& m_problem;
    const Rules& m_rules;
    std::size_t m_opCount;
    const std::vector<std::size_t>& m_rank;
    std::size_t m_threads;
    std::function<double()> m_secondsLeft;
    SetCoverMaster m_master;
    std::deque<Component> m_components;
    /// keys of sets that pricing should not return again: columns, and sets that are too large for fast
    /// memory
    SetPricing::Keys m_known;
    /// indices of the master rows that require an op to run, without duplicates
    std::vector<std::size_t> m_runRows;
    bool m_isSupported = true; ///< false if the cost model does not support some set
};

/// Computes the costs of new sets and adds them to `out` as columns. Returns false if the time is up or a
/// cost is unknown.
bool GroupCover::addColumns(std::vector<Set> sets, Columns& out)
{
    SetPricing::Keys keys;
    std::erase_if(sets, [&](const Set& set) {
        const Digest key = keyOf(set);
        return m_known.contains(key) || !keys.insert(key).second;
    });
    std::vector<std::optional<SetCoverMaster::Column>> found(sets.size());
    const auto make = [&](std::size_t thread, std::size_t i) {
        found[i] = m_master.columnOf(inTopologicalOrder(sets[i]), thread);
    };
    if (!forAllInThreads(
            m_threads, sets.size(), [&](std::size_t) { return m_secondsLeft() > 0; }, make))
        return false;
    m_known.merge(keys);
    for (std::optional<SetCoverMaster::Column>& column : found) {
        if (!column) {
            m_isSupported = false;
            return false;
        }
        if (std::isfinite(column->cost))
            out.push_back(std::move(*column));
    }
    return true;
}

/// Prepares the pricing problem of a component. Its small sets become the first columns.
bool GroupCover::preparePricing(Component& component, Columns& out)
{
    component.graph = FrontierGraph::build(
        m_problem, m_rules, component.ops, m_master.rows(),
        {.arcs = kArcs, .arcsWithExactDepth = kArcsWithExactDepth, .secondsLeft = m_secondsLeft});
    if (!component.graph)
        return false;
    component.pricing.emplace(m_problem, m_rules, component.ops, *component.graph);
    return addColumns(component.pricing->smallSets(kMaxSmallSets), out);
}

/// Adds overpriced columns to `out`. `value` is the sum of the prices. Returns true if these are all
/// overpriced columns.
bool GroupCover::priceComponents(const std::vector<double>& prices, double value, Columns& out)
{
    const double until = wallClock() + kFindShare * m_secondsLeft();
    bool all = true;
    for (Component& component : m_components) {
        SetPricing::Found found = component.pricing->find(
            prices, [this](const Set& set) { return keyOf(set); }, m_known,
            {.sets = kFoundAtOnce,
             .unit = value / static_cast<double>(m_opCount),
             .secondsLeft = [&] { return std::min(m_secondsLeft(), until - wallClock()); },
             .threads = m_threads});
        all = addColumns(std::move(found.sets), out) && all && found.all;
    }
    return all;
}

SetCoverBound GroupCover::run(std::size_t mostSets)
{
    Columns first;
    for (Component& component : m_components)
        if (!preparePricing(component, first))
            return {};
    m_master.add(std::move(first));
    SetCoverBound out;
    double part = m_opCount > kLargeOps ? kFirstPriceShareLarge : kFirstPriceShare;
    while (m_secondsLeft() > 0 && m_master.columns().size() < mostSets && m_isSupported) {
        m_master.improve();
        const double value = m_master.value();
        out.best = out.value >= value * kBestReached;
        if (out.best)
            break;
        const double reached = out.value / value;
        part = std::max(part, reached + (1 - reached) / 3);
        // Lowers the prices: half of the decrease is proportional to them, the other half is constant for
        // each op.
        std::vector<double> prices = m_master.prices();
        for (double& price : prices)
            price *= 1 - (1 - part) / 2;
        const double less = (1 - part) / 2 * value / static_cast<double>(m_opCount);
        for (const std::size_t row : m_runRows)
            prices[row] = std::max(0.0, prices[row] - less);
        Columns more;
        const bool all = priceComponents(prices, value, more);
        const std::size_t found = more.size();
        m_master.add(std::move(more));
        if (!all) {
            part = std::max(kMinPriceShare, part - (kShareReduction - part) / 2);
            continue;
        }
        prices = m_master.lowerUntilValid(std::move(prices));
        if (const double held = m_master.valueOf(prices); held > out.value)
            out = m_master.describe(held, prices);
        if (found < kFewSets)
            part = part > kFullShare ? 1 : 1 - (1 - part) * 0.4;
    }
    out.sets = m_master.columns().size();
    return out;
}

/// Returns a digest that is equal for groups with the same structure, including the tensors that they read
/// from outside.
Digest structureOfGroup(const Problem& problem, const std::vector<OpId>& ops)
{
    std::unordered_map<std::uint32_t, std::uint64_t> place; // index of each op in the group
    for (const OpId o : ops)
        place.emplace(o.value, place.size());
    return structureOf(problem, ops, [&](Digest& d, TensorId t) {
        d.add((problem.producer(t) ? 1U : 0U) | (problem.isView(t) ? 2U : 0U) |
              (problem.isGraphOutput(t) ? 4U : 0U) | (problem.viewsOf(t).empty() ? 0U : 8U));
        for (const OpId c : problem.consumers(t)) {
            const auto at = place.find(c.value);
            d.add(at == place.end() ? place.size() : at->second);
        }
    });
}

/// Translates the bound of a group to another group with the same structure.
SetCoverBound translated(const Problem& problem, SetCoverBound bound, const std::vector<OpId>& from,
                         const std::vector<OpId>& to)
{
    std::vector<double> prices(problem.opCount(), 0);
    std::unordered_map<std::uint32_t, OpId> other;
    for (std::size_t i = 0; i < from.size(); ++i) {
        other.emplace(from[i].value, to[i]);
        if (!bound.prices.empty())
            prices[to[i].index()] = bound.prices[from[i].index()];
    }
    bound.prices = std::move(prices);
    for (PricedGroup& group : bound.groups)
        for (OpId& o : group.ops)
            o = other.at(o.value);
    bound.sets = 0; // these columns are already counted in the first group of this structure
    return bound;
}

/// Returns the sum of the quick bounds of the parts whose indices are in `which`.
SetCoverBound quickBound(const Problem& problem, const std::vector<BoundPart>& parts,
                         const std::vector<std::size_t>& which)
{
    SetCoverBound out;
    out.prices.assign(problem.opCount(), 0);
    for (const std::size_t i : which) {
        const BoundPart& part = parts[i];
        out.value += part.value;
        for (const OpId o : part.ops)
            out.prices[o.index()] = part.value / static_cast<double>(part.ops.size());
        out.groups.push_back({part.ops, part.value, 1});
    }
    return out;
}

/// Joins components to groups if a tensor may be handed over between them in fast memory, up to `together`
/// ops for each group. Returns the indices of the components of each group. Bounds of any groups add up;
/// larger groups give slightly higher bounds.
std::vector<std::vector<std::size_t>>
groupsOf(const Problem& problem, const std::vector<std::vector<OpId>>& components, std::size_t together)
{
    const std::int64_t capacity = problem.hardware().fastMemoryCapacity;
    std::vector<std::size_t> group(components.size()); // for each component, the index of its group
    std::vector<std::size_t> size;
    std::vector<std::vector<std::size_t>> out;
    std::vector<std::size_t> componentOf(problem.opCount());
    for (std::size_t i = 0; i < components.size(); ++i) {
        for (const OpId o : components[i])
            componentOf[o.index()] = i;
        group[i] = i;
        size.push_back(components[i].size());
        out.push_back({i});
    }
    for (const OpId o : problem.topologicalOrder()) {
        const TensorId t = problem.op(o).output;
        for (const OpId c : problem.consumers(t)) {
            const std::size_t a = group[componentOf[o.index()]];
            const std::size_t b = group[componentOf[c.index()]];
            if (a == b || problem.tensor(t).elements() > capacity || size[a] + size[b] > together)
                continue;
            for (const std::size_t i : out[b]) {
                group[i] = a;
                out[a].push_back(i);
            }
            out[b].clear();
            size[a] += size[b];
        }
    }
    std::erase_if(out, [](const std::vector<std::size_t>& g) { return g.empty(); });
    return out;
}

/// Sum of the bounds of all groups of components.
class SetCover
{
public:
    SetCover(const Problem& problem, const Rules& rules, const SetCoverLimits& limits)
        : m_problem(problem), m_rules(rules), m_limits(limits), m_end(wallClock() + limits.seconds),
          m_rank(problem.opCount()), m_classes(opClasses(problem)),
          m_models(threadsFor(limits.threads), CostModel(problem, rules)),
          m_components(componentsOf(problem, rules)), m_quick(lowerBoundByComponents(problem, rules).parts),
          m_opsLeft(problem.opCount())
    {
        for (std::size_t i = 0; i < m_rank.size(); ++i)
            m_rank[problem.topologicalOrder()[i].index()] = i;
        m_out.prices.assign(problem.opCount(), 0);
        m_out.best = true;
    }

    SetCoverBound run()
    {
        auto groups = groupsOf(m_problem, m_components, m_limits.opsPerGroup);
        // Small groups come first, so that the time that they do not use is left for the others.
        std::ranges::stable_sort(groups, {}, [&](const auto& g) { return opsOf(g); });
        for (const auto& group : groups)
            add(group);
        if (!m_hasBound)
            return {};
        m_out.value *= 1 - 1e-12; // lowered for rounding in the sums
        std::ranges::stable_sort(m_out.groups, std::greater<>(),
                                 [](const PricedGroup& g) { return g.least * g.share; });
        return std::move(m_out);
    }

private:
    struct Done
    {
        std::vector<OpId> ops;
        SetCoverBound bound;
    };
    [[nodiscard]] std::size_t opsOf(const std::vector<std::size_t>& group) const
    {
        std::size_t ops = 0;
        for (const std::size_t i : group)
            ops += m_components[i].size();
        return ops;
    }
    void add(const std::vector<std::size_t>& group)
    {
        std::vector<std::vector<OpId>> components;
        std::vector<OpId> ops;
        for (const std::size_t i : group) {
            components.push_back(m_components[i]);
            ops.insert(ops.end(), m_components[i].begin(), m_components[i].end());
        }
        const auto [it, isNew] = m_done.try_emplace(structureOfGroup(m_problem, ops));
        if (isNew) {
            const double share = static_cast<double>(ops.size()) / static_cast<double>(m_opsLeft);
            const double until = wallClock() + share * (m_end - wallClock());
            const auto left = [&] {
                return m_limits.keepGoing && !m_limits.keepGoing() ? 0 : std::max(0.0, until - wallClock());
            };
            const auto classes =
                ops.size() > m_limits.opsWithOwnPrices ? m_classes : std::vector<std::uint32_t>();
            it->second = {ops,
                          GroupCover(m_problem, m_rules, components, ops, m_rank, classes, m_models, left)
                              .run(m_limits.sets)};
            m_out.sets += it->second.bound.sets;
        }
        SetCoverBound bound = translated(m_problem, it->second.bound, it->second.ops, ops);
        // one of the group's components is too large, so each component is priced alone
        if (bound.value <= 0 && group.size() > 1) {
            for (const std::size_t i : group)
                add({i});
            return;
        }
        m_opsLeft -= ops.size();
        m_hasBound |= bound.value > 0;
        m_out.best &= bound.best;
        if (const SetCoverBound quick = quickBound(m_problem, m_quick, group); bound.value < quick.value)
            bound = quick;
        m_out.value += bound.value;
        for (const OpId o : ops)
            m_out.prices[o.index()] = bound.prices[o.index()];
        std::ranges::move(bound.groups, std::back_inserter(m_out.groups));
    }

    const Problem& m_problem;
    const Rules& m_rules;
    const SetCoverLimits& m_limits;
    double m_end;
    std::vector<std::size_t> m_rank;      ///< for each op, its position in topological order
    std::vector<std::uint32_t> m_classes; ///< for each op, its class of similar ops
    std::vector<CostModel> m_models;      ///< one model for each thread
    std::vector<std::vector<OpId>> m_components;
    std::vector<BoundPart> m_quick; ///< quick bound of each component
    std::size_t m_opsLeft;
    std::unordered_map<Digest, Done, DigestHash> m_done;
    SetCoverBound m_out;
    bool m_hasBound = false; ///< true if some group has been priced
};

} // namespace

/// No subgraph contains ops of several components, so the bounds of their groups add up.
SetCoverBound setCoverBound(const Problem& problem, const Rules& rules, const SetCoverLimits& limits)
{
    if (problem.opCount() == 0 || !CostModel::supports(rules) || problem.hasMaps() || problem.hasWidths())
        // The pricing problem's assumptions about slices do not hold for index maps and element widths.
        return {};
    return SetCover(problem, rules, limits).run();
}

namespace {

std::string textOf(const PricedGroup& group)
{
    const bool one = group.ops.size() == 1;
    std::string out = formatGrouped(group.ops.size()) + (one ? " op takes" : " ops together take") +
                      " at least " + formatGrouped(group.least);
    constexpr double kWhole = 1 - 1e-6;
    if (group.share < kWhole)
        out += ", of which " + fixedNumber(100 * group.share, 0) + " % counts";
    else if (group.share > 1 / kWhole)
        out += std::string(", and so do others that look like ") + (one ? "it" : "them") +
               ", so this counts " + fixedNumber(group.share, 1) + " times";
    return out;
}

/// Adds a part of the bound that concerns all ops together.
void addRest(LowerBound& bound, const Problem& problem, double value, const std::string& text)
{
    BoundPart part;
    part.ops = problem.topologicalOrder();
    part.value = value;
    part.text = text + formatGrouped(value) + " more";
    bound.parts.push_back(std::move(part));
}

} // namespace

LowerBound strongBound(const Problem& problem, const Rules& rules, const SetCoverLimits& limits)
{
    return boundOfGroups(lowerBound(problem, rules), problem, setCoverBound(problem, rules, limits));
}

LowerBound boundOfGroups(LowerBound quick, const Problem& problem, const SetCoverBound& sets)
{
    LowerBound bound = std::move(quick);
    if (sets.value <= bound.value)
        return bound;
    bound.value = sets.value;
    bound.prices = sets.prices;
    bound.parts.clear();
    double sum = 0;
    for (const PricedGroup& group : sets.groups)
        sum += group.least * group.share;
    // If the sum of the parts exceeds the bound, all parts are scaled down. They are never scaled up, because
    // no part may exceed the latency of its own group; the missing amount becomes one more part.
    const double scale = std::min(1.0, sets.value / sum);
    double inGroups = 0;
    for (const PricedGroup& group : sets.groups) {
        BoundPart part;
        part.ops = group.ops;
        part.value = group.least * group.share * scale;
        part.text = textOf(group);
        inGroups += part.value;
        bound.parts.push_back(std::move(part));
    }
    if (constexpr double kRounding = 1e-10; sets.value - inGroups > kRounding * sets.value)
        addRest(bound, problem, sets.value - inGroups,
                "in addition to these groups, all ops together take at least ");
    return bound;
}

void raiseBound(LowerBound& bound, const Problem& problem, double value)
{
    if (value <= bound.value)
        return;
    for (double& price : bound.prices)
        price *= value / bound.value;
    addRest(bound, problem, value - bound.value,
            "without fractions of groups, and in an order that can run, all ops together take at least ");
    bound.value = value;
}

std::string provenByBound()
{
    return "every valid schedule (the latency equals the lower bound)";
}

void raiseBound(SolveResult& result, double lowerBound)
{
    result.lowerBound = std::max(result.lowerBound, lowerBound);
    if (result.provenOptimal || !meetsBound(result.total, result.lowerBound))
        return;
    result.provenOptimal = true;
    result.provenSpace = provenByBound();
}

} // namespace tilewright
