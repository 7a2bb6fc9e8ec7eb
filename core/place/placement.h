// SPDX-License-Identifier: GPL-3.0-or-later
// Addresses in fast memory (docs/rules/place.md): dynamic storage allocation, solved exactly.
#pragma once

#include "base/progress.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tilewright {

/// A contiguous range of elements at one offset, alive in [lower, upper). One that takes over a larger buffer
/// (docs/rules/place.md 1.4) is narrower at first: `narrowSize` elements before `narrowUntil`.
struct PlacementItem
{
    std::int64_t lower = 0;
    std::int64_t upper = 0;
    std::int64_t size = 0;
    std::int64_t narrowUntil = 0; ///< at most `lower`: never narrow
    std::int64_t narrowSize = 0;  ///< at most `size`

    [[nodiscard]] bool narrows() const noexcept { return narrowUntil > lower; }
    [[nodiscard]] std::int64_t sizeAt(std::int64_t time) const noexcept
    {
        return time < narrowUntil ? narrowSize : size;
    }
};

/// Where the items lie, and what is known of the least height.
struct Placement
{
    std::vector<std::int64_t> offsets; ///< of every item
    std::int64_t height = 0;           ///< all items lie in [0, height)
    std::int64_t peak = 0;             ///< largest sum of sizes at one time; no height goes below it
    std::int64_t leastHeight = 0;      ///< every lower height is excluded; `height` when that is the least
    std::int64_t timePoints = 0;       ///< different sets of items that follow one another
    std::int64_t searched = 0;         ///< items that differ from all others, the search's real size
    std::int64_t nodes = 0;            ///< of the search

    [[nodiscard]] bool proven() const noexcept { return leastHeight == height; }
    /// What is lost between the items: (height - peak) / peak.
    [[nodiscard]] double fragmentation() const noexcept
    {
        return peak > 0 ? static_cast<double>(height - peak) / static_cast<double>(peak) : 0;
    }
};

struct PlacementOptions
{
    std::int64_t maxNodes = 0; ///< of the search; 0: until it is done or stopped
    /// Stop once the answer for the capacity is known, without looking for the least height.
    bool onlyWhetherItFits = false;
};

/// The lowest placement: anytime (the best found when the stop token says so), deterministic, exact when it
/// ends by itself. Sizes are positive and their sum fits; every item is alive for some time.
[[nodiscard]] Placement findPlacement(std::span<const PlacementItem> items, std::int64_t capacity,
                                      const Progress& progress = {}, const PlacementOptions& options = {});

/// Why these offsets are no placement in [0, capacity), naming the first items at fault by their position;
/// nothing when they are one. Knows nothing of the search.
struct PlacementFault
{
    std::size_t item = 0;
    std::optional<std::size_t> other; ///< that overlaps it; otherwise the item leaves the memory
};
[[nodiscard]] std::optional<PlacementFault> placementFault(std::span<const PlacementItem> items,
                                                           std::span<const std::int64_t> offsets,
                                                           std::int64_t capacity);

} // namespace tilewright
