// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "chart/lane.h"
#include "workspace/systolic_document.h"

namespace tilewright::ui {

/// The active PEs over time with the phases, as one lane.
[[nodiscard]] LaneModel wavefrontLanes(const SystolicDocument& state);

} // namespace tilewright::ui
