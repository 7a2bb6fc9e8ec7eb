// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <chrono>

namespace tilewright {

/// Returns the time of a monotonic clock, in seconds.
[[nodiscard]] inline double wallClock()
{
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

} // namespace tilewright
