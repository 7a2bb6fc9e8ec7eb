// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "place/placement.h"
#include "place/step_items.h"

#include <string>
#include <string_view>

namespace tilewright {

/// Content of an item: "input", "output", "accumulator", "interior" or "retained".
[[nodiscard]] std::string_view itemKindName(Resident::Kind kind);

/// JSON documents of `place --json` (docs/design.md 3.2): the result and each item with its offset.
[[nodiscard]] std::string placementJson(const Problem& problem, const PlacedSchedule& placed);
[[nodiscard]] std::string placementJson(const Buffers& buffers, const Placement& placement,
                                        std::int64_t capacity);

/// The items of a schedule as buffers of a CSV file. Times are numbers of steps.
[[nodiscard]] Buffers buffersOf(const Problem& problem, const StepItems& items);

} // namespace tilewright
