// SPDX-License-Identifier: GPL-3.0-or-later
// Items on a compressed axis of time, and what of them has to be searched at all.
#pragma once

#include "place/placement.h"

#include <cstdint>
#include <span>
#include <vector>

namespace tilewright {

/// An item between the points of a compressed axis of time.
struct Lot
{
    int from = 0;
    int to = 0;
    std::int64_t size = 0;
    int narrowUntil = 0;         ///< `from` when it never narrows
    std::int64_t narrowSize = 0; ///< 0 when it never narrows
    [[nodiscard]] std::int64_t sizeAt(int point) const noexcept
    {
        return point < narrowUntil ? narrowSize : size;
    }
    auto operator<=>(const Lot&) const = default;
};

/// Lots whose times hang together: no moment in their span is without one of them that goes on. Sections of
/// time whose lots are all in a neighbouring section too are left out.
struct Component
{
    std::vector<Lot> lots;
    std::vector<std::size_t> items; ///< by lot: the item it stands for
    int sections = 0;
};

struct Reduced
{
    std::vector<Component> components;
    /// By item: the item that has its offset. Stretches of time that repeat between the same surrounding
    /// items are searched once.
    std::vector<std::size_t> representative;
    std::int64_t timePoints = 0;
    std::int64_t peak = 0;
};

[[nodiscard]] Reduced reduce(std::span<const PlacementItem> items);

} // namespace tilewright
