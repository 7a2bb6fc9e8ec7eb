// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "solve/plan/plan.h"
#include "solve/proof/proof_columns.h"
#include "solve/proof/state_search.h"

namespace tilewright {

/// What a subgraph costs in a ProofSearch.
enum class ProofCosts : std::uint8_t {
    AnyOrder, ///< a lower bound for every order of its tiles
    Presets   ///< the latency of its best tiling with a preset traversal
};

struct ProofSearchResult
{
    bool finished = false;          ///< the space was covered
    double bound = 0;               ///< no schedule whose subgraphs cost that much takes less
    std::vector<CostedSet> entries; ///< with Presets: a schedule that is better than the upper bound
    double total = std::numeric_limits<double>::infinity();
    std::int64_t states = 0;
};

/// The cheapest plan of the columns that are left, all of them decided, by A*: partition, order,
/// recomputation and what stays in fast memory. The dual prices estimate what remains.
[[nodiscard]] ProofSearchResult searchProof(ProofColumns& columns, const ProofGraph& graph,
                                            SubgraphPool& pool, ProofCosts costs,
                                            const StateSearch::Limits& limits);

} // namespace tilewright
