// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/progress.h"

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <stop_token>
#include <thread>

namespace tilewright::verbs {

/// Requests a stop when `interrupt` does, or after `seconds` (0: never).
class Deadline
{
public:
    Deadline(double seconds, const std::stop_token& interrupt)
        : m_forward(interrupt, [this] { m_source.request_stop(); })
    {
        if (seconds > 0)
            m_timer = std::jthread([this, seconds](const std::stop_token& done) {
                std::mutex mutex;
                std::unique_lock lock(mutex);
                std::condition_variable_any().wait_for(lock, done, std::chrono::duration<double>(seconds),
                                                       [] { return false; });
                m_source.request_stop();
            });
    }
    [[nodiscard]] Progress progress() const { return {m_source.get_token(), {}}; }

private:
    std::stop_source m_source;
    std::stop_callback<std::function<void()>> m_forward;
    std::jthread m_timer;
};

} // namespace tilewright::verbs
