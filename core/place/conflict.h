// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "place/step_items.h"

#include <optional>
#include <string>
#include <vector>

namespace tilewright {

/// The step at which a valid schedule has no addresses (docs/rules/place.md 5.2).
struct PlacementConflict
{
    SubgraphId subgraph;
    /// Within the subgraph: the step with the largest sum of sizes in the life of the unplaced item
    std::int64_t step = 0;
    std::vector<std::size_t> items; ///< items that are alive in this step; the unplaced item is first
    std::string text;               ///< the conflict as one sentence
};

/// The conflict of a placement above the capacity; nullopt if the placement fits, or if it is unknown whether
/// a fitting placement exists.
[[nodiscard]] std::optional<PlacementConflict> placementConflict(const Problem& problem,
                                                                 const PlacedSchedule& placed);

} // namespace tilewright
