// SPDX-License-Identifier: GPL-3.0-or-later
// The figures of a placement in fast memory, by the places that `place --json` gives them.
#pragma once

#include "figures/figure.h"
#include "verbs/schedule.h"

#include <memory>

namespace tilewright::figures {

/// Returns the figures of a placement: of the buffers of a schedule, or of a file of buffers.
[[nodiscard]] Figures placeFigures(std::shared_ptr<const verbs::PlaceAnswer> answer);

} // namespace tilewright::figures
