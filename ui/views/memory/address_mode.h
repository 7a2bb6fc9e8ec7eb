// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "chart/lane.h"
#include "views/memory/address_map.h"
#include "views/memory/memory_model.h"
#include "workspace/latest_job.h"
#include "workspace/selection.h"

namespace tilewright::ui {

/// The memory timeline by address instead of by use: where everything lies, in the same chart over the same
/// time.
class AddressMode
{
public:
    /// `changed`: the picture is another one.
    AddressMode(const Selection& selection, std::function<void()> changed);

    [[nodiscard]] bool isOn() const { return m_on; }
    void toggle();
    /// While it is on, the map follows the snapshot; the one before stands until then.
    void follow(const SnapshotPtr& snapshot, const std::shared_ptr<const Timeline>& timeline);
    /// Puts addresses in the place of the stack of uses.
    void replaceStack(LaneModel& lanes, const MemoryModel& model) const;
    /// The tensor at a place of the stack's lane; `y`: 0 at its top.
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
    SnapshotPtr m_asked; ///< what the map is of, or will be
    std::shared_ptr<const AddressMap> m_map;
    LatestJob<Answer> m_job;
};

} // namespace tilewright::ui
