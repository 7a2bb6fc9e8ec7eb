// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "solve/plan/plan.h"
#include "solve/proof/proof_columns.h"
#include "solve/proof/state_search.h"

namespace tilewright {

/// Cost of a subgraph in a ProofSearch.
enum class ProofCosts : std::uint8_t {
    AnyOrder, ///< lower bound for every order of the tiles
    Presets   ///< the latency of its best tiling with a preset traversal
};

struct ProofSearchResult
{
    bool finished = false; ///< true if the whole space was covered
    double bound = 0;      ///< lower bound of the latency of every plan, with these costs
    /// a plan with a latency below the upper bound, if ProofCosts::Presets was searched and found one
    std::vector<CostedSet> entries;
    double total = std::numeric_limits<double>::infinity();
    std::int64_t states = 0;
};

/// Finds the cheapest plan made of the remaining columns by A*. All columns must be decided. The search
/// covers partition, order, recomputation and retained tensors; dual prices estimate the remaining latency.
[[nodiscard]] ProofSearchResult searchProof(ProofColumns& columns, const ProofGraph& graph,
                                            SubgraphPool& pool, ProofCosts costs,
                                            const StateSearch::Limits& limits);

} // namespace tilewright
