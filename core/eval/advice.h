// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "eval/explain.h"

#include <stop_token>
#include <vector>

namespace tilewright {

/// A change somewhere in a schedule, found at one of its subgraphs.
struct Advice
{
    SubgraphId subgraph;
    Suggestion change;
};

/// The single changes of a whole schedule that help most, the best first: what explain() suggests, each once
/// (fusing 3 with 4 is fusing 4 with 3). Looks at what cannot run first, then at the subgraphs that take
/// longest, `looked` of them at most: some ten milliseconds each. A stop gives what is known.
[[nodiscard]] std::vector<Advice> bestChanges(const Problem& problem, const Schedule& schedule,
                                              const Evaluation& evaluation, std::size_t most,
                                              std::size_t looked, std::stop_token stop = {});

} // namespace tilewright
