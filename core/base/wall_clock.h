// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <chrono>

namespace tilewright {

/// Seconds of a clock that never goes back.
[[nodiscard]] inline double wallClock()
{
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

} // namespace tilewright
