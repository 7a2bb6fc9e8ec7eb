// SPDX-License-Identifier: GPL-3.0-or-later
#include "workspace/solver_job.h"

#include "solve/search/constraint_costs.h"

#include "verbs/schedule.h"

#include <QMetaObject>

#include <algorithm>
#include <utility>

namespace tilewright::ui {

namespace {

/// Returns the number of worker threads: one less than the number of processors, because one is left to the
/// window.
int threadsBehindTheWindow()
{
    return static_cast<int>(std::max(2U, std::thread::hardware_concurrency())) - 1;
}

} // namespace

BoundJob::BoundJob(QObject* parent)
    : QObject(parent), m_job(
                           [this](bool) {
                               if (!m_isStopped)
                                   end();
                           },
                           true)
{
}

void BoundJob::end()
{
    m_lasted = seconds();
    m_clock.invalidate();
    Q_EMIT finished();
}

void BoundJob::start(const ProofRequest& request)
{
    m_clock.start();
    m_isStopped = false;
    const auto tell = m_job.reporter();
    m_job.request([this, tell, request](std::stop_token stop) {
        ProofRunLimits limits = verbs::proofLimits(
            {.seconds = request.seconds, .threads = threadsBehindTheWindow()}, std::move(stop));
        limits.total = request.total;
        limits.reportsEarly = true;
        (void)runProof(
            *request.problem, request.rules, limits,
            {[tell, this, request](const LowerBound& bound) {
                 tell([this, request, bound = std::make_shared<const LowerBound>(bound)] {
                     Q_EMIT raised(request.problem, request.rules, bound);
                 });
             },
             [tell, this](const ProofState& state) { tell([this, state] { Q_EMIT advanced(state); }); }});
        return true;
    });
}

void BoundJob::stop()
{
    m_job.finishEarly();
    if (!isRunning())
        return;
    m_isStopped = true;
    end();
}

double BoundJob::seconds() const
{
    return m_clock.isValid() ? static_cast<double>(m_clock.elapsed()) / 1000 : m_lasted;
}

double PausableClock::seconds() const
{
    const std::scoped_lock lock(m_mutex);
    return std::chrono::duration<double>(m_pausedAt.value_or(Clock::now()) - m_start - m_rested).count();
}

void PausableClock::setPaused(bool paused)
{
    const std::scoped_lock lock(m_mutex);
    if (paused && !m_pausedAt)
        m_pausedAt = Clock::now();
    else if (!paused && m_pausedAt)
        m_rested += Clock::now() - *std::exchange(m_pausedAt, std::nullopt);
    m_paused = paused;
}

SolverJob::~SolverJob()
{
    ++m_run;
    // The thread is joined before the base class is destroyed, because it posts events to this object.
    if (m_thread.joinable()) {
        m_thread.request_stop();
        m_thread.join();
    }
}

void SolverJob::start(ProblemPtr problem, SolveOptions options, Then then)
{
    if (m_thread.joinable()) {
        m_thread.request_stop();
        m_thread.join();
    }
    const std::uint64_t run = ++m_run;
    m_running = true;
    m_front.clear();
    m_clock = std::make_shared<PausableClock>();
    options.clock = [clock = m_clock] { return clock->seconds(); };
    options.paused = [clock = m_clock] { return clock->isPaused(); };
    m_thread = std::jthread([this, run, then, problem = std::move(problem),
                             options = std::move(options)](std::stop_token stop) mutable {
        const auto post = [this, run](auto deliver) {
            QMetaObject::invokeMethod(
                this,
                [this, run, deliver = std::move(deliver)] {
                    if (run == m_run)
                        deliver();
                },
                Qt::QueuedConnection);
        };
        options.stop = stop;
        options.onImprovement = [&](const SolveImprovement& i) {
            post([this, i, hasEnergy = problem->hasEnergy()] {
                if (hasEnergy)
                    addToFront(m_front, {i.total, i.energy, i.schedule});
                Q_EMIT improved(i.seconds, i.value, i.schedule);
            });
        };
        options.onStatus = [&](const SolveStatus& s) { post([this, s] { Q_EMIT status(s); }); };
        std::shared_ptr<const RunFinish> onRun;
        auto result = [&]() -> Result<SolveResult> {
            try {
                auto found = solve(*problem, options);
                if (found && then == Then::Price) {
                    findConstraintCosts(
                        *problem, options, *found,
                        [&](std::size_t done, std::size_t all, const std::string& without) {
                            post([this, without = QString::fromStdString(without),
                                  done = static_cast<int>(done),
                                  all = static_cast<int>(all)] { Q_EMIT pricing(without, done, all); });
                        });
                    found->stopped = found->stopped || stop.stop_requested();
                }
                if (!found || then != Then::FinishOnRun)
                    return found;
                post([this] { Q_EMIT finishing(); });
                verbs::SolveCall call;
                call.finish = "run";
                auto finish = verbs::finishAfter(call, *problem, options, *found);
                if (!finish)
                    return finish.error();
                if (*finish)
                    onRun = std::make_shared<const RunFinish>(std::move(**finish));
                return found;
            } catch (const std::exception& e) {
                return Error{
                    ErrorCode::Internal, std::string("the search ended with an error: ") + e.what(), {}, {}};
            }
        }();
        if (result) {
            auto shared = std::make_shared<const SolveResult>(std::move(*result));
            post([this, shared, onRun] {
                m_running = false;
                Q_EMIT finished(shared, onRun);
            });
        } else {
            post([this, why = QString::fromStdString(result.error().text())] {
                m_running = false;
                Q_EMIT failed(why);
            });
        }
    });
}

void SolverJob::abandon()
{
    ++m_run;
    m_running = false;
    m_thread.request_stop();
}

void SolverJob::stop()
{
    m_thread.request_stop();
}

} // namespace tilewright::ui
