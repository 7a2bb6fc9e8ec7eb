// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/graph/graph_geometry.h"
#include "views/graph/graph_model.h"

#include <QMap>
#include <QPointF>

namespace tilewright::ui {

/// Distances by which nodes were moved by hand, by nudgeName() (Document::Nudges).
using GraphNudges = QMap<QString, QPointF>;

/// The name of a node in the session. It is stable across edits, and differs between the two directions of
/// the graph, which have different positions.
[[nodiscard]] QString nudgeName(const GraphKey& key, bool leftToRight);

/// Returns the layout with nodes moved by hand: their lines follow, areas that contain them grow, nothing
/// else moves. Returns `arranged` itself if no node was moved.
[[nodiscard]] std::shared_ptr<const GraphGeometry>
nudged(const std::shared_ptr<const GraphGeometry>& arranged, const GraphNudges& nudges);

/// Returns the nudges with these nodes moved further by `by`.
[[nodiscard]] GraphNudges movedOn(GraphNudges nudges, const std::vector<GraphKey>& nodes, bool leftToRight,
                                  QPointF by);

/// Returns the layout `before` with the areas of another schedule; all nodes and lines stay in place. The
/// graph shows it while a large graph is being laid out. A new area is drawn around the areas that it unites,
/// or around each op. nullopt if more than areas change, for example cards.
[[nodiscard]] std::shared_ptr<const GraphGeometry> regrouped(const GraphGeometry& before,
                                                             const Schedule& schedule);

/// An intermediate picture between two layouts, t in 0..1: common items move, the rest is at its new
/// position.
[[nodiscard]] GraphModel between(const GraphModel& from, const GraphModel& to, double t);

} // namespace tilewright::ui
