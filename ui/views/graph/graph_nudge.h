// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/graph/graph_geometry.h"

#include <QMap>
#include <QPointF>

namespace tilewright::ui {

/// By how much nodes were moved by hand, by nudgeName() (Document::Nudges).
using GraphNudges = QMap<QString, QPointF>;

/// What a node is called beside the schedule: the same through edits, and another in a graph that flows the
/// other way, where it stands elsewhere.
[[nodiscard]] QString nudgeName(const GraphKey& key, bool leftToRight);

/// The arrangement with the moved nodes at their places: what leads to them follows, areas that hold them
/// reach as far, and nothing else moves. `arranged` itself where nothing is moved.
[[nodiscard]] std::shared_ptr<const GraphGeometry>
nudged(const std::shared_ptr<const GraphGeometry>& arranged, const GraphNudges& nudges);

/// The nudges with these nodes moved on by `by`.
[[nodiscard]] GraphNudges movedOn(GraphNudges nudges, const std::vector<GraphKey>& nodes, bool leftToRight,
                                  QPointF by);

} // namespace tilewright::ui
