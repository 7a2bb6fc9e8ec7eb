// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "place/step_items.h"

#include <optional>
#include <string>
#include <vector>

namespace tilewright {

/// Where a valid schedule has no addresses (docs/rules/place.md 5.2).
struct PlacementConflict
{
    SubgraphId subgraph;
    std::int64_t step = 0;          ///< within the subgraph: the fullest one of the item that finds no room
    std::vector<std::size_t> items; ///< alive then, that item first
    std::string text;               ///< one sentence
};

/// Nothing when the placement lies within the capacity, or when it is not known whether one does.
[[nodiscard]] std::optional<PlacementConflict> placementConflict(const Problem& problem,
                                                                 const PlacedSchedule& placed);

} // namespace tilewright
