// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "edit/suggestions.h"

#include <cstddef>
#include <functional>
#include <stop_token>
#include <vector>

namespace tilewright {

/// A suggestion, with the subgraph for which it was found.
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

/// Limits of the search. A subgraph takes about ten milliseconds, a schedule of thousands of subgraphs up to
/// minutes.
struct AdviceLimits
{
    std::size_t changes = 5;
    std::size_t subgraphs = 40;
    /// On a stop request, the changes found so far are returned.
    std::stop_token stop;
    /// Called after each subgraph with the changes found so far; may be empty.
    std::function<void(const BestChanges&)> found = {};
};

/// Returns the changes of one subgraph that are worth offering: the repairs of its issues, and suggestions().
/// Best first.
[[nodiscard]] std::vector<Suggestion> changesOf(const Problem& problem, const Schedule& schedule,
                                                const Evaluation& evaluation, SubgraphId subgraph,
                                                const std::stop_token& stop = {});

/// Returns the best single changes of a whole schedule. Each change is listed once, although changesOf() two
/// subgraphs can contain it (fusing 3 with 4 is fusing 4 with 3). Subgraphs that cannot run are examined
/// first, then the slowest ones.
[[nodiscard]] BestChanges bestChanges(const Problem& problem, const Schedule& schedule,
                                      const Evaluation& evaluation, const AdviceLimits& limits = {});

} // namespace tilewright
