// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "place/step_items.h"
#include "views/memory/timeline.h"

#include <QString>

#include <memory>
#include <optional>
#include <vector>

namespace tilewright::ui {

/// The addresses of all buffers in fast memory over the time of a schedule (docs/rules/place.md). Immutable.
struct AddressMap
{
    ProblemPtr problem;
    QString hint; ///< why there are no addresses; empty if there are
    PlacedSchedule placed;
    std::vector<double> start, end; ///< times of every item on the axis of the timeline
    std::vector<std::size_t> order; ///< item indices, sorted by start
    std::int64_t capacity = 0;

    [[nodiscard]] const StepItem& item(std::size_t i) const { return placed.items.items[i]; }
    [[nodiscard]] std::int64_t offset(std::size_t i) const { return placed.placement.offsets[i]; }
    /// The item at an address and a time; nullopt for free memory. Where a buffer is taken over from a tile,
    /// the tile.
    [[nodiscard]] std::optional<std::size_t> at(double time, double address) const;
};

/// Null if stopped before there was a placement.
[[nodiscard]] std::shared_ptr<const AddressMap>
buildAddressMap(const Snapshot& snapshot, const Timeline& timeline, const Progress& progress);

/// "Placed in 20 480 of 25 000 elements, the least that is possible · fragmentation 0 %".
[[nodiscard]] QString addressTitle(const AddressMap& map);
/// "T3, input [0:16, 0:32] at 4 096 to 6 144, subgraph 2, steps 3 to 7".
[[nodiscard]] QString addressText(const AddressMap& map, std::size_t item);
/// The items that are in memory at a time: tab-separated, one line per item.
[[nodiscard]] QString addressesAsText(const AddressMap& map, double time);

} // namespace tilewright::ui
