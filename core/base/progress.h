// SPDX-License-Identifier: GPL-3.0-or-later
// Stop requests, progress and time of long computations.
#pragma once

#include <chrono>
#include <functional>
#include <stop_token>
#include <string_view>

namespace tilewright {

/// Stop request and progress callback of a long computation. `fraction` is the completed part, 0 to 1.
struct Progress
{
    std::stop_token stop;
    std::function<void(double fraction, std::string_view phase)> report;

    [[nodiscard]] bool stopRequested() const noexcept { return stop.stop_requested(); }
    void tell(double fraction, std::string_view phase = {}) const
    {
        if (report)
            report(fraction, phase);
    }
};

/// Returns the time of a monotonic clock, in seconds.
[[nodiscard]] inline double wallClock()
{
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

} // namespace tilewright
