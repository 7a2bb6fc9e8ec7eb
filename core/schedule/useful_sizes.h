// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <vector>

namespace tilewright {

/// Tile sizes worth trying along an axis of `extent` elements with native size `native`, ascending: the least
/// size for each tile count, powers of two, and the native size and its halves; none above min(extent,
/// limit). `limit` is the largest legal size (the native one under rule set `final`). At most a few hundred
/// values.
[[nodiscard]] std::vector<std::int64_t> usefulSizes(std::int64_t extent, std::int64_t native,
                                                    std::int64_t limit);

} // namespace tilewright
