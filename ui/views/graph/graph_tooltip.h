// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "canvas/view.h"
#include "canvas/viewport.h"
#include "views/graph/graph_hit.h"
#include "views/graph/graph_model.h"

#include <QString>

namespace tilewright::ui {

/// Describes the graph in one sentence, for the accessible description.
[[nodiscard]] QString graphSummary(const Snapshot& snapshot);

/// Tooltip of an op as rich text with exact values. `type`: type of the operator in the model from which the
/// op was lowered.
[[nodiscard]] QString opTooltip(const Snapshot& snapshot, OpId op, const QString& type = {});
[[nodiscard]] QString tensorTooltip(const Snapshot& snapshot, TensorId tensor, const GraphTraffic& traffic,
                                    std::optional<OpId> consumer = std::nullopt);
[[nodiscard]] QString bundleTooltip(const Snapshot& snapshot, const std::vector<TensorId>& tensors);
[[nodiscard]] QString sectionTooltip(const Snapshot& snapshot, const GraphSection& section);
[[nodiscard]] QString subgraphTooltip(const Snapshot& snapshot, SubgraphId subgraph);

/// Returns the items of the picture that have a tooltip and are visible in `viewport`: nodes, tabs, lines,
/// areas, in the order of hitTest(). `tooltip` returns the text of an item.
[[nodiscard]] std::vector<PicturePart> graphParts(const GraphModel& model, const Viewport& viewport,
                                                  const std::function<QString(const GraphHit&)>& tooltip);

} // namespace tilewright::ui
