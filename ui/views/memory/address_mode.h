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

/// The addresses of all buffers in fast memory during a schedule (docs/rules/place.md). Immutable.
struct AddressMap
{
    ProblemPtr problem;
    QString hint; ///< the reason why there are no addresses; empty if there are addresses
    PlacedSchedule placed;
    std::vector<double> start, end; ///< start and end of each item on the time axis of the timeline
    std::vector<std::size_t> order; ///< indices of the items, sorted by start
    std::int64_t capacity = 0;

    [[nodiscard]] const StepItem& item(std::size_t i) const { return placed.items.items[i]; }
    [[nodiscard]] std::int64_t offset(std::size_t i) const { return placed.placement.offsets[i]; }
    /// Returns the item at an address and a time; nullopt for free memory. If a tile turns into a buffer at
    /// the same address, returns the tile.
    [[nodiscard]] std::optional<std::size_t> at(double time, double address) const;
};

/// Computes the map. Null if stopped before any placement was found.
[[nodiscard]] std::shared_ptr<const AddressMap>
buildAddressMap(const Snapshot& snapshot, const Timeline& timeline, const Progress& progress);

/// Title of the map: "Placed in 20 480 of 25 000 elements, minimal, proven · fragmentation 0 %".
[[nodiscard]] QString addressTitle(const AddressMap& map);
/// Text on an item: "T3, input [0:16, 0:32] at 4 096 to 6 144, subgraph 2, steps 3 to 7".
[[nodiscard]] QString addressText(const AddressMap& map, std::size_t item);
/// Returns the items that are in memory at a time as tab-separated text, one line per item.
[[nodiscard]] QString addressesAsText(const AddressMap& map, double time);

/// The memory timeline by address instead of by use: it shows the position of each buffer over time, in the
/// same chart.
class AddressMode
{
public:
    /// `changed` is called when the picture changes.
    AddressMode(const Selection& selection, std::function<void()> changed);

    [[nodiscard]] bool isOn() const { return m_on; }
    void toggle();
    /// Makes the map follow the snapshot while the mode is active. The previous map stays visible until the
    /// new one is ready.
    void follow(const SnapshotPtr& snapshot, const std::shared_ptr<const Timeline>& timeline);
    /// Replaces the stack of uses in the lanes by the map of addresses.
    void replaceStack(LaneModel& lanes, const MemoryModel& model) const;
    /// Returns the tensor at a position in the lane of the stack. `y`: 0 at the top of the lane.
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
    SnapshotPtr m_requested; ///< the snapshot that the map shows, or will show when the job has finished
    std::shared_ptr<const AddressMap> m_map;
    LatestJob<Answer> m_job;
};

} // namespace tilewright::ui
