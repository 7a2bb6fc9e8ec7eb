// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/graph/graph_model.h"

namespace tilewright::ui {

/// The picture on the way from one arrangement to the next, t in 0..1: what both have moves, the rest stands
/// at its new place.
[[nodiscard]] GraphModel between(const GraphModel& from, const GraphModel& to, double t);

} // namespace tilewright::ui
