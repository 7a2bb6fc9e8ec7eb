// SPDX-License-Identifier: GPL-3.0-or-later
#include "solve/search/solver.h"

#include "base/wall_clock.h"
#include "eval/lower_bound.h"
#include "solve/columns/column_search.h"
#include "solve/columns/plan_columns.h"
#include "solve/plan/placeable.h"
#include "solve/proof/exact.h"
#include "solve/proof/strong_bound.h"
#include "solve/search/annealer.h"
#include "solve/search/fuse_to_fit.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace tilewright {

namespace {

/// Share of the budget of each annealing round, and the temperature it starts from in average subgraph
/// latencies.
struct Round
{
    double share;
    double hot;
};
// Measured on random layered graphs of 45 to 152 ops: hotter rounds begin anew without finding more, and more
// of them are too short. What a round finds in one place counts, whatever it loses elsewhere (recombine()).
constexpr Round kRounds[] = {{0.25, 0.6}, {0.45, 0.45}, {0.3, 0.3}};
constexpr double kCold = 0.03;             ///< last temperature, before the final descent
constexpr double kDescent = 0.85;          ///< from this share of a round on nothing worse is accepted
constexpr std::int64_t kWindowEvery = 400; ///< steps between two exactly planned windows ...
constexpr double kWindowsFrom = 0.4;       ///< ... in the later part of a round
constexpr std::size_t kWindowOps = 8;
constexpr std::int64_t kRecombineEvery = 50; ///< steps between two looks at the current plan's places
// All rounds but the first begin with the search by columns (ColumnSearch).
constexpr double kColumnShare = 0.7;       ///< of a round ...
constexpr double kLargeColumnShare = 0.85; ///< ... and where it also plans windows
constexpr double kStepsOfRound = 500;      ///< a round of new columns takes about as long as so many steps
constexpr double kFewestRounds = 4;        ///< of columns, for those who count steps
constexpr std::size_t kStepsPerOp = 30;    ///< each of its plans is made better with so many
constexpr double kLearnFrom = 1.1;         ///< plans that cost so many times the best one are told to it
constexpr std::size_t kProvableOps = 12;   ///< within a second or two, mostly
constexpr std::size_t kLongProofOps = 16;  ///< in a budget of ...
constexpr double kLongProof = 4;           ///< ... this many seconds
constexpr std::size_t kProofNodes = 4'000'000; ///< about 200 MB
constexpr double kProofShare = 0.7;            ///< of the time left, for the proof of a small problem
constexpr double kHurriedSteps = 2e4;          ///< explained after a stop request: about 20 ms
constexpr std::size_t kKeptInputsOps = 6;      ///< with retain_inputs=allow there are many more states ...
constexpr double kKeptInputsShare = 0.3;       ///< ... and most of the time is for the search

std::size_t provableOps(const Rules& rules, double seconds)
{
    return rules.retainInputs == Rules::RetainInputs::Allow ? kKeptInputsOps
           : seconds < kLongProof                           ? kProvableOps
                                                            : kLongProofOps;
}

class Solver
{
public:
    Solver(const Problem& problem, const SolveOptions& options)
        : m_problem(problem), m_options(options), m_started(clock()),
          m_bound(lowerBound(problem, options.rules).value)
    {
    }

    Result<SolveResult> run();

private:
    struct Part
    {
        std::vector<OpId> ops;
        std::vector<TensorId> retain;
        std::int32_t lock = -1;
    };
    /// A plan that does not refer to one thread's pool.
    struct Shared
    {
        std::vector<Part> parts;
        double total = std::numeric_limits<double>::infinity();
    };

    [[nodiscard]] double clock() const { return m_options.clock ? m_options.clock() : wallClock(); }
    [[nodiscard]] double now() const { return clock() - m_started; }
    [[nodiscard]] bool outOfTime() const
    {
        while (m_options.paused && m_options.paused() && !m_halt && !m_options.stop.stop_requested())
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        return m_halt.load(std::memory_order_relaxed) || m_options.stop.stop_requested() ||
               now() >= m_deadline.load(std::memory_order_relaxed);
    }
    /// Does anybody see what is handed out before the end, or may time be short at the end? If not, the
    /// result cannot depend on when that is, and the calling thread only waits.
    [[nodiscard]] bool isFollowed() const
    {
        return m_options.seconds > 0 || m_options.onImprovement || m_options.onStatus;
    }
    /// What a thread has told of its work so far.
    struct Told
    {
        std::int64_t evaluations = 0;
        std::int64_t lookups = 0;
    };
    void tell(const SubgraphPool& pool, Told& told)
    {
        m_evaluations += pool.evaluations() - told.evaluations;
        m_lookups += pool.lookups() - told.lookups;
        told = {pool.evaluations(), pool.lookups()};
    }
    void work(int thread);
    void anneal(SubgraphPool& pool, Annealer& annealer, int thread, Told& told);
    void learn(SubgraphPool& pool, Annealer& annealer);
    void combine(SubgraphPool& pool, Annealer& annealer, ColumnSearch& columns, int thread,
                 const std::function<double(std::int64_t)>& used);
    void prove(SubgraphPool& pool, Annealer& annealer);
    void publish(SubgraphPool& pool, const Plan& plan);
    [[nodiscard]] Plan adopt(SubgraphPool& pool, const Shared& shared);
    [[nodiscard]] Shared best()
    {
        const std::scoped_lock lock(m_mutex);
        return m_best;
    }
    void refine(SubgraphPool& pool, Plan& plan);
    void handOut(SubgraphPool& pool, bool last);
    void status();
    /// Steps whose explanation (about a microsecond each) takes at most a twentieth of the time.
    [[nodiscard]] double explainedSteps() const
    {
        return m_options.seconds > 0 ? std::min(1e6, m_options.seconds * 5e4) : 3e5;
    }

    const Problem& m_problem;
    const SolveOptions& m_options;
    double m_started;
    double m_bound;
    PlanSketch m_sketch;
    TilingMemo m_memo;
    std::atomic<bool> m_halt{false};
    std::atomic<double> m_deadline{std::numeric_limits<double>::infinity()};
    std::atomic<std::int64_t> m_evaluations{0}, m_lookups{0}, m_steps{0};
    // of the first thread
    std::atomic<SolvePhase> m_phase{SolvePhase::Starting};
    std::atomic<int> m_round{0};
    std::atomic<double> m_proofUntil{0};

    std::mutex m_mutex;
    std::condition_variable m_wake;
    Shared m_best;
    std::uint64_t m_generation = 0;
    std::vector<std::vector<KnownColumn>> m_known; ///< columns, by thread
    int m_working = 0;
    bool m_proven = false;
    std::string m_space;

    // of the calling thread
    std::uint64_t m_handedOut = 0;
    std::optional<Schedule> m_schedule;
    bool m_fromStart = false; ///< m_schedule is what the caller gave
    Checked m_checked;
    std::vector<std::pair<double, double>> m_curve;
    double m_checkSeconds = 0;
    bool m_stagnated = false;
};

void Solver::publish(SubgraphPool& pool, const Plan& plan)
{
    if (!plan.feasible())
        return;
    const std::scoped_lock lock(m_mutex);
    if (!(plan.total < m_best.total))
        return;
    m_best.total = plan.total;
    m_best.parts.clear();
    for (const PlanEntry& e : plan.entries) {
        const OpSet& set = pool.set(e.set);
        m_best.parts.push_back({set.ops, pool.retain(e.retain), set.lock});
    }
    ++m_generation;
    m_wake.notify_all();
}

Plan Solver::adopt(SubgraphPool& pool, const Shared& shared)
{
    Plan plan;
    for (const Part& part : shared.parts)
        plan.entries.push_back({pool.intern(part.ops, part.lock), pool.internRetain(part.retain)});
    return plan;
}

/// Looks harder for tilings of the plan's subgraphs, so that the search compares with what it will hand out.
void Solver::refine(SubgraphPool& pool, Plan& plan)
{
    RetainId before = 0;
    for (PlanEntry& e : plan.entries) {
        if (outOfTime())
            return;
        e.latency = pool.refine(e.set, before, e.retain);
        e.resident = before;
        before = e.retain;
    }
    plan.total = 0;
    for (const PlanEntry& e : plan.entries)
        plan.total += e.latency;
}

void Solver::prove(SubgraphPool& pool, Annealer& annealer)
{
    ExactLimits limits;
    const double share =
        m_options.rules.retainInputs == Rules::RetainInputs::Allow ? kKeptInputsShare : kProofShare;
    const double until = now() + share * (m_deadline - now());
    m_proofUntil = until;
    m_phase = SolvePhase::Proving;
    limits.keepGoing = [this, until] { return !outOfTime() && now() < until; };
    limits.upperBound = annealer.best().total;
    limits.maxNodes = kProofNodes;
    const ExactResult exact =
        solveExactly(pool, m_options.rules, wholeProblem(m_problem), TilingEffort::Exhaustive, limits);
    if (!exact.finished)
        return;
    if (exact.entries) {
        const Plan plan{*exact.entries, exact.total};
        annealer.setCurrent(plan);
        publish(pool, plan);
    }
    const std::scoped_lock lock(m_mutex);
    m_proven = true;
    m_space = exact.space;
    m_halt = true;
    m_wake.notify_all();
}

/// Takes over what the best of all threads does better, place by place.
void Solver::learn(SubgraphPool& pool, Annealer& annealer)
{
    publish(pool, annealer.best());
    const Shared shared = best();
    if (shared.total >= annealer.best().total)
        return;
    Plan plan = adopt(pool, shared);
    if (PlanSettler(pool).settle(plan))
        (void)annealer.recombine(plan);
}

/// Plans by what their subgraphs are worth; those of other threads count, too.
void Solver::combine(SubgraphPool& pool, Annealer& annealer, ColumnSearch& columns, int thread,
                     const std::function<double(std::int64_t)>& used)
{
    if (thread == 0)
        m_phase = SolvePhase::Combining;
    const auto mine = static_cast<std::size_t>(thread);
    {
        const std::scoped_lock lock(m_mutex);
        m_known.resize(std::max(m_known.size(), mine + 1));
        for (std::size_t i = 0; i < m_known.size(); ++i)
            if (i != mine)
                columns.learn(m_known[i]);
    }
    const std::vector<Plan> plans = columns.plansNear(pool, annealer.best(), used);
    {
        const std::scoped_lock lock(m_mutex);
        m_known[mine] = columns.known();
    }
    for (const Plan& plan : plans) {
        annealer.setCurrent(plan);
        for (std::size_t i = 0; i < kStepsPerOp * m_problem.opCount() && !outOfTime(); ++i)
            (void)annealer.step(0);
        (void)annealer.recombine(annealer.current());
    }
    annealer.setCurrent(annealer.best());
    publish(pool, annealer.best());
}

void Solver::anneal(SubgraphPool& pool, Annealer& annealer, int thread, Told& told)
{
    const std::int64_t budget = m_options.iterations;
    std::int64_t steps = 0;
    std::int64_t counted = 0;
    double published = 0;
    const bool provable = thread == 0 && m_options.prove &&
                          m_problem.opCount() <= provableOps(m_options.rules, m_deadline - now()) &&
                          m_sketch.locked.empty() && budget == 0;
    bool proofTried = false;
    ColumnSearch columns(m_problem, m_options.rules, m_memo,
                         m_options.seed * 7919 + static_cast<std::uint64_t>(thread),
                         [this] { return !outOfTime(); });
    Told toldOfColumns;
    const bool combinable = m_problem.opCount() <= PlanColumns::kMostOps && m_sketch.locked.empty();
    for (int round = 0;; ++round) {
        if (annealer.best().total <= m_bound * (1 + 1e-9)) {
            const std::scoped_lock lock(m_mutex);
            if (!m_proven) {
                m_proven = true;
                m_space = provenByBound();
            }
            m_halt = true;
        }
        const double start = now();
        const double left = m_deadline - start;
        if (outOfTime() || (budget > 0 && steps >= budget))
            break;
        // Rounds are shares of what is left; without any budget they grow.
        const int last = static_cast<int>(std::size(kRounds)) - 1;
        const int at = std::clamp(provable ? round - 1 : round, 0, last); // the one before a proof is short
        const Round& r = kRounds[at];
        double ahead = 0;
        for (int i = at; i <= last; ++i)
            ahead += kRounds[i].share;
        double length = std::isinf(left) ? 2.0 * (round + 1) : left * r.share / ahead;
        if (provable && !proofTried)
            length = std::min(length, 0.05);
        const std::int64_t roundSteps =
            budget > 0 ? std::max<std::int64_t>(1, static_cast<std::int64_t>(
                                                       static_cast<double>(budget - steps) * r.share / ahead))
                       : 0;
        if (thread == 0)
            m_round = round + 1;
        annealer.setCurrent(annealer.best());
        const double average = annealer.best().total / static_cast<double>(annealer.best().entries.size());
        double temperature = average * r.hot;
        double fraction = 0;
        const bool isLarge = m_problem.opCount() > ColumnSearch::kWholeOps;
        const double share = (isLarge ? kLargeColumnShare : kColumnShare) *
                             (budget > 0 ? static_cast<double>(roundSteps) : length);
        if (combinable && at > 0 && (budget == 0 || share >= kFewestRounds * kStepsOfRound))
            combine(pool, annealer, columns, thread, [&](std::int64_t rounds) {
                return outOfTime()
                           ? 1.0
                           : (budget > 0 ? static_cast<double>(rounds) * kStepsOfRound : now() - start) /
                                 share;
            });
        tell(columns.pool(), toldOfColumns);
        bool learnt = m_options.threads == 1;
        for (std::int64_t i = 0;; ++i) {
            if (i % 32 == 0) {
                const double t = now();
                if (outOfTime())
                    break;
                tell(pool, told);
                if (annealer.tidy())
                    columns.forgetIds();
                if (thread == 0)
                    m_phase = fraction > kWindowsFrom ? SolvePhase::Windows : SolvePhase::Annealing;
                fraction = roundSteps > 0 ? static_cast<double>(i) / static_cast<double>(roundSteps)
                                          : (t - start) / length;
                if (fraction >= 1)
                    break;
                if (fraction >= kDescent && !learnt) {
                    learnt = true;
                    learn(pool, annealer);
                }
                temperature =
                    fraction < kDescent ? average * r.hot * std::pow(kCold / r.hot, fraction / kDescent) : 0;
            }
            ++steps;
            bool improved = annealer.step(temperature);
            if (i % kWindowEvery == kWindowEvery - 1 && fraction > kWindowsFrom)
                improved |= annealer.replanWindow(kWindowOps);
            if (i % kRecombineEvery == kRecombineEvery - 1) {
                improved |= annealer.recombine(annealer.current());
                if (combinable && annealer.current().total < kLearnFrom * annealer.best().total)
                    columns.learn(pool, annealer.current());
            }
            if (improved) {
                const double t = now();
                if (t - published > 0.02) {
                    published = t;
                    publish(pool, annealer.best());
                }
            }
        }
        m_steps += steps - counted;
        counted = steps;
        if (thread == 0)
            m_phase = SolvePhase::Tiling;
        Plan refined = annealer.best();
        refine(pool, refined);
        annealer.setCurrent(refined);
        publish(pool, annealer.best());
        if (provable && !proofTried) {
            proofTried = true;
            prove(pool, annealer);
        }
        if (m_options.threads != 1 && !outOfTime())
            learn(pool, annealer);
    }
}

void Solver::work(int thread)
{
    SubgraphPool pool(m_problem, m_options.rules, m_memo, m_sketch.locked);
    PlanSettler settler(pool);
    Annealer annealer(pool, m_options.seed * 1000003 + static_cast<std::uint64_t>(thread));
    Told told;
    const auto keepGoing = [&] {
        if (pool.lookups() - told.lookups > 1000) // often asked
            tell(pool, told);
        return !outOfTime();
    };
    annealer.setKeepGoing(keepGoing);

    Plan given = planOf(pool, m_sketch);
    if (!m_sketch.parts.empty() && settler.settle(given)) {
        annealer.setCurrent(given);
        publish(pool, given);
    }
    // From scratch: locked subgraphs, and each other op alone.
    Plan scratch;
    std::vector<char> covered(m_problem.opCount());
    for (const PlanSketch::Part& part : m_sketch.parts)
        if (part.lock >= 0) {
            scratch.entries.push_back({pool.intern(part.ops, part.lock), pool.internRetain(part.retain)});
            for (const OpId o : part.ops)
                covered[o.index()] = 1;
        }
    for (const OpId o : m_problem.topologicalOrder())
        if (covered[o.index()] == 0)
            scratch.entries.push_back({pool.intern({o})});
    const bool exactly = thread == 0 && m_problem.opCount() <= kLongProofOps && m_sketch.locked.empty();
    if (settler.settle(scratch) || fuseToFit(pool, scratch, exactly ? kProofNodes : 0, keepGoing)) {
        publish(pool, scratch);
        pool.setKeepGoing([this] { return !outOfTime(); }); // there is something to hand out now
        Plan fused = annealer.fuseGreedily(scratch, keepGoing);
        publish(pool, fused);
        for (Plan* plan : {&fused, &scratch}) {
            refine(pool, *plan);
            publish(pool, *plan);
            annealer.setCurrent(*plan);
        }
        annealer.setCurrent(annealer.best());
    }
    if (annealer.best().feasible())
        anneal(pool, annealer, thread, told);
    tell(pool, told);
    const std::scoped_lock lock(m_mutex);
    --m_working;
    m_wake.notify_all();
}

/// Materialises and checks the best plan; keeps it when it is better than what was handed out before.
void Solver::handOut(SubgraphPool& pool, bool last)
{
    Shared shared;
    {
        const std::scoped_lock lock(m_mutex);
        if (m_handedOut == m_generation)
            return;
        m_handedOut = m_generation;
        shared = m_best;
    }
    if (!last && m_schedule && shared.total >= m_checked.total)
        return;
    const double before = now();
    Plan plan = adopt(pool, shared);
    const double patience = std::isinf(m_deadline) ? 1e9 : m_deadline + 0.3 * m_checkSeconds;
    // Who asked to stop does not wait for the last per mille, nor for a long explanation.
    const bool hurry = m_options.stop.stop_requested();
    Schedule schedule = materialise(pool, plan, [&] { return last && !hurry && now() < patience; });
    std::optional<Checked> checked =
        checkSchedule(m_problem, schedule, m_options, hurry ? kHurriedSteps : explainedSteps());
    m_checkSeconds = std::max(m_checkSeconds, now() - before);
    // Of equals the last one counts, so that the result does not depend on what was handed out in between;
    // but what a person started from is not replaced without a gain.
    if (!checked || (m_schedule && checked->total > m_checked.total * (m_fromStart ? 1 - 1e-12 : 1 + 1e-12)))
        return;
    m_fromStart = false;
    const bool better = !m_schedule || checked->total < m_checked.total * (1 - 1e-12);
    m_schedule = std::move(schedule);
    m_checked = std::move(*checked);
    if (better)
        m_curve.emplace_back(now(), m_checked.total);
    else
        m_curve.back().second = m_checked.total;
    if (better && m_options.onImprovement)
        m_options.onImprovement(
            {m_curve.back().first, m_checked.total, std::make_shared<const Schedule>(*m_schedule)});
}

void Solver::status()
{
    if (m_options.onStatus)
        m_options.onStatus({now(), m_schedule ? m_checked.total : std::numeric_limits<double>::infinity(),
                            m_bound, m_evaluations, m_phase, m_round,
                            m_curve.empty() ? 0 : m_curve.back().first, m_proofUntil});
}

Result<SolveResult> Solver::run()
{
    if (m_options.start)
        m_sketch = sketchOf(*m_options.start, m_options.selection);
    double startTotal = 0;
    if (Schedule start = m_options.start.value_or(Schedule()); m_options.start)
        if (auto checked = checkSchedule(m_problem, start, m_options)) {
            startTotal = checked->total;
            m_schedule = std::move(start);
            m_fromStart = true;
            m_checked = std::move(*checked);
            m_curve.emplace_back(now(), m_checked.total);
        }
    const double limit = m_options.seconds > 0 ? m_options.seconds : std::numeric_limits<double>::infinity();
    m_deadline = limit;
    const unsigned hardware = std::max(1U, std::thread::hardware_concurrency());
    const int threads = m_options.threads > 0 ? m_options.threads : static_cast<int>(hardware);
    m_working = threads;
    {
        std::vector<std::jthread> workers;
        workers.reserve(static_cast<std::size_t>(threads));
        for (int i = 0; i < threads; ++i)
            workers.emplace_back([this, i] { work(i); });
        SubgraphPool pool(m_problem, m_options.rules, m_memo, m_sketch.locked);
        (void)planOf(pool, m_sketch); // the hints
        if (startTotal == 0) {
            PlanSettler settler(pool);
            Plan singles = settler.singles();
            if (settler.settle(singles))
                startTotal = singles.total;
        }
        double rest = 0;
        while (true) {
            {
                std::unique_lock lock(m_mutex);
                if (!isFollowed()) {
                    m_wake.wait(lock, [&] { return m_working == 0; });
                    break;
                }
                m_wake.wait_for(lock, std::chrono::milliseconds(rest > 0 ? 5 : 20),
                                [&] { return m_working == 0 || (rest <= 0 && m_handedOut != m_generation); });
                if (m_working == 0)
                    break;
            }
            if (m_options.stagnation > 0 && m_schedule && m_phase != SolvePhase::Proving &&
                now() - m_curve.back().first > m_options.stagnation) {
                m_stagnated = true;
                m_halt = true;
            }
            if (now() < rest)
                continue;
            rest = 0;
            const double before = now();
            // The last check must fit into the time, and it does so while others compute.
            handOut(pool, false);
            if (!std::isinf(limit))
                m_deadline = limit - std::min(0.3 * limit, 0.02 + 2.5 * m_checkSeconds);
            status();
            // At most a tenth of the time is spent on looking good.
            rest = now() + std::max(0.05, 9 * (now() - before));
        }
        workers.clear();
        if (!m_options.stop.stop_requested()) {
            const std::scoped_lock lock(m_mutex);
            m_handedOut = m_generation - 1; // once more, with the best tilings
        }
        // Whoever stops waits: where a check takes long, what was handed out last is the result.
        const bool hurry = m_options.stop.stop_requested() && m_schedule && m_checkSeconds > 0.01;
        if (!hurry && m_best.total < std::numeric_limits<double>::infinity())
            handOut(pool, true);
        m_evaluations += pool.evaluations();
        m_lookups += pool.lookups();
    }
    if (!m_schedule)
        return nothingFound(m_options, !m_sketch.locked.empty());
    SolveResult result;
    result.schedule = std::move(*m_schedule);
    result.total = m_checked.total;
    result.latencies = std::move(m_checked.latencies);
    result.startTotal = startTotal > 0 ? startTotal : result.total;
    // A proof that says less when what it found was changed, or left out for its addresses.
    result.provenOptimal = m_proven && (!m_options.placeable || m_checked.total <= m_best.total * (1 + 1e-9));
    result.provenSpace = m_space;
    result.lowerBound = m_bound;
    result.stopped = m_options.stop.stop_requested();
    result.stagnated = m_stagnated && !m_proven;
    result.seconds = now();
    result.evaluations = m_evaluations;
    result.lookups = m_lookups;
    result.steps = m_steps;
    result.curve = std::move(m_curve);
    return result;
}

} // namespace

Result<SolveResult> solve(const Problem& problem, const SolveOptions& options)
{
    if (problem.opCount() == 0)
        return Error{ErrorCode::Refused, "the problem has no ops", {}, {}};
    if (!(options.seconds >= 0) || options.threads < 0 || options.iterations < 0)
        return Error{ErrorCode::Refused, "seconds, iterations and threads must not be negative", {}, {}};
    Solver solver(problem, options);
    return solver.run();
}

} // namespace tilewright
