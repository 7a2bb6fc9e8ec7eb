// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "chart/lane.h"
#include "views/memory/memory_model.h"
#include "views/memory/memory_panel.h"

#include <array>

namespace tilewright::ui {

struct MemoryColumns
{
    std::vector<TimelineColumn> current, baseline;
};

/// A cache of the pixel columns of the visible range and of the whole timeline, so that moving mouse and
/// cursor needs no new computation.
class MemoryCache
{
public:
    const MemoryColumns& at(const MemoryModel& model, double from, double to, int width, bool whole);

private:
    struct Entry
    {
        double from = 0, to = 0;
        int width = -1;
        MemoryColumns columns;
    };
    std::shared_ptr<const Timeline> m_timeline, m_baseline;
    std::shared_ptr<const TensorTrack> m_track;
    std::array<Entry, 2> m_entries;
};

/// Returns lanes for the stack of memory uses and, below it, the running subgraphs.
[[nodiscard]] LaneModel memoryLanes(const std::shared_ptr<const MemoryModel>& model,
                                    const std::shared_ptr<MemoryCache>& cache);

} // namespace tilewright::ui
