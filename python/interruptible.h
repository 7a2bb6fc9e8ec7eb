// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "values.h"

#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <stop_token>
#include <thread>
#include <type_traits>

namespace tilewright::python {

/// A JSON document, and true if the work was interrupted before its end.
using Answer = std::pair<std::string, bool>;

/// Runs long work in a separate thread. Meanwhile the calling thread handles Ctrl+C, `stop` and the callbacks
/// of the work; it holds Python's lock only for these.
class Session
{
public:
    /// `stop`: None, a threading.Event, or a function that returns true to stop; it is called about 50 times
    /// per second.
    explicit Session(const py::object& stop)
        : m_stop(py::hasattr(stop, "is_set") ? py::object(stop.attr("is_set")) : stop)
    {
    }

    [[nodiscard]] std::stop_token token() const { return m_source.get_token(); }
    /// True if Ctrl+C was pressed.
    [[nodiscard]] bool interrupted() const noexcept { return m_interrupted; }
    /// True if Ctrl+C was pressed or `stop` requested a stop.
    [[nodiscard]] bool stopped() const { return m_source.stop_requested(); }
    /// Called by the work: lets the calling thread call `message`, with Python's lock.
    void tell(std::function<void()> message)
    {
        const std::scoped_lock lock(m_mutex);
        m_messages.push_back(std::move(message));
        m_news.notify_one();
    }

    template <typename Work> auto run(Work&& work) -> std::invoke_result_t<Work>
    {
        std::optional<std::invoke_result_t<Work>> out;
        std::exception_ptr failed;
        std::optional<LongWork> running(std::in_place, m_source);
        std::jthread worker([&] {
            try {
                out.emplace(work());
            } catch (...) {
                failed = std::current_exception();
            }
            running.reset();
            const std::scoped_lock lock(m_mutex);
            m_done = true;
            m_news.notify_one();
        });
        while (watch()) {
        }
        {
            const Released released;
            worker.join();
        }
        if (m_raised)
            std::rethrow_exception(m_raised);
        if (failed)
            std::rethrow_exception(failed);
        return std::move(*out);
    }

    /// Raises KeyboardInterrupt, for interrupted work that has no result to return.
    [[noreturn]] static void raiseInterrupt()
    {
        PyErr_SetNone(PyExc_KeyboardInterrupt);
        throw py::error_already_set();
    }

private:
    /// Waits for messages for a short time and calls them. Returns false if the work is done.
    bool watch()
    {
        std::deque<std::function<void()>> messages;
        bool done = false;
        {
            const Released released;
            constexpr std::chrono::milliseconds kPause(20);
            std::unique_lock lock(m_mutex);
            m_news.wait_for(lock, kPause, [this] { return m_done || !m_messages.empty(); });
            messages.swap(m_messages);
            done = m_done;
        }
        try {
            for (const auto& message : messages)
                if (!m_raised)
                    message();
            if (PyErr_CheckSignals() != 0)
                throw py::error_already_set();
            if (!done && !stopped() && !m_stop.is_none() && isTrue(m_stop()))
                m_source.request_stop();
        } catch (py::error_already_set& error) {
            m_source.request_stop();
            if (error.matches(PyExc_KeyboardInterrupt))
                m_interrupted = true;
            else if (!m_raised)
                m_raised = std::current_exception();
        }
        return !done;
    }

    static bool isTrue(const py::object& value)
    {
        const int truth = PyObject_IsTrue(value.ptr());
        if (truth < 0)
            throw py::error_already_set();
        return truth != 0;
    }

    py::object m_stop;
    std::stop_source m_source;
    std::mutex m_mutex;
    std::condition_variable m_news;
    std::deque<std::function<void()>> m_messages;
    /// Exception raised by `stop` or by a message; thrown again in the calling thread.
    std::exception_ptr m_raised;
    bool m_done = false, m_interrupted = false;
};

} // namespace tilewright::python
