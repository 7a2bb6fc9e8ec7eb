// SPDX-License-Identifier: GPL-3.0-or-later
// Column generation: prices of the sets that are known so far are a little lowered, and what exceeds them is
// found (set_pricing.h). docs/rules/bound.md has the argument.
#include "solve/set_cover.h"

#include "base/wall_clock.h"
#include "solve/components.h"
#include "solve/cost_model.h"
#include "solve/cover_columns.h"
#include "solve/cover_prices.h"
#include "solve/prove_threads.h"
#include "solve/set_frontier.h"
#include "solve/set_pricing.h"

#include <algorithm>
#include <cmath>
#include <memory>

namespace tilewright {

namespace {

constexpr std::size_t kListed = 3000; ///< sets of a component that are looked at from the start
constexpr FrontierGraph::Limits kArcs{.arcs = 4'000'000, .toldArcs = 100'000};
constexpr std::size_t kFoundAtOnce = 4000;
// Of the best prices over what is known so far a part is looked at: the smaller, the fewer sets exceed it.
constexpr double kFirstPart = 0.9, kLeastPart = 0.5;
constexpr double kLower = 1.02;      ///< half of what is left to that is taken off where too many do
constexpr double kAlmost = 1 - 1e-3; ///< then all of it
constexpr std::size_t kFew = 500;    ///< so few that more is looked at
constexpr double kFindShare = 0.35; ///< of the time that is left; where that is not enough, less is looked at
constexpr double kBestReached = 1 - 1e-8;

class SetCover
{
public:
    SetCover(const Problem& problem, const Rules& rules, const SetCoverLimits& limits)
        : m_problem(problem), m_rules(rules), m_limits(limits), m_until(wallClock() + limits.seconds),
          m_rank(problem.opCount()), m_threads(threadsFor(limits.threads)), m_cover(problem, rules, m_threads)
    {
        for (std::size_t i = 0; i < m_rank.size(); ++i)
            m_rank[problem.topologicalOrder()[i].index()] = i;
    }
    SetCoverBound run();

private:
    using Set = SetPricing::Set;
    struct Component
    {
        std::vector<OpId> ops;
        SetPricing::Known known;
        std::unique_ptr<FrontierGraph> graph;
        std::unique_ptr<SetPricing> pricing;
    };
    [[nodiscard]] double secondsLeft() const
    {
        return m_limits.keepGoing && !m_limits.keepGoing() ? 0 : std::max(0.0, m_until - wallClock());
    }
    bool list(Component& component);
    bool addColumns(Component& component, const std::vector<Set>& sets,
                    std::vector<CoverColumns::Column>& out);
    /// More columns that prices exceed; whether those are all.
    bool find(const std::vector<double>& prices, std::vector<CoverColumns::Column>& out);

    const Problem& m_problem;
    const Rules& m_rules;
    const SetCoverLimits& m_limits;
    double m_until;
    std::vector<std::size_t> m_rank; ///< in topological order, by op
    std::size_t m_threads;
    CoverColumns m_cover;
    std::vector<CoverColumns::Column> m_columns;
    std::vector<Component> m_components;
    bool m_isKnown = true; ///< what all sets cost that were asked for
};

bool SetCover::addColumns(Component& component, const std::vector<Set>& sets,
                          std::vector<CoverColumns::Column>& out)
{
    std::vector<std::optional<CoverColumns::Column>> found(sets.size());
    const auto make = [&](std::size_t thread, std::size_t i) {
        std::vector<OpId> ops(sets[i].ops);
        std::ranges::sort(ops, {}, [&](OpId o) { return m_rank[o.index()]; });
        found[i] = m_cover.subgraph(ops, sets[i].stayIn, sets[i].stayOut, thread);
    };
    if (!forAllInThreads(
            m_threads, sets.size(), [&](std::size_t) { return secondsLeft() > 0; }, make))
        return false;
    for (std::size_t i = 0; i < sets.size(); ++i) {
        if (!found[i]) {
            m_isKnown = false;
            return false;
        }
        component.known.insert(sets[i]);
        if (std::isfinite(found[i]->least))
            out.push_back(std::move(*found[i]));
    }
    return true;
}

/// Those of few ops.
bool SetCover::list(Component& component)
{
    auto graph = FrontierGraph::build(m_problem, m_rules, component.ops, m_cover, kArcs);
    if (!graph)
        return false;
    component.graph = std::make_unique<FrontierGraph>(std::move(*graph));
    component.pricing = std::make_unique<SetPricing>(m_problem, m_rules, component.ops, *component.graph);
    return addColumns(component, component.pricing->smallSets(kListed), m_columns);
}

bool SetCover::find(const std::vector<double>& prices, std::vector<CoverColumns::Column>& out)
{
    const double until = wallClock() + kFindShare * secondsLeft();
    bool all = true;
    for (Component& component : m_components) {
        const SetPricing::Found found = component.pricing->find(
            prices, component.known,
            {.sets = kFoundAtOnce,
             .secondsLeft = [&] { return std::min(secondsLeft(), until - wallClock()); },
             .threads = m_threads});
        all = addColumns(component, found.sets, out) && all && found.all;
    }
    return all;
}

SetCoverBound SetCover::run()
{
    for (std::vector<OpId>& ops : componentsOf(m_problem, m_rules))
        m_components.push_back({std::move(ops), {}, nullptr, nullptr});
    for (Component& component : m_components)
        if (!list(component))
            return {};
    const std::function<double()> left = [this] { return secondsLeft(); };
    CoverPricer pricer(m_cover, m_columns, m_threads, left);
    CoverPrices certain;
    double part = kFirstPart;
    bool best = false;
    while (secondsLeft() > 0 && m_columns.size() < m_limits.sets && m_isKnown) {
        pricer.improve();
        CoverPrices now = pricer.best();
        best = certain.value >= now.value * kBestReached;
        if (best)
            break;
        const double reached = certain.value / now.value;
        part = std::max(part, reached + (1 - reached) / 3);
        for (double& price : now.prices)
            price *= 1 - (1 - part) / 2;
        const double less = (1 - part) / 2 * now.value / static_cast<double>(m_problem.opCount());
        for (std::size_t i = 0; i < m_problem.opCount(); ++i) {
            double& price = now.prices[m_cover.runs(OpId(i))];
            price = std::max(0.0, price - less);
        }
        std::vector<CoverColumns::Column> more;
        const bool all = find(now.prices, more);
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
    if (certain.value <= 0)
        return {};
    SetCoverBound out = pricer.describe(m_problem, certain);
    out.sets = m_columns.size();
    out.best = best;
    return out;
}

} // namespace

SetCoverBound setCoverBound(const Problem& problem, const Rules& rules, const SetCoverLimits& limits)
{
    if (problem.opCount() == 0 || !CostModel::supports(rules))
        return {};
    return SetCover(problem, rules, limits).run();
}

} // namespace tilewright
