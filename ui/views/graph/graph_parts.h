// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "canvas/live_picture.h"
#include "canvas/viewport.h"
#include "views/graph/graph_hit.h"

namespace tilewright::ui {

/// What can be pointed at in the picture that `viewport` shows: nodes, tabs, lines, areas, as hitTest()
/// prefers them. `tooltip` says of each what the screen does.
[[nodiscard]] std::vector<PicturePart> graphParts(const GraphModel& model, const Viewport& viewport,
                                                  const std::function<QString(const GraphHit&)>& tooltip);

} // namespace tilewright::ui
