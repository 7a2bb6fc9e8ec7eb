// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

namespace tilewright::mapping {

/// Processes the parts of a search space in order with `threads` threads. Calls tell() about ten times per
/// second. `settle(worker, i)` returns true if part i is finished; the thread ends at the first part that is
/// not.
template <typename MakeWorker, typename Settle, typename Tell>
void settleParts(int threads, std::vector<std::atomic<bool>>& done, const MakeWorker& makeWorker,
                 const Settle& settle, const Tell& tell)
{
    std::atomic<std::size_t> next{0};
    std::atomic<int> running{threads};
    std::mutex mutex;
    std::condition_variable ended;
    const auto work = [&] {
        auto worker = makeWorker();
        for (std::size_t i = next++; i < done.size() && settle(worker, i); i = next++)
            done[i].store(true, std::memory_order_relaxed);
        const std::lock_guard lock(mutex);
        --running;
        ended.notify_all();
    };
    std::vector<std::jthread> workers;
    workers.reserve(static_cast<std::size_t>(threads));
    for (int t = 0; t < threads; ++t)
        workers.emplace_back(work);
    std::unique_lock lock(mutex);
    while (!ended.wait_for(lock, std::chrono::milliseconds(100), [&] { return running == 0; }))
        tell();
}

} // namespace tilewright::mapping
