// SPDX-License-Identifier: GPL-3.0-or-later
#include "solve/search/search_thread.h"

#include "base/progress.h"
#include "eval/energy_bound.h"
#include "solve/columns/column_generation.h"
#include "solve/proof/exact.h"
#include "solve/proof/prove.h"
#include "solve/proof/set_cover.h"
#include "solve/search/annealer.h"
#include "solve/search/constrained_plan.h"
#include "solve/search/first_plan.h"

#include <chrono>
#include <thread>

namespace tilewright {

SharedSearch::SharedSearch(const Problem& of, const SolveOptions& with, const Price& price)
    : problem(of), options(with), energyBound(tilewright::energyBound(of, with.rules).value),
      bound(lowerBound(of, with.rules).value), memo(price), m_started(clock())
{
    if (options.start)
        start = startPlan(*options.start, options.selection);
}

double SharedSearch::clock() const
{
    return options.clock ? options.clock() : wallClock();
}

bool SharedSearch::outOfTime() const
{
    while (options.paused && options.paused() && !halt && !options.stop.stop_requested())
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    return halt.load(std::memory_order_relaxed) || options.stop.stop_requested() ||
           now() >= deadline.load(std::memory_order_relaxed);
}

void SharedSearch::setProven(const std::string& space)
{
    const std::scoped_lock lock(mutex);
    if (!proven)
        provenSpace = space;
    proven = true;
    halt = true;
    wake.notify_all();
}

void SharedSearch::publish(const SubgraphPool& pool, const Plan& plan)
{
    const std::scoped_lock lock(mutex);
    if (!(plan.total < best.total))
        return;
    best = {portable(pool, plan), plan.total, best.number + 1};
    wake.notify_all();
}

SharedSearch::Incumbent SharedSearch::incumbent()
{
    const std::scoped_lock lock(mutex);
    return best;
}

void SharedSearch::count(const SubgraphPool& pool, Counts& reported)
{
    evaluations += pool.evaluations() - reported.evaluations;
    lookups += pool.lookups() - reported.lookups;
    reported = {pool.evaluations(), pool.lookups()};
}

std::vector<PortableSet> SharedSearch::columnsOfOthers(int thread)
{
    const std::scoped_lock lock(mutex);
    std::vector<PortableSet> out;
    for (std::size_t i = 0; i < m_columns.size(); ++i)
        if (i != static_cast<std::size_t>(thread))
            out.insert(out.end(), m_columns[i].begin(), m_columns[i].end());
    return out;
}

void SharedSearch::shareColumns(int thread, std::vector<PortableSet> columns)
{
    const std::scoped_lock lock(mutex);
    m_columns.resize(std::max(m_columns.size(), static_cast<std::size_t>(thread) + 1));
    m_columns[static_cast<std::size_t>(thread)] = std::move(columns);
}

namespace {

/// Time share of an annealing round, and its start temperature as a multiple of the average latency of a
/// subgraph.
struct RoundShare
{
    double share;
    double startTemperature;
};
// Measured on random layered graphs of 45 to 152 ops: higher temperatures destroy the plan without finding
// better ones, and leave too little time for cooling. A local improvement is not lost when a round ends with
// a worse plan: recombine() copies it into the incumbent.
constexpr RoundShare kRounds[] = {{0.25, 0.6}, {0.45, 0.45}, {0.3, 0.3}};
/// Temperature at the end of cooling, in average latencies of a subgraph.
constexpr double kEndTemperature = 0.03;
constexpr double kDescentFrom = 0.85; ///< share of a round after which worse plans are no longer accepted
constexpr std::int64_t kReplanEvery = 400; ///< number of steps between two exact replannings
constexpr double kReplanFrom = 0.4;        ///< share of a round after which exact replanning begins
constexpr std::size_t kReplannedOps = 8;
/// Number of steps between two recombinations with the current plan.
constexpr std::int64_t kRecombineEvery = 50;
constexpr double kColumnShare = 0.7; ///< share of a round for column generation, which comes first
/// Share of a round for column generation in problems where it also searches stretches of a plan.
constexpr double kLargeColumnShare = 0.85;
/// Number of annealing steps that take as long as one round of pricing.
constexpr double kStepsPerPricingRound = 500;
constexpr double kMinPricingRounds = 4;        ///< minimum number of pricing rounds when steps are limited
constexpr std::size_t kDescentStepsPerOp = 30; ///< descent steps for each op of a plan from column generation
constexpr double kPublishSeconds = 0.02;       ///< minimum seconds between two published plans
constexpr double kSecondsBeforeProof = 0.05;   ///< seconds of annealing before a proof is tried
/// Maximum number of ops for a proof. A proof of this size mostly takes less than two seconds.
constexpr std::size_t kProvableOps = 12;
constexpr std::size_t kLongProofOps = 16; ///< maximum number of ops for a proof if the time limit is large
constexpr double kLongProofSeconds = 4;   ///< time limit in seconds from which on kLongProofOps applies
/// Maximum number of states of the exact search for a first plan, about 200 MB.
constexpr std::size_t kFirstPlanNodes = 4'000'000;
constexpr double kProofShare = 0.7;      ///< share of the remaining time for the proof of a small problem
constexpr double kMaxProofSeconds = 1e6; ///< time limit of a proof if the search has none

std::size_t provableOps(const Rules& rules, double seconds)
{
    return rules.keepsInputs() || seconds < kLongProofSeconds ? kProvableOps : kLongProofOps;
}

class SearchThread
{
public:
    SearchThread(SharedSearch& shared, int number)
        : m_shared(shared), m_problem(shared.problem), m_options(shared.options), m_number(number),
          m_pool(m_problem, m_options.rules, shared.memo, shared.start.locked, m_options.constraints),
          m_repair(m_pool), m_annealer(m_pool, m_options.seed * 1000003 + static_cast<std::uint64_t>(number)),
          m_columns(m_problem, m_options.rules, shared.memo,
                    m_options.seed * 7919 + static_cast<std::uint64_t>(number),
                    [&shared] { return !shared.outOfTime(); }),
          m_isCombinable(m_problem.opCount() <= MasterProblem::kMostOps && shared.start.locked.empty() &&
                         !m_options.constraints.any())
    {
        m_annealer.setKeepGoing([this] { return keepGoing(); });
    }

    void run()
    {
        if (makeFirstPlans())
            searchRounds();
        m_shared.count(m_pool, m_reported);
    }

private:
    /// Limits of one annealing round.
    struct Round
    {
        double start = 0;               ///< time at which the round starts, in seconds
        double seconds = 0;             ///< time limit in seconds
        std::int64_t steps = 0;         ///< maximum number of steps, if steps are limited
        double average = 0;             ///< average latency of a subgraph at the start of the round
        double startTemperature = 0;    ///< start temperature, in average latencies of a subgraph
        bool startsWithColumns = false; ///< true if the round starts with column generation
    };

    [[nodiscard]] bool isFirst() const { return m_number == 0; }
    void publishBest() { m_shared.publish(m_pool, m_annealer.best()); }
    [[nodiscard]] bool keepGoing()
    {
        // this function is called often, so counters are reported only from time to time
        if (m_pool.lookups() - m_reported.lookups > 1000)
            m_shared.count(m_pool, m_reported);
        return !m_shared.outOfTime();
    }

    void setPhase(SolvePhase phase)
    {
        if (isFirst())
            m_shared.phase = phase;
    }

    /// Builds the first plans: the given schedule, each op alone, and greedy fusion. Returns false if none is
    /// valid.
    [[nodiscard]] bool makeFirstPlans()
    {
        const StartPlan& start = m_shared.start;
        const auto adopt = [&](const Plan& plan) {
            m_shared.publish(m_pool, plan);
            m_annealer.setCurrent(plan);
        };
        if (Plan given = toPlan(m_pool, start); !start.sets.empty() && m_repair.makeValid(given))
            adopt(given);
        // A plan that ignores the given schedule: the locked subgraphs, and each other op alone.
        Plan scratch;
        std::vector<char> covered(m_problem.opCount());
        for (const PortableSet& s : start.sets)
            if (s.lock >= 0) {
                scratch.entries.push_back({m_pool.intern(s)});
                for (const OpId o : s.ops)
                    covered[o.index()] = 1;
            }
        for (const OpId o : m_problem.topologicalOrder())
            if (covered[o.index()] == 0)
                scratch.entries.push_back({{m_pool.intern({o})}});
        const auto goOn = [this] { return keepGoing(); };
        const bool exactly = isFirst() && m_problem.opCount() <= kLongProofOps && start.locked.empty();
        if (makeConstrained(scratch) || m_repair.makeValid(scratch) ||
            fuseToFit(m_pool, scratch, exactly ? kFirstPlanNodes : 0, goOn)) {
            m_shared.publish(m_pool, scratch);
            // A valid plan exists now, so searches for tilings may end early from here on.
            m_pool.setKeepGoing([this] { return !m_shared.outOfTime(); });
            Plan fused = fuseGreedily(m_pool, scratch, goOn);
            m_shared.publish(m_pool, fused);
            for (Plan* plan : {&fused, &scratch}) {
                m_annealer.refine(*plan, true);
                adopt(*plan);
            }
            m_annealer.setCurrent(m_annealer.best());
        }
        return m_annealer.best().feasible();
    }

    /// Fuses and orders the ops of the plan as the constraints require. Returns false if this gives no valid
    /// plan, or if no constraint requires a fusion or an order.
    [[nodiscard]] bool makeConstrained(Plan& plan)
    {
        for (Plan& tried : plansForConstraints(m_pool, plan))
            if (m_repair.makeValid(tried)) {
                plan = std::move(tried);
                return true;
            }
        return false;
    }

    void searchRounds()
    {
        const std::int64_t budget = m_options.iterations;
        m_isProvable =
            isFirst() && m_options.prove && m_shared.memo.price().isLatency() &&
            m_problem.opCount() <= provableOps(m_options.rules, m_shared.deadline - m_shared.now()) &&
            m_shared.start.locked.empty() && budget == 0;
        for (int number = 0;; ++number) {
            if (m_annealer.best().total <= m_shared.priceBound() * (1 + 1e-9))
                m_shared.setProven(provenByBound());
            if (m_shared.outOfTime() || (budget > 0 && m_steps >= budget))
                break;
            if (isFirst())
                m_shared.round = number + 1;
            const std::int64_t before = m_steps;
            m_annealer.setCurrent(m_annealer.best());
            const Round round = roundOf(number);
            if (round.startsWithColumns)
                generateColumns(round);
            m_shared.count(m_columns.pool(), m_columnsReported);
            anneal(round);
            m_shared.steps += m_steps - before;
            setPhase(SolvePhase::Tiling);
            Plan refined = m_annealer.best();
            m_annealer.refine(refined, true);
            m_annealer.setCurrent(refined);
            publishBest();
            if (m_isProvable && number == 0)
                prove();
            if (m_options.threads != 1 && !m_shared.outOfTime())
                adoptRegions();
        }
    }

    /// Returns the limits of the next round, as a share of the remaining time. A search without limits runs
    /// longer and longer rounds.
    [[nodiscard]] Round roundOf(int number) const
    {
        const int last = static_cast<int>(std::size(kRounds)) - 1;
        // the short round before a proof does not count
        const int at = std::clamp(m_isProvable ? number - 1 : number, 0, last);
        double ahead = 0;
        for (int i = at; i <= last; ++i)
            ahead += kRounds[i].share;
        const double share = kRounds[at].share;
        const Plan& plan = m_annealer.current();
        const double average = plan.total / static_cast<double>(plan.entries.size());
        Round out{m_shared.now(), 0, 0, average, kRounds[at].startTemperature, m_isCombinable && at > 0};
        const double left = m_shared.deadline - out.start;
        out.seconds = std::isinf(left) ? 2.0 * (number + 1) : left * share / ahead;
        if (m_isProvable && number == 0)
            out.seconds = std::min(out.seconds, kSecondsBeforeProof);
        if (m_options.iterations > 0)
            out.steps = std::max<std::int64_t>(
                1, static_cast<std::int64_t>(static_cast<double>(m_options.iterations - m_steps) * share /
                                             ahead));
        return out;
    }

    /// Anneals the current plan: first with falling temperature (cooling), then accepting only improvements
    /// (descent).
    void anneal(const Round& round)
    {
        double temperature = round.average * round.startTemperature;
        double fraction = 0;
        bool hasAdopted = m_options.threads == 1;
        for (std::int64_t i = 0;; ++i) {
            if (i % 32 == 0) {
                const double t = m_shared.now();
                if (m_shared.outOfTime())
                    break;
                m_shared.count(m_pool, m_reported);
                m_annealer.clearLargePool();
                setPhase(fraction > kReplanFrom ? SolvePhase::Replanning : SolvePhase::Annealing);
                fraction = round.steps > 0 ? static_cast<double>(i) / static_cast<double>(round.steps)
                                           : (t - round.start) / round.seconds;
                if (fraction >= 1)
                    break;
                if (fraction >= kDescentFrom && !hasAdopted) {
                    hasAdopted = true;
                    adoptRegions();
                }
                temperature = fraction < kDescentFrom ? round.average * round.startTemperature *
                                                            std::pow(kEndTemperature / round.startTemperature,
                                                                     fraction / kDescentFrom)
                                                      : 0;
            }
            ++m_steps;
            bool improved = m_annealer.step(temperature);
            if (i % kReplanEvery == kReplanEvery - 1 && fraction > kReplanFrom)
                improved |= m_annealer.replanExactly(kReplannedOps);
            if (i % kRecombineEvery == kRecombineEvery - 1)
                improved |= m_annealer.recombine(m_annealer.current());
            if (!improved)
                continue;
            if (const double t = m_shared.now(); t - m_published > kPublishSeconds) {
                m_published = t;
                publishBest();
            }
        }
    }

    /// Column generation from the incumbent with the columns of all threads. Each resulting plan is improved
    /// by descent.
    void generateColumns(const Round& round)
    {
        const bool isLarge = m_problem.opCount() > ColumnGeneration::kWholeOps;
        const bool countsSteps = m_options.iterations > 0;
        const double budget = (isLarge ? kLargeColumnShare : kColumnShare) *
                              (countsSteps ? static_cast<double>(round.steps) : round.seconds);
        if (countsSteps && budget < kMinPricingRounds * kStepsPerPricingRound)
            return;
        setPhase(SolvePhase::GeneratingColumns);
        m_columns.addColumns(m_shared.columnsOfOthers(m_number));
        const std::vector<Plan> plans =
            m_columns.plansNear(m_pool, m_annealer.best(), [&](std::int64_t rounds) {
                if (m_shared.outOfTime())
                    return 1.0;
                return (countsSteps ? static_cast<double>(rounds) * kStepsPerPricingRound
                                    : m_shared.now() - round.start) /
                       budget;
            });
        m_shared.shareColumns(m_number, m_columns.known());
        for (const Plan& plan : plans) {
            m_annealer.setCurrent(plan);
            for (std::size_t i = 0; i < kDescentStepsPerOp * m_problem.opCount() && !m_shared.outOfTime();
                 ++i)
                (void)m_annealer.step(0);
            (void)m_annealer.recombine(m_annealer.current());
        }
        m_annealer.setCurrent(m_annealer.best());
        publishBest();
    }

    /// Copies the regions in which the incumbent of all threads is faster into this thread's best plan.
    void adoptRegions()
    {
        publishBest();
        const SharedSearch::Incumbent incumbent = m_shared.incumbent();
        if (incumbent.total >= m_annealer.best().total)
            return;
        Plan plan = toPlan(m_pool, incumbent.plan);
        if (m_repair.makeValid(plan))
            (void)m_annealer.recombine(plan);
    }

    /// Runs branch and bound from the incumbent. If the proof finishes, the optimum is the schedule that it
    /// has found, or else the incumbent.
    void prove()
    {
        const double left = kProofShare * (m_shared.deadline - m_shared.now());
        m_shared.proofUntil = m_shared.now() + left;
        setPhase(SolvePhase::Proving);
        ProofLimits limits;
        limits.seconds = std::min(left, kMaxProofSeconds);
        limits.threads = 1;
        limits.clock = [this] { return m_shared.now(); };
        limits.keepGoing = [this] { return !m_shared.outOfTime(); };
        limits.memo = &m_shared.memo;
        if (m_options.constraints.any()) {
            proveWithinConstraints(limits);
            return;
        }
        const Proof proof = tilewright::prove(m_problem, m_options.rules, m_annealer.best().total, limits);
        if (proof.schedule) {
            Plan plan = toPlan(m_pool, startPlan(*proof.schedule, {}));
            RetainId before = 0;
            for (std::size_t i = 0; i < plan.entries.size(); ++i) {
                CostedSet& e = plan.entries[i];
                e.resident = std::exchange(before, e.retain);
                e.latency = proof.latencies[i];
            }
            plan.addUp();
            m_annealer.setCurrent(plan);
            publishBest();
        }
        m_shared.bound = std::max(m_shared.bound.load(), std::min(proof.lowerBound, m_annealer.best().total));
        if (proof.optimal)
            m_shared.setProven(proof.space);
    }

    /// Dual prices and lower bounds ignore constraints, so with constraints only the exact search over all
    /// plans can prove optimality.
    void proveWithinConstraints(const ProofLimits& limits)
    {
        ExactLimits exact;
        exact.upperBound = m_annealer.best().total;
        const double end = m_shared.now() + limits.seconds;
        exact.keepGoing = [&] { return !m_shared.outOfTime() && m_shared.now() < end; };
        ExactResult found =
            solveExactly(m_pool, m_options.rules, wholeProblem(m_problem), TilingEffort::Exhaustive, exact);
        if (!found.finished)
            return;
        if (found.entries) {
            Plan plan{std::move(*found.entries), found.total};
            plan.addUp();
            m_annealer.setCurrent(plan);
            publishBest();
        }
        m_shared.setProven(found.space);
    }

    SharedSearch& m_shared;
    const Problem& m_problem;
    const SolveOptions& m_options;
    int m_number;
    SubgraphPool m_pool;
    PlanRepair m_repair;
    Annealer m_annealer;
    ColumnGeneration m_columns;
    /// true if the problem is small enough for column generation and has neither locked subgraphs nor
    /// constraints
    bool m_isCombinable;
    bool m_isProvable = false; ///< true if this thread tries a proof
    std::int64_t m_steps = 0;
    double m_published = 0; ///< time of the last publication of a plan, in seconds
    SharedSearch::Counts m_reported, m_columnsReported;
};

} // namespace

void runSearchThread(SharedSearch& shared, int number)
{
    struct Ended
    {
        ~Ended()
        {
            const std::scoped_lock lock(shared.mutex);
            --shared.working;
            shared.wake.notify_all();
        }
        SharedSearch& shared;
    } const ended{shared};
    SearchThread(shared, number).run();
}

} // namespace tilewright
