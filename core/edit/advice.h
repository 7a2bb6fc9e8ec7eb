// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "edit/suggestions.h"

#include <cstddef>
#include <functional>
#include <stop_token>
#include <vector>

namespace tilewright {

/// A suggested change, with the subgraph for which it was found.
struct Advice
{
    SubgraphId subgraph;
    Suggestion change;
};

struct BestChanges
{
    std::vector<Advice> changes; ///< best first
    std::size_t looked = 0;      ///< number of subgraphs examined
};

/// Limits of the search for changes. Examining a subgraph takes about ten milliseconds, a schedule of
/// thousands of subgraphs up to minutes.
struct AdviceLimits
{
    std::size_t changes = 5;
    std::size_t subgraphs = 40;
    /// Stop request; the changes found so far are returned then.
    std::stop_token stop;
    /// Called after each subgraph with the changes found so far; may be empty.
    std::function<void(const BestChanges&)> found = {};
};

/// Returns the changes of one subgraph that are worth offering, the best first: the repairs of its issues,
/// and suggestions().
[[nodiscard]] std::vector<Suggestion> changesOf(const Problem& problem, const Schedule& schedule,
                                                const Evaluation& evaluation, SubgraphId subgraph,
                                                const std::stop_token& stop = {});

/// Returns the best single changes of a whole schedule. Each change is listed once, even if changesOf() finds
/// it for two subgraphs (fusing 3 with 4 is fusing 4 with 3). Subgraphs that cannot run are examined first,
/// then the slowest ones.
[[nodiscard]] BestChanges bestChanges(const Problem& problem, const Schedule& schedule,
                                      const Evaluation& evaluation, const AdviceLimits& limits = {});

} // namespace tilewright
