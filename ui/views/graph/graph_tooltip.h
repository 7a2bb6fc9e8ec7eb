// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "canvas/view.h"
#include "canvas/viewport.h"
#include "views/graph/graph_hit.h"
#include "views/graph/graph_model.h"

#include <QString>

namespace tilewright::ui {

/// The graph in one sentence, for the accessible description.
[[nodiscard]] QString graphSummary(const Snapshot& snapshot);

/// Rich text with exact values. `type`: the type of the operator in the model that the op comes from.
[[nodiscard]] QString opTooltip(const Snapshot& snapshot, OpId op, const QString& type = {});
[[nodiscard]] QString tensorTooltip(const Snapshot& snapshot, TensorId tensor, const GraphTraffic& traffic,
                                    std::optional<OpId> consumer = std::nullopt);
[[nodiscard]] QString bundleTooltip(const Snapshot& snapshot, const std::vector<TensorId>& tensors);
[[nodiscard]] QString sectionTooltip(const Snapshot& snapshot, const GraphSection& section);
[[nodiscard]] QString subgraphTooltip(const Snapshot& snapshot, SubgraphId subgraph);

/// The items of the picture that `viewport` shows and that have a tooltip: nodes, tabs, lines, areas, in the
/// order of hitTest(). `tooltip` returns the text of an item.
[[nodiscard]] std::vector<PicturePart> graphParts(const GraphModel& model, const Viewport& viewport,
                                                  const std::function<QString(const GraphHit&)>& tooltip);

} // namespace tilewright::ui
