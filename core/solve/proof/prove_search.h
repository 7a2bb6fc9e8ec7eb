// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "solve/plan/plan.h"
#include "solve/proof/prove_columns.h"

#include <functional>
#include <optional>

namespace tilewright {

/// What the subgraphs of a ProofSearch cost.
enum class ProofCosts : std::uint8_t {
    AnyOrder, ///< what no tiling in any order of its tiles goes below
    Presets   ///< the best tiling with a preset traversal
};

struct ProofSearchLimits
{
    std::function<bool()> keepGoing;
    std::function<void(double)> onBound; ///< a higher bound, sometimes
    std::size_t nodes = 3'000'000;       ///< about 150 bytes each
};

struct ProofSearchResult
{
    bool finished = false;          ///< the space was covered
    double bound = 0;               ///< no schedule whose subgraphs cost so takes less
    std::vector<CostedSet> entries; ///< of a better schedule than the upper bound, with Presets
    double total = std::numeric_limits<double>::infinity();
    std::int64_t states = 0;
};

/// The cheapest way through the states (results in slow memory, results in fast memory) of R3 by the columns
/// that are left, which all are decided: partition, order, recomputation and what stays where. What remains
/// is estimated by the prices.
[[nodiscard]] ProofSearchResult searchProof(ProofColumns& columns, const ProofGraph& graph,
                                            SubgraphPool& pool, ProofCosts costs,
                                            const ProofSearchLimits& limits);

} // namespace tilewright
