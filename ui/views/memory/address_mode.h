// SPDX-License-Identifier: GPL-3.0-or-later
// The memory timeline by address: the map of all buffers, and its painting.
#pragma once

#include "chart/lane.h"
#include "place/step_items.h"
#include "views/memory/memory_model.h"
#include "views/memory/timeline.h"
#include "workspace/latest_job.h"
#include "workspace/selection.h"

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

/// "Placed in 20 480 of 25 000 elements, minimal, proven · fragmentation 0 %".
[[nodiscard]] QString addressTitle(const AddressMap& map);
/// "T3, input [0:16, 0:32] at 4 096 to 6 144, subgraph 2, steps 3 to 7".
[[nodiscard]] QString addressText(const AddressMap& map, std::size_t item);
/// The items that are in memory at a time: tab-separated, one line per item.
[[nodiscard]] QString addressesAsText(const AddressMap& map, double time);

/// The memory timeline by address instead of by use: the position of each buffer, in the same chart over the
/// same time.
class AddressMode
{
public:
    /// `changed` is called when the picture changes.
    AddressMode(const Selection& selection, std::function<void()> changed);

    [[nodiscard]] bool isOn() const { return m_on; }
    void toggle();
    /// While active, the map follows the snapshot; the previous map stays visible until the new one is ready.
    void follow(const SnapshotPtr& snapshot, const std::shared_ptr<const Timeline>& timeline);
    /// Replaces the stack of uses by addresses.
    void replaceStack(LaneModel& lanes, const MemoryModel& model) const;
    /// The tensor at a position of the stack's lane; `y`: 0 at its top.
    [[nodiscard]] std::optional<TensorId> tensorAt(double time, double y) const;
    [[nodiscard]] const std::shared_ptr<const AddressMap>& map() const { return m_map; }
    void waitIdle() { m_job.waitIdle(); }

private:
    struct Answer
    {
        SnapshotPtr of;
        std::shared_ptr<const AddressMap> map;
    };
    const Selection& m_selection;
    std::function<void()> m_changed;
    bool m_on = false;
    SnapshotPtr m_requested; ///< the snapshot that the map shows or will show
    std::shared_ptr<const AddressMap> m_map;
    LatestJob<Answer> m_job;
};

} // namespace tilewright::ui
