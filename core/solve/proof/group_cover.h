// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "rules/rules.h"
#include "solve/cost/cost_model.h"
#include "solve/proof/cover_columns.h"
#include "solve/proof/set_cover.h"
#include "solve/proof/set_frontier.h"
#include "solve/proof/set_pricing.h"
#include "workload/problem.h"

#include <cstddef>
#include <deque>
#include <functional>
#include <optional>
#include <vector>

namespace tilewright {

/// Prices for the ops of some components, by column generation: those over the sets known so far are made a
/// little lower, and what exceeds them is found (docs/rules/bound.md 4).
class GroupCover
{
public:
    /// `rank`: in topological order, by op. `classes`: by op, if those that look alike have the same prices.
    /// Models: one for each thread.
    GroupCover(const Problem& problem, const Rules& rules, const std::vector<std::vector<OpId>>& components,
               const std::vector<std::size_t>& rank, std::vector<std::uint32_t> classes,
               std::vector<CostModel>& models, const std::function<double()>& secondsLeft);
    SetCoverBound run(std::size_t mostSets);

private:
    using Set = SetPricing::Set;
    [[nodiscard]] std::vector<OpId> inOrder(const Set& set) const;
    [[nodiscard]] Digest keyOf(const Set& set) const;
    struct Component
    {
        const std::vector<OpId>& ops;
        std::optional<FrontierGraph> graph;
        std::optional<SetPricing> pricing;
    };
    bool list(Component& component);
    bool addColumns(std::vector<Set> sets, std::vector<CoverColumns::Column>& out);
    /// More columns that prices exceed; whether those are all. `value`: what the prices add up to.
    bool find(const std::vector<double>& prices, double value, std::vector<CoverColumns::Column>& out);

    const Problem& m_problem;
    const Rules& m_rules;
    std::vector<OpId> m_ops;
    const std::vector<std::size_t>& m_rank; ///< in topological order, by op
    std::size_t m_threads;
    CoverColumns m_cover;
    const std::function<double()>& m_secondsLeft;
    std::vector<CoverColumns::Column> m_columns;
    std::deque<Component> m_components;
    SetPricing::Keys m_known;        ///< of the columns, and of what does not fit
    std::vector<std::size_t> m_runs; ///< rows
    bool m_isKnown = true;           ///< what all sets cost that were asked for
};

} // namespace tilewright
