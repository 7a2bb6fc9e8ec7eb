// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/graph/graph_model.h"

#include <QString>

namespace tilewright::ui {

/// Rich text with exact values.
[[nodiscard]] QString opTooltip(const Snapshot& snapshot, OpId op);
[[nodiscard]] QString tensorTooltip(const Snapshot& snapshot, TensorId tensor, const GraphTraffic& traffic);
[[nodiscard]] QString bundleTooltip(const Snapshot& snapshot, const std::vector<TensorId>& tensors);
[[nodiscard]] QString sectionTooltip(const Snapshot& snapshot, const GraphSection& section);
[[nodiscard]] QString subgraphTooltip(const Snapshot& snapshot, SubgraphId subgraph);

} // namespace tilewright::ui
