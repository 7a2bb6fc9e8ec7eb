// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <stop_token>
#include <string_view>

namespace tilewright {

/// What long work is given: a way to be stopped and a way to tell how far it is (0..1).
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

} // namespace tilewright
