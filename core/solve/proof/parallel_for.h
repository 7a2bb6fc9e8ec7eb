// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/workers.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <thread>

namespace tilewright {

/// Returns the number of threads to use; 0 stands for all hardware threads.
[[nodiscard]] inline std::size_t threadsFor(std::size_t wanted)
{
    return wanted > 0 ? wanted : std::max(1U, std::thread::hardware_concurrency());
}

/// Calls work(thread, i) for every i below `count`, in several threads if `count` is large enough. The
/// calling thread polls goOn(number of finished calls). When goOn() returns false, the function stops and
/// returns false.
template <class GoOn, class Work>
[[nodiscard]] bool forAllInThreads(std::size_t threads, std::size_t count, const GoOn& goOn, const Work& work)
{
    constexpr std::size_t kBlock = 64;
    std::atomic<std::size_t> next = 0;
    std::atomic<bool> stopped = false;
    const auto run = [&](std::size_t thread) {
        while (!stopped.load(std::memory_order_relaxed)) {
            const std::size_t begin = next.fetch_add(kBlock);
            if (begin >= count)
                return;
            if (thread == 0 && !goOn(begin)) {
                stopped.store(true, std::memory_order_relaxed);
                return;
            }
            for (std::size_t i = begin; i < std::min(begin + kBlock, count); ++i)
                work(thread, i);
        }
    };
    Workers workers([&] { stopped = true; });
    for (std::size_t thread = 1; thread < threads && thread * kBlock < count; ++thread)
        workers.start([&run, thread] { run(thread); });
    workers.run([&run] { run(0); });
    workers.join();
    return !stopped;
}

} // namespace tilewright
