// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "place/lots.h"

#include <stop_token>

namespace tilewright {

/// The lowest of the first-fit placements in several orders. Stopped: the lowest so far, at least a placement
/// that takes n log n time.
[[nodiscard]] std::vector<std::int64_t> greedyOffsets(const Component& component,
                                                      const std::stop_token& stop = {});
/// Moves every lot down as far as possible, from the lowest to the highest.
void settle(const Component& component, std::vector<std::int64_t>& offsets);
[[nodiscard]] std::int64_t heightOf(const Component& component, const std::vector<std::int64_t>& offsets);
/// The largest sum of sizes in any section of time.
[[nodiscard]] std::int64_t peakOf(const Component& component);

} // namespace tilewright
