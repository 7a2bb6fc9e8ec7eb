// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/graph/graph_geometry.h"
#include "views/graph/graph_model.h"

#include <QMap>
#include <QPointF>

namespace tilewright::ui {

/// Displacement of each node that was moved by hand (nudged), by nudgeName() (see Document::Nudges).
using GraphNudges = QMap<QString, QPointF>;

/// Returns the name of a node in the session file. The name is stable across edits. It differs between the
/// two directions of the graph, in which nodes have different positions.
[[nodiscard]] QString nudgeName(const GraphKey& key, bool leftToRight);

/// Returns the layout with the nodes moved by hand. Their lines follow, areas that contain them grow, and
/// nothing else moves. Returns `arranged` itself if no node was moved.
[[nodiscard]] std::shared_ptr<const GraphGeometry>
nudged(const std::shared_ptr<const GraphGeometry>& arranged, const GraphNudges& nudges);

/// Returns the nudges after moving these nodes further by `by`.
[[nodiscard]] GraphNudges movedOn(GraphNudges nudges, const std::vector<GraphKey>& nodes, bool leftToRight,
                                  QPointF by);

/// Returns the layout `before` with the areas of another schedule; all nodes and lines stay in place. The
/// graph shows it while a large graph is being laid out. A new area is drawn around the old areas that it
/// unites, or around each of its ops. nullopt if more than the areas changes, for example cards.
[[nodiscard]] std::shared_ptr<const GraphGeometry> regrouped(const GraphGeometry& before,
                                                             const Schedule& schedule);

/// Returns an intermediate picture between two layouts, t in 0..1: common items move, all other items are at
/// their new position.
[[nodiscard]] GraphModel between(const GraphModel& from, const GraphModel& to, double t);

} // namespace tilewright::ui
