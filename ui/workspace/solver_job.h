// SPDX-License-Identifier: GPL-3.0-or-later
// Solver and lower bound as jobs in threads of their own.
#pragma once

#include "eval/lower_bound.h"
#include "run/finish.h"
#include "solve/search/proof_run.h"
#include "solve/search/solver.h"
#include "workload/problem.h"
#include "workspace/latest_job.h"

#include <QElapsedTimer>
#include <QObject>

#include <atomic>
#include <chrono>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

namespace tilewright::ui {

using LowerBoundPtr = std::shared_ptr<const LowerBound>;

/// Input of a BoundJob.
struct ProofRequest
{
    ProblemPtr problem;
    Rules rules;
    double seconds = 0;
    /// Total latency of the valid schedule that is shown.
    double total = std::numeric_limits<double>::infinity();
};

/// Raises the lower bound of a problem in the background, until the gap is closed or the time limit is
/// reached (core/solve/search/proof_run.h).
class BoundJob : public QObject
{
    Q_OBJECT
public:
    explicit BoundJob(QObject* parent = nullptr);

    void start(const ProofRequest& request);
    /// Stops the job. isRunning() is false at once; a last result may still be announced.
    void stop();
    [[nodiscard]] bool isRunning() const { return m_job.isBusy() && !m_isStopped; }
    [[nodiscard]] double seconds() const; ///< duration of the running job so far, or of the last one
    void waitIdle() { m_job.waitIdle(); }

Q_SIGNALS:
    void raised(const tilewright::ProblemPtr& problem, const tilewright::Rules& rules,
                const tilewright::ui::LowerBoundPtr& bound);
    /// Emitted with the progress of the last request.
    void advanced(const tilewright::ProofState& state);
    void finished();

private:
    void end();

    QElapsedTimer m_clock;
    double m_lasted = 0;
    bool m_isStopped = false;
    LatestJob<bool> m_job;
};

/// Clock that counts the seconds since its construction, without pauses.
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

    /// The work that follows the search.
    enum class Then {
        Nothing,
        FinishOnRun, ///< runs the schedules found and chooses among them (verbs::finishAfter())
        Price        ///< searches the costs of constraints (SolveResult::constraintCosts)
    };
    void start(ProblemPtr problem, SolveOptions options, Then then = Then::Nothing);
    void stop();
    /// Pauses or resumes the solver; the time limit is also paused. stop() works while the solver is paused.
    void setPaused(bool paused) { m_clock->setPaused(paused); }
    [[nodiscard]] bool isPaused() const { return m_running && m_clock->isPaused(); }
    [[nodiscard]] double seconds() const
    {
        return m_clock->seconds();
    } ///< duration of the run in seconds, without pauses
    /// Stops the run and drops its result: it emits no further signal.
    void abandon();
    [[nodiscard]] bool isRunning() const { return m_running; }
    /// Schedules found so far that no other one beats in latency and energy; empty if the problem states no
    /// energies.
    [[nodiscard]] const Front& front() const { return m_front; }

Q_SIGNALS:
    /// `value`: objective of the run for the schedule.
    void improved(double seconds, double value, std::shared_ptr<const tilewright::Schedule> schedule);
    void status(tilewright::SolveStatus status);
    void finishing(); ///< emitted when the search has ended and schedules are being run
    /// Emitted when the search has ended and another one without this constraint begins; `done` of `all` such
    /// searches are done.
    void pricing(QString without, int done, int all);
    /// `onRun`: null unless runs have decided which schedule is the result.
    void finished(std::shared_ptr<const tilewright::SolveResult> result,
                  std::shared_ptr<const tilewright::RunFinish> onRun);
    void failed(QString why);

private:
    std::shared_ptr<PausableClock> m_clock = std::make_shared<PausableClock>(); ///< clock of the current run
    std::jthread m_thread;
    bool m_running = false;
    Front m_front;
    std::uint64_t m_run = 0; ///< number of the current run; signals of earlier runs are dropped
};

} // namespace tilewright::ui
