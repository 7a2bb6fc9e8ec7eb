// SPDX-License-Identifier: GPL-3.0-or-later
// Items on a compressed time axis, the reduction to the part that must be searched, and first-fit placements.
#pragma once

#include "place/placement.h"

#include <cstdint>
#include <span>
#include <stop_token>
#include <vector>

namespace tilewright {

/// An item to place. Its lifetime is a range of points on the compressed time axis.
struct Lot
{
    int from = 0;
    int to = 0;
    std::int64_t size = 0;
    /// point from which the lot has its full size; equals `from` if the lot is never narrow
    int narrowUntil = 0;
    std::int64_t narrowSize = 0; ///< size before narrowUntil; 0 if the lot is never narrow
    [[nodiscard]] std::int64_t sizeAt(int point) const noexcept
    {
        return point < narrowUntil ? narrowSize : size;
    }
    auto operator<=>(const Lot&) const = default;
};

/// A component: lots whose lifetimes are connected, i.e. at every point between the first and the last one,
/// some lot is alive on both sides. A section of time is left out if all its lots are also alive in a
/// neighbouring section.
struct Component
{
    std::vector<Lot> lots;
    std::vector<std::size_t> items; ///< for each lot, the index of its item
    int sections = 0;
};

struct Reduced
{
    std::vector<Component> components;
    /// For each item, the item whose offset it shares. Stretches of time with equal lots between equal
    /// surrounding lots are searched only once.
    std::vector<std::size_t> representative;
    std::int64_t timePoints = 0;
    std::int64_t peak = 0;
};

/// Reduces the items to the components that must be searched. After a stop request, no further repeated
/// stretches are found.
[[nodiscard]] Reduced reduce(std::span<const PlacementItem> items, const std::stop_token& stop = {});

/// Returns the lowest of several first-fit placements, each with another order of the lots. After a stop
/// request, returns the lowest one so far, or else a placement that takes O(n log n) time for n lots.
[[nodiscard]] std::vector<std::int64_t> greedyOffsets(const Component& component,
                                                      const std::stop_token& stop = {});
/// Moves every lot down as far as possible, from the lowest to the highest.
void settle(const Component& component, std::vector<std::int64_t>& offsets);
[[nodiscard]] std::int64_t heightOf(const Component& component, const std::vector<std::int64_t>& offsets);
/// The largest sum of sizes of the lots in any section of time.
[[nodiscard]] std::int64_t peakOf(const Component& component);

} // namespace tilewright
