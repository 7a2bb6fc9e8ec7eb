// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "chart/lane.h"
#include "views/memory/address_map.h"
#include "views/memory/memory_model.h"
#include "workspace/latest_job.h"
#include "workspace/selection.h"

namespace tilewright::ui {

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
