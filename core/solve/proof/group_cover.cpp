// SPDX-License-Identifier: GPL-3.0-or-later
#include "solve/proof/group_cover.h"

#include "base/wall_clock.h"
#include "solve/proof/cover_prices.h"
#include "solve/proof/prove_threads.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace tilewright {

namespace {

constexpr std::size_t kListed = 3000; ///< sets of a component that are looked at from the start
constexpr std::size_t kArcs = 4'000'000, kToldArcs = 100'000;
constexpr std::size_t kFoundAtOnce = 4000;
// Of the best prices over what is known so far a part is looked at: the smaller, the fewer sets exceed it.
constexpr double kFirstPart = 0.9, kFirstPartOfMany = 0.7, kLeastPart = 0.5;
constexpr std::size_t kMany = 200;   ///< ops
constexpr double kLower = 1.02;      ///< half of what is left to that is taken off where too many do
constexpr double kAlmost = 1 - 1e-3; ///< then all of it
constexpr std::size_t kFew = 500;    ///< so few that more is looked at
constexpr double kFindShare = 0.35; ///< of the time that is left; where that is not enough, less is looked at
constexpr double kBestReached = 1 - 1e-8;

std::vector<OpId> allOf(const std::vector<std::vector<OpId>>& components)
{
    std::vector<OpId> out;
    for (const std::vector<OpId>& ops : components)
        out.insert(out.end(), ops.begin(), ops.end());
    return out;
}

} // namespace

GroupCover::GroupCover(const Problem& problem, const Rules& rules,
                       const std::vector<std::vector<OpId>>& components, const std::vector<std::size_t>& rank,
                       std::vector<std::uint32_t> classes, std::vector<CostModel>& models,
                       const std::function<double()>& secondsLeft)
    : m_problem(problem), m_rules(rules), m_ops(allOf(components)), m_rank(rank), m_threads(models.size()),
      m_cover(problem, rules, m_ops, std::move(classes), models), m_secondsLeft(secondsLeft)
{
    for (const std::vector<OpId>& ops : components)
        m_components.push_back({ops, {}, {}});
    for (const OpId o : m_ops)
        m_runs.push_back(m_cover.runs(o));
    std::ranges::sort(m_runs);
    m_runs.erase(std::unique(m_runs.begin(), m_runs.end()), m_runs.end());
}

std::vector<OpId> GroupCover::inOrder(const Set& set) const
{
    std::vector<OpId> ops(set.ops);
    std::ranges::sort(ops, {}, [&](OpId o) { return m_rank[o.index()]; });
    return ops;
}

Digest GroupCover::keyOf(const Set& set) const
{
    return m_cover.keyOf(inOrder(set), set.stayIn, set.stayOut);
}

bool GroupCover::addColumns(std::vector<Set> sets, std::vector<CoverColumns::Column>& out)
{
    SetPricing::Keys keys;
    std::erase_if(sets, [&](const Set& set) {
        const Digest key = keyOf(set);
        return m_known.contains(key) || !keys.insert(key).second;
    });
    std::vector<std::optional<CoverColumns::Column>> found(sets.size());
    const auto make = [&](std::size_t thread, std::size_t i) {
        found[i] = m_cover.subgraph(inOrder(sets[i]), sets[i].stayIn, sets[i].stayOut, thread);
    };
    if (!forAllInThreads(
            m_threads, sets.size(), [&](std::size_t) { return m_secondsLeft() > 0; }, make))
        return false;
    m_known.merge(keys);
    for (std::optional<CoverColumns::Column>& column : found) {
        if (!column) {
            m_isKnown = false;
            return false;
        }
        if (std::isfinite(column->least))
            out.push_back(std::move(*column));
    }
    return true;
}

/// Those of few ops.
bool GroupCover::list(Component& component)
{
    component.graph =
        FrontierGraph::build(m_problem, m_rules, component.ops, m_cover,
                             {.arcs = kArcs, .toldArcs = kToldArcs, .secondsLeft = m_secondsLeft});
    if (!component.graph)
        return false;
    component.pricing.emplace(m_problem, m_rules, component.ops, *component.graph);
    return addColumns(component.pricing->smallSets(kListed), m_columns);
}

bool GroupCover::find(const std::vector<double>& prices, double value, std::vector<CoverColumns::Column>& out)
{
    const double until = wallClock() + kFindShare * m_secondsLeft();
    bool all = true;
    for (Component& component : m_components) {
        SetPricing::Found found = component.pricing->find(
            prices, [this](const Set& set) { return keyOf(set); }, m_known,
            {.sets = kFoundAtOnce,
             .unit = value / static_cast<double>(m_ops.size()),
             .secondsLeft = [&] { return std::min(m_secondsLeft(), until - wallClock()); },
             .threads = m_threads});
        all = addColumns(std::move(found.sets), out) && all && found.all;
    }
    return all;
}

SetCoverBound GroupCover::run(std::size_t mostSets)
{
    for (Component& component : m_components)
        if (!list(component))
            return {};
    CoverPricer pricer(m_cover, m_columns, m_threads, m_secondsLeft);
    CoverPrices certain;
    double part = m_ops.size() > kMany ? kFirstPartOfMany : kFirstPart;
    bool best = false;
    while (m_secondsLeft() > 0 && m_columns.size() < mostSets && m_isKnown) {
        pricer.improve();
        CoverPrices now = pricer.best();
        best = certain.value >= now.value * kBestReached;
        if (best)
            break;
        const double reached = certain.value / now.value;
        part = std::max(part, reached + (1 - reached) / 3);
        for (double& price : now.prices)
            price *= 1 - (1 - part) / 2;
        const double less = (1 - part) / 2 * now.value / static_cast<double>(m_ops.size());
        for (const std::size_t row : m_runs)
            now.prices[row] = std::max(0.0, now.prices[row] - less);
        std::vector<CoverColumns::Column> more;
        const bool all = find(now.prices, now.value, more);
        const std::size_t found = more.size();
        pricer.add(std::move(more));
        if (!all) {
            part = std::max(kLeastPart, part - (kLower - part) / 2);
            continue;
        }
        now.prices = pricer.held(now.prices);
        now.value = pricer.valueOf(now.prices);
        if (now.value > certain.value)
            certain = std::move(now);
        if (found < kFew)
            part = part > kAlmost ? 1 : 1 - (1 - part) * 0.4;
    }
    SetCoverBound out;
    if (certain.value > 0)
        out = pricer.describe(m_problem, certain);
    out.sets = m_columns.size();
    out.best = best;
    return out;
}

} // namespace tilewright
