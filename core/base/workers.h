// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <chrono>
#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace tilewright {

/// The threads of one computation. An exception in one of them does not end the program: the first exception
/// is kept, the other threads are told to end, and join() throws the exception in the thread that waits for
/// the result.
class Workers
{
public:
    /// `end` tells the workers to end early. It is called after an exception in a worker, and if the owner is
    /// destroyed before join().
    explicit Workers(std::function<void()> end) : m_end(std::move(end)) {}
    Workers(const Workers&) = delete;
    Workers& operator=(const Workers&) = delete;
    ~Workers()
    {
        if (!m_threads.empty())
            m_end();
    }

    /// Calls work() in a new thread. Throws std::system_error if no more threads can be created.
    template <class Work> void start(Work work)
    {
        m_threads.reserve(m_threads.size() + 1);
        count(1);
        try {
            m_threads.emplace_back([this, work = std::move(work)]() mutable {
                run(work);
                count(-1);
            });
        } catch (...) {
            count(-1);
            throw;
        }
    }

    /// Calls work() in the calling thread, as one of the workers.
    template <class Work> void run(Work&& work)
    {
        try {
            work();
        } catch (...) {
            {
                const std::lock_guard lock(m_mutex);
                if (!m_error)
                    m_error = std::current_exception();
            }
            m_end();
        }
    }

    /// Waits until all threads have ended, at most for `time`. Returns true if they have ended.
    [[nodiscard]] bool waitFor(std::chrono::milliseconds time)
    {
        std::unique_lock lock(m_mutex);
        return m_ended.wait_for(lock, time, [&] { return m_running == 0; });
    }

    /// Waits until all threads have ended, and throws the first exception of the workers.
    void join()
    {
        m_threads.clear();
        if (m_error)
            std::rethrow_exception(std::exchange(m_error, nullptr));
    }

private:
    void count(int change)
    {
        const std::lock_guard lock(m_mutex);
        m_running += change;
        m_ended.notify_all();
    }

    std::function<void()> m_end;
    std::mutex m_mutex;
    std::condition_variable m_ended;
    std::exception_ptr m_error;
    int m_running = 0;
    /// The last member, because the threads use the members above until they end.
    std::vector<std::jthread> m_threads;
};

} // namespace tilewright
