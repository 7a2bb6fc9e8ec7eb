// SPDX-License-Identifier: GPL-3.0-or-later
#include "solve/search/solver.h"

#include "edit/fit.h"

#include "base/progress.h"
#include "base/workers.h"
#include "eval/energy_bound.h"
#include "eval/evaluation.h"
#include "solve/plan/check_schedule.h"
#include "solve/search/no_schedule.h"
#include "solve/search/search_thread.h"

#include <array>
#include <chrono>
#include <cmath>
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
    Solver(const Problem& problem, const SolveOptions& options, const Price& price)
        : m_problem(problem), m_options(options), m_price(price), m_shared(problem, options, price)
    {
    }

    Result<SolveResult> run();

private:
    [[nodiscard]] double now() const { return m_shared.now(); }
    [[nodiscard]] double priceOf(const Checked& c) const { return m_price.of(c.total, c.energy); }
    [[nodiscard]] double valueOf(const Checked& c) const
    {
        return tilewright::valueOf(m_options.objective, c.total, c.energy);
    }
    void adopt(Schedule schedule, Checked checked);
    /// True if the caller receives schedules during the search, or if the final check may run out of time.
    /// Otherwise the calling thread only waits, so that the result does not depend on when progress is
    /// reported.
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
    const Price m_price;
    SharedSearch m_shared;
    std::uint64_t m_reportedNumber = 0; ///< number of the incumbent that was reported last
    std::optional<Schedule> m_schedule;
    bool m_isStart = false; ///< true if m_schedule is the given schedule
    Checked m_checked;      ///< result of checking m_schedule
    Front m_front;
    double m_startTotal = 0, m_startEnergy = 0;
    std::vector<std::pair<double, double>> m_curve;
    double m_checkSeconds = 0; ///< duration of the longest check so far, in seconds
    bool m_stagnated = false;
};

/// Makes a checked schedule the best one.
void Solver::adopt(Schedule schedule, Checked checked)
{
    m_schedule = std::move(schedule);
    m_checked = std::move(checked);
    // A plan of single-op subgraphs may violate the constraints. In that case the first schedule that
    // satisfies them is the start schedule.
    if (m_options.constraints.any() && m_startTotal == 0) {
        m_startTotal = m_checked.total;
        m_startEnergy = m_checked.energy;
    }
    if (m_problem.hasEnergy())
        addToFront(m_front,
                   {m_checked.total, m_checked.energy, std::make_shared<const Schedule>(*m_schedule)});
}

/// Checks the schedule of the incumbent, and stores it if it is better than the last reported one.
void Solver::reportIncumbent(SubgraphPool& pool, bool last)
{
    const SharedSearch::Incumbent incumbent = m_shared.incumbent();
    if (!last && m_reportedNumber == incumbent.number)
        return;
    m_reportedNumber = incumbent.number;
    if (!last && m_schedule && incumbent.total >= priceOf(m_checked))
        return;
    const double before = now();
    const double deadline = m_shared.deadline;
    const double patience = std::isinf(deadline) ? 1e9 : deadline + 0.3 * m_checkSeconds;
    // After a stop request, the search for the last 0.1 % of latency is skipped, and so is an evaluation that
    // lists many steps.
    const bool isStopping = m_options.stop.stop_requested();
    Schedule schedule = toSchedule(pool, toPlan(pool, incumbent.plan),
                                   [&] { return last && !isStopping && now() < patience; });
    std::optional<Checked> checked =
        verifySchedule(m_problem, schedule, m_options, isStopping ? kStopRequestSteps : explainedSteps());
    m_checkSeconds = std::max(m_checkSeconds, now() - before);
    // Of two equal schedules the later one is kept, so that the result does not depend on intermediate
    // reports. The caller's own schedule is replaced only by a better one.
    if (!checked ||
        (m_schedule && priceOf(*checked) > priceOf(m_checked) * (m_isStart ? 1 - 1e-12 : 1 + 1e-12)))
        return;
    m_isStart = false;
    const bool better = !m_schedule || priceOf(*checked) < priceOf(m_checked) * (1 - 1e-12);
    adopt(std::move(schedule), std::move(*checked));
    if (!better) {
        m_curve.back().second = valueOf(m_checked);
        return;
    }
    m_curve.emplace_back(now(), valueOf(m_checked));
    if (m_options.onImprovement)
        m_options.onImprovement({m_curve.back().first, m_checked.total, m_checked.energy, valueOf(m_checked),
                                 std::make_shared<const Schedule>(*m_schedule)});
}

void Solver::reportStatus()
{
    if (m_options.onStatus)
        m_options.onStatus({now(), m_schedule ? valueOf(m_checked) : std::numeric_limits<double>::infinity(),
                            tilewright::valueOf(m_options.objective, m_shared.bound, m_shared.energyBound),
                            m_shared.evaluations, m_shared.phase, m_shared.round,
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
    m_startEnergy = checked->energy;
    m_isStart = true;
    adopt(std::move(start), std::move(*checked));
    m_curve.emplace_back(now(), valueOf(m_checked));
}

/// Reports incumbents until the search threads have ended, and ends a search that no longer improves.
void Solver::reportIncumbents(SubgraphPool& pool, double limit)
{
    double nextReport = 0; // time of the next report, in seconds since the start; 0 = as soon as possible
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
        // Checks and reports together take at most a tenth of the time.
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
    SubgraphPool pool(m_problem, m_options.rules, m_shared.memo, m_shared.start.locked,
                      m_options.constraints);
    (void)toPlan(pool, m_shared.start); // adds the granularities of the start schedule to the pool
    const bool hasStart = m_startTotal > 0 || m_options.constraints.any();
    // the start schedule that the window shows; if it does not fit, the best plan of single ops is used below
    if (!hasStart) {
        if (const auto start =
                verifySchedule(m_problem, oneOpPerSubgraph(m_problem, m_options.rules), m_options.rules)) {
            m_startTotal = start->total;
            m_startEnergy = m_options.objective != SolveObjective::Latency ? start->energy : 0;
        }
    }
    if (!hasStart && m_startTotal == 0) {
        PlanRepair repair(pool);
        if (Plan singles = repair.singles(); repair.makeValid(singles)) {
            m_startTotal = singles.total;
            if (m_options.objective != SolveObjective::Latency) {
                const Evaluation e =
                    evaluate(m_problem, toSchedule(pool, singles, [] { return false; }), m_options.rules);
                m_startTotal = e.total;
                m_startEnergy = e.energy;
            }
        }
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
        return noScheduleError(m_problem, m_options);
    return result();
}

SolveResult Solver::result()
{
    SolveResult out;
    out.schedule = std::move(*m_schedule);
    out.total = m_checked.total;
    out.energy = m_checked.energy;
    out.objective = m_options.objective;
    out.latencies = std::move(m_checked.latencies);
    out.startTotal = m_startTotal > 0 ? m_startTotal : out.total;
    out.startEnergy = m_startTotal > 0 ? m_startEnergy : out.energy;
    // The proof covers the incumbent. The reported schedule may be worse if the buffers of the incumbent
    // cannot be placed in fast memory, or if no file can list its traversal orders.
    out.provenOptimal = m_shared.proven && priceOf(m_checked) <= m_shared.best.total * (1 + 1e-9);
    out.provenSpace = m_shared.provenSpace;
    out.lowerBound = m_shared.bound;
    out.energyBound = m_shared.energyBound;
    out.front = std::move(m_front);
    out.stopped = m_options.stop.stop_requested();
    out.stagnated = m_stagnated && !m_shared.proven;
    out.seconds = now();
    out.evaluations = m_shared.evaluations;
    out.lookups = m_shared.lookups;
    out.steps = m_shared.steps;
    out.curve = std::move(m_curve);
    return out;
}

/// The price for a search that minimises energy. Of schedules with equal energy, the faster one has the lower
/// price; the weight of the latency is too small to change which energy is minimal.
Price energyPrice(const Problem& problem, const Rules& rules)
{
    constexpr double kTie = 1e-9;
    const double latency = lowerBound(problem, rules).value;
    const double energy = energyBound(problem, rules).value;
    return {kTie * (latency > 0 && energy > 0 ? energy / latency : 1), 1};
}

/// Marks a result for an objective other than the latency as proven optimal if its value equals the lower
/// bound.
void proveByBound(SolveResult& result)
{
    result.provenOptimal = meetsBound(result.value(), result.bound());
    if (result.provenOptimal)
        result.provenSpace = "every valid schedule (the objective equals its lower bound)";
}

/// Search for the least product of latency and energy. Each stage minimises a weighted sum of latency and
/// energy. The first two stages minimise each of them alone. A later stage uses the weights of the tangent to
/// the product's level curve at the best point of the front found so far. If these weights have been tried,
/// it uses those of a chord from this point to a neighbouring one. A stage starts from the point of the front
/// that is best for its weights.
class ProductSearch
{
public:
    ProductSearch(const Problem& problem, const SolveOptions& options)
        : m_problem(problem), m_options(options), m_started(clock())
    {
    }

    Result<SolveResult> run();

private:
    /// Share of the time for each stage
    static constexpr std::array<double, 6> kShares{0.2, 0.2, 0.2, 0.15, 0.15, 0.1};
    /// Seconds of the first stage if the search has no time limit
    static constexpr double kUnlimitedStage = 5;

    [[nodiscard]] double clock() const { return m_options.clock ? m_options.clock() : wallClock(); }
    [[nodiscard]] double now() const { return clock() - m_started; }
    [[nodiscard]] bool isLimited() const { return m_options.seconds > 0 || m_options.iterations > 0; }
    /// The point of the front with the least product of latency and energy.
    [[nodiscard]] std::size_t best() const
    {
        return static_cast<std::size_t>(
            std::ranges::min_element(m_front, {}, [](const FrontPoint& p) { return p.latency * p.energy; }) -
            m_front.begin());
    }
    [[nodiscard]] Price priceOf(std::size_t stage);
    [[nodiscard]] SolveOptions optionsOf(std::size_t stage, const Price& price);
    void improve(double latency, double energy, const std::shared_ptr<const Schedule>& schedule);

    const Problem& m_problem;
    const SolveOptions& m_options;
    const double m_started;
    Front m_front;
    std::vector<double> m_tried; ///< weights of the energy that have been tried; the latency has weight 1
    double m_least = std::numeric_limits<double>::infinity();
    std::vector<std::pair<double, double>> m_curve;
    std::int64_t m_evaluations = 0, m_lookups = 0, m_steps = 0;
};

Price ProductSearch::priceOf(std::size_t stage)
{
    if (stage == 0)
        return {};
    const std::size_t at = best();
    const FrontPoint& p = m_front[at];
    if (stage == 1 || p.energy <= 0)
        return energyPrice(m_problem, m_options.rules);
    std::vector<double> weights{p.latency / p.energy};
    // the weights of the chords from the best point of the front to its neighbours
    for (const std::size_t left : {at, at - 1})
        if (left < m_front.size() && left + 1 < m_front.size())
            weights.push_back((m_front[left + 1].latency - m_front[left].latency) /
                              (m_front[left].energy - m_front[left + 1].energy));
    const auto isNew = [&](double w) {
        return std::ranges::none_of(m_tried, [&](double t) { return std::abs(w - t) <= 0.02 * t; });
    };
    const auto fresh = std::ranges::find_if(weights, isNew);
    const double weight = fresh != weights.end() ? *fresh : weights.front();
    m_tried.push_back(weight);
    return {1, weight};
}

SolveOptions ProductSearch::optionsOf(std::size_t stage, const Price& price)
{
    SolveOptions out = m_options;
    out.seed += stage;
    double ahead = 0;
    for (std::size_t i = stage; i < kShares.size(); ++i)
        ahead += kShares[i];
    const double share = stage < kShares.size() ? kShares[stage] / ahead : 1;
    if (m_options.seconds > 0)
        out.seconds = std::max(1e-3, (m_options.seconds - now()) * share);
    if (m_options.iterations > 0)
        out.iterations = std::max<std::int64_t>(
            1, static_cast<std::int64_t>(static_cast<double>(m_options.iterations) * kShares[stage]));
    if (!isLimited())
        out.seconds = kUnlimitedStage * static_cast<double>(stage + 1);
    if (!m_front.empty())
        out.start = *std::ranges::min_element(m_front, {}, [&](const FrontPoint& p) {
                         return price.of(p.latency, p.energy);
                     })->schedule;
    const double since = now();
    if (m_options.onImprovement || m_options.seconds > 0)
        out.onImprovement = [this](const SolveImprovement& i) { improve(i.total, i.energy, i.schedule); };
    if (m_options.onStatus)
        out.onStatus = [this, since](SolveStatus s) {
            s.seconds += since;
            s.best = m_least;
            s.evaluations += m_evaluations;
            s.lastImproved = m_curve.empty() ? 0 : m_curve.back().first;
            m_options.onStatus(s);
        };
    return out;
}

void ProductSearch::improve(double latency, double energy, const std::shared_ptr<const Schedule>& schedule)
{
    addToFront(m_front, {latency, energy, schedule});
    if (latency * energy >= m_least * (1 - 1e-12))
        return;
    m_least = latency * energy;
    m_curve.emplace_back(now(), m_least);
    if (m_options.onImprovement)
        m_options.onImprovement({m_curve.back().first, latency, energy, m_least, schedule});
}

Result<SolveResult> ProductSearch::run()
{
    SolveResult out;
    for (std::size_t stage = 0; stage < kShares.size() || !isLimited(); ++stage) {
        const Price price = priceOf(stage);
        const SolveOptions options = optionsOf(stage, price);
        auto found = Solver(m_problem, options, price).run();
        if (!found && stage == 0)
            return found;
        if (found) {
            if (stage == 0)
                out = *found;
            for (const FrontPoint& p : found->front)
                improve(p.latency, p.energy, p.schedule);
            out.lowerBound = std::max(out.lowerBound, found->lowerBound);
            out.stagnated = found->stagnated;
            m_evaluations += found->evaluations;
            m_lookups += found->lookups;
            m_steps += found->steps;
        }
        if (m_options.stop.stop_requested() || (m_options.seconds > 0 && now() >= m_options.seconds) ||
            meetsBound(m_least, out.bound()) || (!isLimited() && out.stagnated && stage >= kShares.size()))
            break;
    }
    const FrontPoint& p = m_front[best()];
    out.schedule = *p.schedule;
    out.total = p.latency;
    out.energy = p.energy;
    out.latencies.clear();
    for (const SubgraphEvaluation& s : evaluate(m_problem, out.schedule, m_options.rules).subgraphs)
        out.latencies.push_back(s.latency);
    out.front = std::move(m_front);
    out.curve = std::move(m_curve);
    out.evaluations = m_evaluations;
    out.lookups = m_lookups;
    out.steps = m_steps;
    out.seconds = now();
    out.stopped = m_options.stop.stop_requested();
    proveByBound(out);
    return out;
}

} // namespace

Result<SolveResult> solve(const Problem& problem, const SolveOptions& options)
{
    if (problem.opCount() == 0)
        return Error{ErrorCode::Refused, "the problem has no ops", {}, {}};
    if (!(options.seconds >= 0) || options.threads < 0 || options.iterations < 0)
        return Error{ErrorCode::Refused, "seconds, iterations and threads must not be negative", {}, {}};
    if (options.objective != SolveObjective::Latency && !problem.hasEnergy())
        return Error{ErrorCode::Refused,
                     "the objective " +
                         std::string(kObjectiveNames[static_cast<std::size_t>(options.objective)]) +
                         " needs a problem that states energies",
                     {},
                     {}};
    auto result = options.objective == SolveObjective::Latency ? Solver(problem, options, {}).run()
                  : options.objective == SolveObjective::Edp
                      ? ProductSearch(problem, options).run()
                      : Solver(problem, options, energyPrice(problem, options.rules)).run();
    if (result && options.objective == SolveObjective::Energy)
        proveByBound(*result);
    if (result && options.constraints.any())
        result->schedule.extra = withConstraints(problem, result->schedule.extra, options.constraints);
    return result;
}

} // namespace tilewright
