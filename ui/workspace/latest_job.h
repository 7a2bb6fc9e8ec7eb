// SPDX-License-Identifier: GPL-3.0-or-later
// Work in the background: its thread pool, and jobs of which only the newest request matters.
#pragma once

#include <QCoreApplication>
#include <QElapsedTimer>
#include <QObject>
#include <QPointer>
#include <QThreadPool>

#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <stop_token>
#include <type_traits>
#include <utility>

namespace tilewright::ui {

/// Thread pool for background work. It is not Qt's global pool, because Qt paints large translucent areas
/// with that pool, and painting would wait for long jobs.
[[nodiscard]] QThreadPool* backgroundPool();

/// Lowers the priority of the calling worker thread below that of the window and of evaluations. Has an
/// effect on Linux only.
void standBack();

/// Background job of which only the newest request matters. A running request is finished and delivered
/// before the newest one starts: if every edit cancelled it, views would never be updated
/// (docs/design.md 5.1). With `cancelRunning` a new request stops the running one (for work of 100 ms and
/// more). `work` runs on a pool thread and must not touch widgets. `deliver` runs on the GUI thread, and
/// never after this object is destroyed. An exception of `work` is rethrown on the GUI thread, where
/// Application reports it.
template <typename R> class LatestJob : public QObject
{
public:
    using Work = std::function<R(std::stop_token)>;
    using Deliver = std::function<void(R)>;

    /// `pool`: backgroundPool(), or a separate pool for work that must never wait for other jobs.
    explicit LatestJob(Deliver deliver, bool cancelRunning = false, QThreadPool* pool = backgroundPool())
        : m_deliver(std::move(deliver)), m_pool(pool), m_cancelRunning(cancelRunning)
    {
    }
    ~LatestJob() override
    {
        m_pending = nullptr;
        m_stop.request_stop();
    }

    void request(Work work)
    {
        m_pending = std::move(work);
        m_finishEarly = false;
        ++m_requests;
        if (m_running) {
            if (m_cancelRunning)
                m_stop.request_stop();
            return;
        }
        startPending();
    }
    /// Drops the pending request and stops the running one; the result of the latter is not delivered.
    void cancel()
    {
        m_pending = nullptr;
        m_dropRunning = m_running;
        ++m_requests;
        m_stop.request_stop();
    }
    /// Stops the newest request and delivers the result that it has so far.
    void finishEarly()
    {
        m_finishEarly = m_pending != nullptr;
        m_stop.request_stop();
    }
    /// Returns a function that delivers partial results of the next request. The work passes callables to
    /// this function; they run on the GUI thread as long as the request is the newest one.
    [[nodiscard]] std::function<void(std::function<void()>)> reporter()
    {
        return [self = QPointer<LatestJob>(this), request = m_requests + 1](std::function<void()> tell) {
            QMetaObject::invokeMethod(
                QCoreApplication::instance(),
                [self, request, tell = std::move(tell)] {
                    if (self && self->m_requests == request)
                        tell();
                },
                Qt::QueuedConnection);
        };
    }
    [[nodiscard]] bool isBusy() const { return m_running || m_pending; }
    /// Waits at most `most` for the newest request. If it ends in time, it is delivered in this call,
    /// otherwise later.
    void deliverWithin(std::chrono::milliseconds most)
    {
        if (m_running && !m_pending && m_result.wait_for(most) == std::future_status::ready)
            finished(m_runs);
    }
    /// Processes events until no request is running or pending. For tests and exports.
    void waitIdle()
    {
        while (isBusy())
            QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents);
    }

private:
    void startPending()
    {
        Work work = std::exchange(m_pending, nullptr);
        m_running = true;
        m_dropRunning = false;
        m_stop = std::stop_source();
        if (std::exchange(m_finishEarly, false))
            m_stop.request_stop();
        QPointer<LatestJob> self(this);
        const bool shared = m_pool == backgroundPool();
        auto result = std::make_shared<std::promise<R>>();
        m_result = result->get_future();
        m_pool->start(
            [self, work = std::move(work), token = m_stop.get_token(), shared, result, run = ++m_runs] {
                if (shared)
                    standBack();
                try {
                    result->set_value(work(token));
                } catch (...) {
                    // finished() throws the exception on the GUI thread
                    result->set_exception(std::current_exception());
                }
                QMetaObject::invokeMethod(
                    QCoreApplication::instance(),
                    [self, run] {
                        if (self)
                            self->finished(run);
                    },
                    Qt::QueuedConnection);
            });
    }
    void finished(std::uint64_t run)
    {
        if (!m_running || run != m_runs)
            return; // deliverWithin() has already delivered this run
        std::future<R> result = std::move(m_result);
        m_running = false;
        const bool outdated = m_dropRunning || (m_cancelRunning && m_pending);
        if (m_pending)
            startPending();
        if (!outdated)
            m_deliver(result.get());
    }

    Deliver m_deliver;
    Work m_pending;
    std::stop_source m_stop;
    QThreadPool* m_pool;
    bool m_cancelRunning;
    bool m_running = false;
    bool m_dropRunning = false;
    bool m_finishEarly = false; ///< finishEarly() was called for the pending request
    std::uint64_t m_requests = 0;
    std::uint64_t m_runs = 0; ///< number of runs started so far; also the number of the current run
    std::future<R> m_result;  ///< result of the current run
};

} // namespace tilewright::ui
