// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <vector>

namespace tilewright {

/// Candidate tile sizes along an axis of `extent` elements with native size `native`, ascending: the smallest
/// size for each tile count, powers of two, the native size and its halves. No size is above min(extent,
/// limit). `limit` is the largest legal size (the native size under rule set `final`). Returns at most a few
/// hundred values.
[[nodiscard]] std::vector<std::int64_t> usefulSizes(std::int64_t extent, std::int64_t native,
                                                    std::int64_t limit);

} // namespace tilewright
