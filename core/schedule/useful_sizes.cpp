// SPDX-License-Identifier: GPL-3.0-or-later
#include "schedule/useful_sizes.h"

#include "base/integer.h"

#include <algorithm>

namespace tilewright {

std::vector<std::int64_t> usefulSizes(std::int64_t extent, std::int64_t native, std::int64_t limit)
{
    constexpr std::int64_t kMaxTileCounts = 128;
    const std::int64_t most = std::min(extent, limit);
    std::vector<std::int64_t> sizes{most};
    // A size between two of these values gives as many tiles as the smaller one but needs more memory.
    const std::int64_t firstCount = ceilDiv(extent, most);
    for (std::int64_t n = firstCount; n < firstCount + kMaxTileCounts && n <= extent; ++n)
        sizes.push_back(ceilDiv(extent, n));
    for (std::int64_t p = 1; p <= most; p *= 2)
        sizes.push_back(p);
    for (std::int64_t s = native; s >= 1; s /= 2)
        sizes.push_back(s);
    std::erase_if(sizes, [most](std::int64_t s) { return s < 1 || s > most; });
    std::sort(sizes.begin(), sizes.end());
    sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
    return sizes;
}

} // namespace tilewright
