// SPDX-License-Identifier: GPL-3.0-or-later
// Addresses in fast memory (docs/rules/place.md): dynamic storage allocation with an exact solver; buffers of
// a CSV file.
#pragma once

#include "base/progress.h"
#include "base/result.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright {

/// A buffer: a contiguous range of elements at one offset, alive in [lower, upper). An item that takes over a
/// larger buffer (docs/rules/place.md 1.4) is narrow at first: before `narrowUntil` it has `narrowSize`
/// elements.
struct PlacementItem
{
    std::int64_t lower = 0;
    std::int64_t upper = 0;
    std::int64_t size = 0;
    std::int64_t narrowUntil = 0; ///< end of the narrow time; <= `lower`: never narrow
    std::int64_t narrowSize = 0;  ///< size before narrowUntil, <= `size`

    [[nodiscard]] bool narrows() const noexcept { return narrowUntil > lower; }
    [[nodiscard]] std::int64_t sizeAt(std::int64_t time) const noexcept
    {
        return time < narrowUntil ? narrowSize : size;
    }
};

/// Offsets of the items, and a lower bound on the height.
struct Placement
{
    std::vector<std::int64_t> offsets; ///< offset of each item
    std::int64_t height = 0;           ///< height of the placement: all items are in [0, height)
    std::int64_t peak = 0;             ///< largest sum of sizes at one time, a lower bound on the height
    std::int64_t leastHeight = 0;      ///< best lower bound on the height; equals `height` if that is optimal
    std::int64_t timePoints = 0; ///< number of different sets of live items that follow each other in time
    std::int64_t searched = 0;   ///< number of items whose offset is searched; the others repeat these
    std::int64_t nodes = 0;      ///< number of search nodes

    [[nodiscard]] bool proven() const noexcept { return leastHeight == height; }
    /// Fragmentation: (height - peak) / peak.
    [[nodiscard]] double fragmentation() const noexcept
    {
        return peak > 0 ? static_cast<double>(height - peak) / static_cast<double>(peak) : 0;
    }
};

struct PlacementOptions
{
    std::int64_t maxNodes = 0; ///< limit of search nodes; 0 = until finished or stopped
    /// If true, the search ends as soon as it is known whether the items fit into the capacity.
    bool onlyWhetherItFits = false;
};

/// Searches the placement with the least height. When stopped, it returns the best placement so far; if it
/// ends by itself, the placement is optimal. The result is deterministic. Preconditions: sizes are positive,
/// their sum does not overflow, and every item is alive for at least one step.
[[nodiscard]] Placement findPlacement(std::span<const PlacementItem> items, std::int64_t capacity,
                                      const Progress& progress = {}, const PlacementOptions& options = {});

/// Checks a placement independently of the search. Returns the first items that violate it: two items that
/// overlap, or an item outside of [0, capacity). nullopt if the placement is valid.
struct PlacementFault
{
    std::size_t item = 0;
    std::optional<std::size_t> other; ///< item that overlaps it; nullopt if the item is out of range
};
[[nodiscard]] std::optional<PlacementFault> placementFault(std::span<const PlacementItem> items,
                                                           std::span<const std::int64_t> offsets,
                                                           std::int64_t capacity);

/// Buffers of a CSV file with the columns id, lower, upper and size in any order (docs/rules/place.md 3.2).
struct Buffers
{
    std::vector<std::string> ids; ///< texts of the column id
    std::vector<PlacementItem> items;
};

[[nodiscard]] Result<Buffers> readBuffers(std::string_view text);
/// The CSV text of the buffers with an additional column offset.
[[nodiscard]] std::string writeBuffers(const Buffers& buffers, const std::vector<std::int64_t>& offsets);

} // namespace tilewright
