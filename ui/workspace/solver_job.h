// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "solve/search/solver.h"
#include "workload/problem.h"

#include <QObject>

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

namespace tilewright::ui {

/// Clock that counts seconds from its construction, without pauses.
class PausableClock
{
public:
    [[nodiscard]] double seconds() const;
    void setPaused(bool paused);
    [[nodiscard]] bool isPaused() const { return m_paused; }

private:
    using Clock = std::chrono::steady_clock;
    mutable std::mutex m_mutex;
    std::atomic<bool> m_paused{false}; ///< atomic, so that frequent queries need no lock
    Clock::time_point m_start = Clock::now();
    std::optional<Clock::time_point> m_pausedAt;
    Clock::duration m_rested{};
};

/// Runs the solver in its own thread. Signals arrive on the thread of this object. After stop(), finished()
/// still delivers the best schedule so far.
class SolverJob : public QObject
{
    Q_OBJECT
public:
    using QObject::QObject;
    ~SolverJob() override;

    void start(ProblemPtr problem, SolveOptions options);
    void stop();
    /// Pauses or resumes the solver; the time limit is paused too. stop() also works while paused.
    void setPaused(bool paused) { m_clock->setPaused(paused); }
    [[nodiscard]] bool isPaused() const { return m_running && m_clock->isPaused(); }
    [[nodiscard]] double seconds() const
    {
        return m_clock->seconds();
    } ///< duration of the run without pauses
    /// Stops the run and drops its result: it emits no further signal.
    void abandon();
    [[nodiscard]] bool isRunning() const { return m_running; }

Q_SIGNALS:
    void improved(double seconds, double total, std::shared_ptr<const tilewright::Schedule> schedule);
    void status(tilewright::SolveStatus status);
    void finished(std::shared_ptr<const tilewright::SolveResult> result);
    void failed(QString why);

private:
    std::shared_ptr<PausableClock> m_clock = std::make_shared<PausableClock>(); ///< clock of the present run
    std::jthread m_thread;
    bool m_running = false;
    std::uint64_t m_run = 0; ///< number of the run; signals of earlier runs are dropped
};

} // namespace tilewright::ui
