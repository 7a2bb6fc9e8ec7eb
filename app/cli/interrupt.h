// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <stop_token>
#include <thread>

namespace tilewright::cli {

/// While an object exists, SIGINT, SIGTERM and SIGHUP (unless it is ignored, as by nohup) request a stop
/// instead of ending the process; the second signal ends it. Must be created before any thread starts,
/// because threads must inherit the blocked signals.
class InterruptGuard
{
public:
    InterruptGuard();
    ~InterruptGuard();
    InterruptGuard(const InterruptGuard&) = delete;
    InterruptGuard& operator=(const InterruptGuard&) = delete;

    [[nodiscard]] std::stop_token token() const { return m_source.get_token(); }

private:
    std::stop_source m_source;
    std::jthread m_waiter;
};

} // namespace tilewright::cli
