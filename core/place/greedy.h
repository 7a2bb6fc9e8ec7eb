// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "place/lots.h"

namespace tilewright {

/// The lowest of first-fit placements in several orders; quick also for a million lots.
[[nodiscard]] std::vector<std::int64_t> greedyOffsets(const Component& component);
/// Lets every lot drop as far as it goes, the lowest first.
void settle(const Component& component, std::vector<std::int64_t>& offsets);
[[nodiscard]] std::int64_t heightOf(const Component& component, const std::vector<std::int64_t>& offsets);
/// The largest sum of sizes in a section.
[[nodiscard]] std::int64_t peakOf(const Component& component);

} // namespace tilewright
