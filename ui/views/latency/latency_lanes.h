// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "chart/lane.h"
#include "views/latency/latency_model.h"

#include <optional>
#include <set>

namespace tilewright::ui {

struct LatencyOverlay
{
    std::set<SubgraphId> selected;
    std::optional<SubgraphId> current;
    std::optional<SubgraphId> hover;
};

/// Bars side by side, one unit of the axis each, above the numbers of their subgraphs. `overlay` may change
/// later.
[[nodiscard]] LaneModel latencyLanes(const std::shared_ptr<const LatencyModel>& model,
                                     const std::shared_ptr<const LatencyOverlay>& overlay);

} // namespace tilewright::ui
