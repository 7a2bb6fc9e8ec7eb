// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/graph/graph_geometry.h"
#include "views/graph/graph_model.h"

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

/// The arrangement `before` with the areas of another schedule: every node and line stays where it is. What
/// the graph shows at once while a large one is being arranged anew; an area that did not exist before is
/// drawn round the areas that it unites and round each op besides. Nothing where areas are not all that
/// changes: cards.
[[nodiscard]] std::shared_ptr<const GraphGeometry> regrouped(const GraphGeometry& before,
                                                             const Schedule& schedule);

/// The picture on the way from one arrangement to the next, t in 0..1: what both have moves, the rest stands
/// at its new place.
[[nodiscard]] GraphModel between(const GraphModel& from, const GraphModel& to, double t);

} // namespace tilewright::ui
