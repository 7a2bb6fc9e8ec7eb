// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "canvas/view.h"
#include "views/graph/graph_hit.h"

namespace tilewright::ui {

/// Opens the menu of what is at a place of the graph: the edits of the selection, where its ops could go and
/// what that would change.
void showGraphMenu(const ViewContext& context, const GraphGeometry& geometry, const GraphHit& hit, QPoint at,
                   QWidget* view);

} // namespace tilewright::ui
