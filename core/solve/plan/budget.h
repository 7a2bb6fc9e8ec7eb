// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cstddef>

namespace tilewright {

/// Seconds of search that suit a problem of this size when nobody names a budget: a tenth of what the contest
/// allows, and beyond its largest problem in proportion, up to a minute.
[[nodiscard]] constexpr double suggestedSeconds(std::size_t ops)
{
    return ops <= 5     ? 0.2
           : ops <= 20  ? 0.5
           : ops <= 32  ? 1.5
           : ops <= 63  ? 3
           : ops <= 103 ? 6
           : ops <= 152 ? 12
                        : std::min(60.0, 12.0 * static_cast<double>(ops) / 152);
}

} // namespace tilewright
