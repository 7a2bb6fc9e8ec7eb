// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "eval/occupancy.h"
#include "place/placement.h"

#include <optional>
#include <vector>

namespace tilewright {

/// A contiguous range of fast memory at one offset for its whole life (docs/rules/place.md 1).
struct StepItem
{
    Resident what; ///< Retained for whatever R9.1a reserves
    SubgraphId subgraph;
    std::int64_t firstStep = 0; ///< within the subgraph
    SubgraphId lastSubgraph;
    std::int64_t lastStep = 0; ///< within the last subgraph
    std::int64_t lower = 0;    ///< steps since the start of the schedule, half-open
    std::int64_t upper = 0;
    std::optional<std::size_t> takesOver; ///< R9.6: starts at the offset of this one
};

struct StepItems
{
    std::vector<StepItem> items;
    std::vector<std::int64_t> firstStep; ///< of every subgraph, since the start of the schedule
    std::int64_t steps = 0;
};

inline constexpr std::size_t kMostStepItems = 4'000'000;

/// The items of a valid schedule, from the trace of its steps. An Error when there are more than
/// kMostStepItems, or when it was stopped.
[[nodiscard]] Result<StepItems> stepItems(const Problem& problem, const Schedule& schedule,
                                          const Rules& rules, const Progress& progress = {});

/// What is placed: an item that takes over a buffer is one with it.
struct PlacementOfItems
{
    std::vector<PlacementItem> shapes;
    std::vector<std::size_t> shapeOf; ///< by item
};
[[nodiscard]] PlacementOfItems shapesOf(const StepItems& items);

/// A schedule with the offsets of its items.
struct PlacedSchedule
{
    StepItems items;
    Placement placement; ///< offsets of items.items
};
[[nodiscard]] Result<PlacedSchedule> placeSchedule(const Problem& problem, const Schedule& schedule,
                                                   const Rules& rules, const Progress& progress = {},
                                                   const PlacementOptions& options = {});

/// The answer in one sentence: "placed in 20 480 of 25 000 elements, the least that is possible".
[[nodiscard]] std::string placementText(const Placement& placement, std::int64_t capacity);

} // namespace tilewright
