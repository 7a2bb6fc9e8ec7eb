// SPDX-License-Identifier: GPL-3.0-or-later
#include "solve/search/solver.h"

#include "base/workers.h"
#include "solve/plan/check_schedule.h"
#include "solve/search/search_thread.h"

#include <chrono>
#include <thread>

namespace tilewright {

namespace {

/// After a stop request, schedules with more steps than this are checked by the fast evaluator. The
/// explaining evaluator takes about 20 ms for this many.
constexpr double kStopRequestSteps = 2e4;

/// The calling thread's part of a search: starts the search threads, checks their incumbents, reports
/// schedules to the caller and watches the time limit.
class Solver
{
public:
    Solver(const Problem& problem, const SolveOptions& options)
        : m_problem(problem), m_options(options), m_shared(problem, options)
    {
    }

    Result<SolveResult> run();

private:
    [[nodiscard]] double now() const { return m_shared.now(); }
    /// True if the caller receives schedules during the search, or if time may be short at the end. Otherwise
    /// the calling thread only waits, so that the result does not depend on the times of reports.
    [[nodiscard]] bool reportsDuringSearch() const
    {
        return m_options.seconds > 0 || m_options.onImprovement || m_options.onStatus;
    }
    /// Maximum number of steps that the explaining evaluator lists: at about a microsecond a step it takes at
    /// most a twentieth of the time limit.
    [[nodiscard]] double explainedSteps() const
    {
        return m_options.seconds > 0 ? std::min(1e6, m_options.seconds * 5e4) : 3e5;
    }
    void checkStart();
    void reportIncumbents(SubgraphPool& pool, double limit);
    void reportIncumbent(SubgraphPool& pool, bool last);
    void reportStatus();
    [[nodiscard]] SolveResult result();

    const Problem& m_problem;
    const SolveOptions& m_options;
    SharedSearch m_shared;
    std::uint64_t m_reportedNumber = 0; ///< number of the incumbent that was reported last
    std::optional<Schedule> m_schedule;
    bool m_isStart = false; ///< true if m_schedule is the caller's start schedule
    Checked m_checked;      ///< result of checking m_schedule
    double m_startTotal = 0;
    std::vector<std::pair<double, double>> m_curve;
    double m_checkSeconds = 0; ///< duration of the longest check so far, in seconds
    bool m_stagnated = false;
};

/// Checks the schedule of the incumbent, and stores it if it is better than the last reported one.
void Solver::reportIncumbent(SubgraphPool& pool, bool last)
{
    const SharedSearch::Incumbent incumbent = m_shared.incumbent();
    if (!last && m_reportedNumber == incumbent.number)
        return;
    m_reportedNumber = incumbent.number;
    if (!last && m_schedule && incumbent.total >= m_checked.total)
        return;
    const double before = now();
    const double deadline = m_shared.deadline;
    const double patience = std::isinf(deadline) ? 1e9 : deadline + 0.3 * m_checkSeconds;
    // A stop request has priority: the last 0.1 % of latency and a long explanation are skipped.
    const bool isStopping = m_options.stop.stop_requested();
    Schedule schedule = toSchedule(pool, toPlan(pool, incumbent.plan),
                                   [&] { return last && !isStopping && now() < patience; });
    std::optional<Checked> checked =
        verifySchedule(m_problem, schedule, m_options, isStopping ? kStopRequestSteps : explainedSteps());
    m_checkSeconds = std::max(m_checkSeconds, now() - before);
    // Of equal schedules the later one wins, so that the result does not depend on intermediate reports. The
    // caller's own schedule is replaced only by a better one.
    if (!checked || (m_schedule && checked->total > m_checked.total * (m_isStart ? 1 - 1e-12 : 1 + 1e-12)))
        return;
    m_isStart = false;
    const bool better = !m_schedule || checked->total < m_checked.total * (1 - 1e-12);
    m_schedule = std::move(schedule);
    m_checked = std::move(*checked);
    if (!better) {
        m_curve.back().second = m_checked.total;
        return;
    }
    m_curve.emplace_back(now(), m_checked.total);
    if (m_options.onImprovement)
        m_options.onImprovement(
            {m_curve.back().first, m_checked.total, std::make_shared<const Schedule>(*m_schedule)});
}

void Solver::reportStatus()
{
    if (m_options.onStatus)
        m_options.onStatus({now(), m_schedule ? m_checked.total : std::numeric_limits<double>::infinity(),
                            m_shared.bound, m_shared.evaluations, m_shared.phase, m_shared.round,
                            m_curve.empty() ? 0 : m_curve.back().first, m_shared.proofUntil});
}

void Solver::checkStart()
{
    if (!m_options.start)
        return;
    Schedule start = *m_options.start;
    auto checked = verifySchedule(m_problem, start, m_options);
    if (!checked)
        return;
    m_startTotal = checked->total;
    m_schedule = std::move(start);
    m_isStart = true;
    m_checked = std::move(*checked);
    m_curve.emplace_back(now(), m_checked.total);
}

/// Reports incumbents until the search threads have ended, and ends a search that no longer improves.
void Solver::reportIncumbents(SubgraphPool& pool, double limit)
{
    double nextReport = 0; // time in seconds before which nothing is reported
    while (true) {
        {
            std::unique_lock lock(m_shared.mutex);
            const auto ended = [&] { return m_shared.working == 0; };
            if (!reportsDuringSearch())
                m_shared.wake.wait(lock, ended);
            else
                m_shared.wake.wait_for(lock, std::chrono::milliseconds(nextReport > 0 ? 5 : 20), [&] {
                    return ended() || (nextReport <= 0 && m_reportedNumber != m_shared.best.number);
                });
            if (ended())
                return;
        }
        if (m_options.stagnation > 0 && m_schedule && m_shared.phase != SolvePhase::Proving &&
            now() - m_curve.back().first > m_options.stagnation) {
            m_stagnated = true;
            m_shared.halt = true;
        }
        if (now() < nextReport)
            continue;
        nextReport = 0;
        const double before = now();
        reportIncumbent(pool, false);
        // The last check must finish before the time limit, and it is slower while the search threads
        // compute.
        if (!std::isinf(limit))
            m_shared.deadline = limit - std::min(0.3 * limit, 0.02 + 2.5 * m_checkSeconds);
        reportStatus();
        // Checking and reporting take at most a tenth of the time.
        nextReport = now() + std::max(0.05, 9 * (now() - before));
    }
}

Result<SolveResult> Solver::run()
{
    checkStart();
    const double limit = m_options.seconds > 0 ? m_options.seconds : std::numeric_limits<double>::infinity();
    m_shared.deadline = limit;
    const unsigned hardware = std::max(1U, std::thread::hardware_concurrency());
    m_shared.working = m_options.threads > 0 ? m_options.threads : static_cast<int>(hardware);
    Workers threads([this] { m_shared.halt = true; });
    for (int i = 0, n = m_shared.working; i < n; ++i)
        threads.start([this, i] { runSearchThread(m_shared, i); });
    SubgraphPool pool(m_problem, m_options.rules, m_shared.memo, m_shared.start.locked);
    (void)toPlan(pool, m_shared.start); // adds the start granularities to the pool
    if (m_startTotal == 0) {
        PlanRepair repair(pool);
        if (Plan singles = repair.singles(); repair.makeValid(singles))
            m_startTotal = singles.total;
    }
    reportIncumbents(pool, limit);
    threads.join();
    // Final check, with the best tilings; skipped after a stop request if the check takes long.
    const bool isStopped = m_options.stop.stop_requested();
    const bool isNew = !isStopped || m_reportedNumber != m_shared.best.number;
    if (isNew && m_shared.best.number > 0 && !(isStopped && m_schedule && m_checkSeconds > 0.01))
        reportIncumbent(pool, true);
    m_shared.evaluations += pool.evaluations();
    m_shared.lookups += pool.lookups();
    if (!m_schedule)
        return noScheduleError(m_options, !m_shared.start.locked.empty());
    return result();
}

SolveResult Solver::result()
{
    SolveResult out;
    out.schedule = std::move(*m_schedule);
    out.total = m_checked.total;
    out.latencies = std::move(m_checked.latencies);
    out.startTotal = m_startTotal > 0 ? m_startTotal : out.total;
    // The proof covers the incumbent. The reported schedule may be worse if the incumbent has no valid
    // addresses, or orders that no file can list.
    out.provenOptimal = m_shared.proven && out.total <= m_shared.best.total * (1 + 1e-9);
    out.provenSpace = m_shared.provenSpace;
    out.lowerBound = m_shared.bound;
    out.stopped = m_options.stop.stop_requested();
    out.stagnated = m_stagnated && !m_shared.proven;
    out.seconds = now();
    out.evaluations = m_shared.evaluations;
    out.lookups = m_shared.lookups;
    out.steps = m_shared.steps;
    out.curve = std::move(m_curve);
    return out;
}

} // namespace

Result<SolveResult> solve(const Problem& problem, const SolveOptions& options)
{
    if (problem.opCount() == 0)
        return Error{ErrorCode::Refused, "the problem has no ops", {}, {}};
    if (!(options.seconds >= 0) || options.threads < 0 || options.iterations < 0)
        return Error{ErrorCode::Refused, "seconds, iterations and threads must not be negative", {}, {}};
    return Solver(problem, options).run();
}

} // namespace tilewright
