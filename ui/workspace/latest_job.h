// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "workspace/background.h"

#include <QCoreApplication>
#include <QElapsedTimer>
#include <QObject>
#include <QPointer>
#include <QThreadPool>

#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <type_traits>
#include <utility>

namespace tilewright::ui {

/// Background work of which only the newest request matters. A running job is finished and delivered, then
/// the latest request is taken (cancelling on every newer edit would starve the display: docs/design.md 5.1);
/// with `cancelRunning` a newer request stops the running job first (for work of 100 ms and more).
/// `work` runs on a pool thread and must not touch widgets; `deliver` runs on the GUI thread, never after the
/// owner is gone.
template <typename R> class LatestJob : public QObject
{
public:
    using Work = std::function<R(std::stop_token)>;
    using Deliver = std::function<void(R)>;

    /// `pool`: the shared one unless the work must never wait for others.
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
    /// Forgets what is pending and stops what runs; its result is not delivered.
    void cancel()
    {
        m_pending = nullptr;
        m_dropRunning = m_running;
        ++m_requests;
        m_stop.request_stop();
    }
    /// Stops what was requested; what it has by then is delivered.
    void finishEarly()
    {
        m_finishEarly = m_pending != nullptr;
        m_stop.request_stop();
    }
    /// For the work of the next request, which tells of its parts as it goes: what it is given runs on the
    /// GUI thread, unless the request is no longer the newest by then.
    [[nodiscard]] std::function<void(std::function<void()>)> teller()
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
    /// For tests and exports: processes events until nothing is running or pending.
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
        m_pool->start([self, work = std::move(work), token = m_stop.get_token(), shared] {
            if (shared)
                standBack();
            auto result = std::make_shared<R>(work(token));
            QMetaObject::invokeMethod(
                QCoreApplication::instance(),
                [self, result] {
                    if (self)
                        self->finished(std::move(*result));
                },
                Qt::QueuedConnection);
        });
    }
    void finished(R result)
    {
        m_running = false;
        const bool outdated = m_dropRunning || (m_cancelRunning && m_pending);
        if (m_pending)
            startPending();
        if (!outdated)
            m_deliver(std::move(result));
    }

    Deliver m_deliver;
    Work m_pending;
    std::stop_source m_stop;
    QThreadPool* m_pool;
    bool m_cancelRunning;
    bool m_running = false;
    bool m_dropRunning = false;
    bool m_finishEarly = false; ///< of what is pending
    std::uint64_t m_requests = 0;
};

} // namespace tilewright::ui
