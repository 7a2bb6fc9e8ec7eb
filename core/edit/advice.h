// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "edit/suggestions.h"

#include <chrono>
#include <cstddef>
#include <stop_token>
#include <vector>

namespace tilewright {

/// A change somewhere in a schedule, found at one of its subgraphs.
struct Advice
{
    SubgraphId subgraph;
    Suggestion change;
};

struct BestChanges
{
    std::vector<Advice> changes; ///< the best first
    std::size_t looked = 0;      ///< at so many subgraphs
};

/// How far to look: some ten milliseconds a subgraph, seconds in schedules of thousands.
struct AdviceLimits
{
    std::size_t changes = 5;
    std::size_t subgraphs = 40;
    std::chrono::milliseconds time = std::chrono::hours(1); ///< after it no other is begun
    std::stop_token stop;                                   ///< gives what is known
};

/// The single changes of a whole schedule that help most: the suggestions(), each once (fusing 3 with 4
/// is fusing 4 with 3). Looks at what cannot run first, then at the subgraphs that take longest.
[[nodiscard]] BestChanges bestChanges(const Problem& problem, const Schedule& schedule,
                                      const Evaluation& evaluation, const AdviceLimits& limits = {});

} // namespace tilewright
