// SPDX-License-Identifier: GPL-3.0-or-later
// The buffers of a schedule, and the step at which they cannot all have addresses.
#pragma once

#include "base/result.h"
#include "eval/memory_use.h"
#include "place/placement.h"

#include <optional>
#include <string>
#include <vector>

namespace tilewright {

/// A contiguous range of fast memory that keeps its offset for its whole life (docs/rules/place.md 1).
struct StepItem
{
    Resident what; ///< content; Resident::Kind::Retained for everything that R9.1a reserves
    SubgraphId subgraph;
    std::int64_t firstStep = 0; ///< first step of the life, as an index within `subgraph`
    SubgraphId lastSubgraph;
    std::int64_t lastStep = 0; ///< last step of the life, as an index within `lastSubgraph`
    std::int64_t lower = 0;    ///< half-open life [lower, upper), in steps since the start of the schedule
    std::int64_t upper = 0;
    std::optional<std::size_t> takesOver; ///< item whose offset this item takes over (R9.6)
};

struct StepItems
{
    std::vector<StepItem> items;
    /// for each subgraph, the number of steps before it in the schedule
    std::vector<std::int64_t> firstStep;
    std::int64_t steps = 0;
};

inline constexpr std::size_t kMaxStepItems = 4'000'000;

/// The items of a valid schedule, from the trace of its steps. Returns an Error if there are more than
/// kMaxStepItems items, or if stopped.
[[nodiscard]] Result<StepItems> stepItems(const Problem& problem, const Schedule& schedule,
                                          const Rules& rules, const Progress& progress = {});

/// The input of the placement. An item that takes over a buffer is merged with the item of that buffer.
struct PlacementOfItems
{
    std::vector<PlacementItem> shapes;
    std::vector<std::size_t> shapeOf; ///< per item: index of its shape
};
[[nodiscard]] PlacementOfItems shapesOf(const StepItems& items);

/// A schedule with the offsets of its items.
struct PlacedSchedule
{
    StepItems items;
    Placement placement; ///< offsets by index of items.items
};
[[nodiscard]] Result<PlacedSchedule> placeSchedule(const Problem& problem, const Schedule& schedule,
                                                   const Rules& rules, const Progress& progress = {},
                                                   const PlacementOptions& options = {});

/// Sentence about the result: "placed in 20 480 of 25 000 elements, the least that is possible".
[[nodiscard]] std::string placementText(const Placement& placement, std::int64_t capacity);

/// The step of a valid schedule in which the items cannot get addresses (docs/rules/place.md 5.2).
struct PlacementConflict
{
    SubgraphId subgraph;
    /// Index within the subgraph. It is the step in the life of the unplaced item in which the sum of all
    /// sizes is largest.
    std::int64_t step = 0;
    std::vector<std::size_t> items; ///< items that are alive in this step; the unplaced item is first
    std::string text;               ///< the conflict as one sentence
};

/// The conflict of a placement whose height exceeds the capacity. nullopt if the placement fits, or if it is
/// unknown whether a fitting placement exists.
[[nodiscard]] std::optional<PlacementConflict> placementConflict(const Problem& problem,
                                                                 const PlacedSchedule& placed);

} // namespace tilewright
