// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "hierarchy/evaluate.h"
#include "mapping/search.h"

#include <array>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <vector>

namespace tilewright::hierarchy {

using mapping::kObjectives;
using mapping::Objective;

/// A valid mapping with its cost: pJ, cycles, pJ * cycles.
struct MappingCost
{
    Mapping mapping;
    double energy = 0;
    double cycles = 0;

    [[nodiscard]] double edp() const noexcept { return energy * cycles; }
    [[nodiscard]] double value(Objective objective) const noexcept
    {
        return objective == Objective::Energy ? energy : objective == Objective::Cycles ? cycles : edp();
    }
};

struct SearchOptions
{
    double seconds = 0; ///< time limit; 0: none
    std::stop_token stop;
};

struct SearchResult
{
    /// Best per objective (index: Objective); nothing when no valid mapping was found.
    std::array<std::optional<MappingCost>, kObjectives> best;
    std::vector<MappingCost> front; ///< energy ascending, cycles descending; one mapping per point
    bool proven = false;            ///< the whole space is settled
    std::int64_t tilings = 0;       ///< number of valid tilings; each stands for all its orders
    std::int64_t cut = 0;           ///< number of these that a bound settled
    std::int64_t evaluations = 0;   ///< number of costs computed, bounds included
    double seconds = 0;
};

/// Looks at all tilings of the layer and settles all loop orders of each (docs/rules/hierarchy.md 7). On one
/// thread, for small spaces. Preconditions: checkArchitecture(), checkCountable().
[[nodiscard]] SearchResult search(const LoopNest& nest, const Architecture& architecture,
                                  const SearchOptions& options);

} // namespace tilewright::hierarchy
