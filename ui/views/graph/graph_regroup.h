// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/graph/graph_geometry.h"

namespace tilewright::ui {

/// The arrangement `before` with the areas of another schedule: every node and line stays where it is. What
/// the graph shows at once while a large one is being arranged anew; an area that did not exist before is
/// drawn round the areas that it unites and round each op besides. Nothing where areas are not all that
/// changes: cards.
[[nodiscard]] std::shared_ptr<const GraphGeometry> regrouped(const GraphGeometry& before,
                                                             const Schedule& schedule);

} // namespace tilewright::ui
