// SPDX-License-Identifier: GPL-3.0-or-later
#include "solve/search/search_thread.h"

#include "solve/columns/column_generation.h"
#include "solve/proof/exact.h"
#include "solve/proof/strong_bound.h"
#include "solve/search/annealer.h"
#include "solve/search/first_plan.h"

namespace tilewright {

namespace {

/// Share of the time for each round of annealing, and the temperature at its start in average latencies of a
/// subgraph.
struct RoundShare
{
    double share;
    double hot;
};
// Measured on random layered graphs of 45 to 152 ops: hotter rounds begin anew without finding more, and more
// of them are too short. What a round finds in one place counts, whatever it loses elsewhere (recombine()).
constexpr RoundShare kRounds[] = {{0.25, 0.6}, {0.45, 0.45}, {0.3, 0.3}};
constexpr double kCold = 0.03;             ///< last temperature, before the final descent
constexpr double kDescent = 0.85;          ///< from this share of a round on nothing worse is accepted
constexpr std::int64_t kReplanEvery = 400; ///< steps between two exact replannings ...
constexpr double kReplanFrom = 0.4;        ///< ... in the later part of a round
constexpr std::size_t kReplannedOps = 8;
constexpr std::int64_t kRecombineEvery = 50; ///< steps between two recombinations with the current plan
constexpr double kColumnShare = 0.7;         ///< share of a round for column generation at its start ...
constexpr double kLargeColumnShare = 0.85;   ///< ... in problems where it also works on stretches of a plan
constexpr double kStepsOfRound = 500;        ///< a round of pricing takes about as long as so many steps
constexpr double kFewestRounds = 4;          ///< of pricing, where steps are limited
constexpr std::size_t kStepsPerOp = 30;      ///< of descent, for each plan from column generation
constexpr double kLearnFrom = 1.1;           ///< plans up to so many times the best one feed the column pool
constexpr double kPublishEvery = 0.02;       ///< seconds
constexpr double kFirstProofRound = 0.05;    ///< seconds of annealing before a proof is tried
constexpr std::size_t kProvableOps = 12;     ///< within a second or two, mostly
constexpr std::size_t kLongProofOps = 16;    ///< in a budget of ...
constexpr double kLongProof = 4;             ///< ... this many seconds
constexpr std::size_t kProofNodes = 4'000'000; ///< about 200 MB
constexpr double kProofShare = 0.7;            ///< of the time left, for the proof of a small problem
constexpr std::size_t kKeptInputsOps = 6;      ///< with retain_inputs=allow there are many more states ...
constexpr double kKeptInputsShare = 0.3;       ///< ... and most of the time is for the search

bool keepsInputs(const Rules& rules)
{
    return rules.retainInputs == Rules::RetainInputs::Allow;
}

std::size_t provableOps(const Rules& rules, double seconds)
{
    return keepsInputs(rules) ? kKeptInputsOps : seconds < kLongProof ? kProvableOps : kLongProofOps;
}

class SearchThread
{
public:
    SearchThread(SharedSearch& shared, int number)
        : m_shared(shared), m_problem(shared.problem), m_options(shared.options), m_number(number),
          m_pool(m_problem, m_options.rules, shared.memo, shared.start.locked), m_settler(m_pool),
          m_annealer(m_pool, m_options.seed * 1000003 + static_cast<std::uint64_t>(number)),
          m_columns(m_problem, m_options.rules, shared.memo,
                    m_options.seed * 7919 + static_cast<std::uint64_t>(number),
                    [&shared] { return !shared.outOfTime(); }),
          m_isCombinable(m_problem.opCount() <= MasterProblem::kMostOps && shared.start.locked.empty())
    {
        m_annealer.setKeepGoing([this] { return keepGoing(); });
    }

    void run()
    {
        if (makeFirstPlans())
            searchRounds();
        m_shared.count(m_pool, m_reported);
        const std::scoped_lock lock(m_shared.mutex);
        --m_shared.working;
        m_shared.wake.notify_all();
    }

private:
    /// The extent of a round of annealing.
    struct Round
    {
        double start = 0;       ///< second
        double seconds = 0;     ///< that it may take ...
        std::int64_t steps = 0; ///< ... or steps, where these are limited
        double average = 0;     ///< latency of a subgraph at its start
        double hot = 0;         ///< temperature at its start, in average latencies
        bool generates = false; ///< it may begin with column generation
    };

    [[nodiscard]] bool isFirst() const { return m_number == 0; }
    void publishBest() { m_shared.publish(m_pool, m_annealer.best()); }
    [[nodiscard]] bool keepGoing()
    {
        if (m_pool.lookups() - m_reported.lookups > 1000) // called often
            m_shared.count(m_pool, m_reported);
        return !m_shared.outOfTime();
    }

    void setPhase(SolvePhase phase)
    {
        if (isFirst())
            m_shared.phase = phase;
    }

    /// The plan of the start schedule, each op alone, and greedy fusion; false when none of them is valid.
    [[nodiscard]] bool makeFirstPlans()
    {
        const StartPlan& start = m_shared.start;
        const auto adopt = [&](const Plan& plan) {
            m_shared.publish(m_pool, plan);
            m_annealer.setCurrent(plan);
        };
        if (Plan given = toPlan(m_pool, start); !start.sets.empty() && m_settler.settle(given))
            adopt(given);
        // From scratch: locked subgraphs, and each other op alone.
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
        if (m_settler.settle(scratch) || fuseToFit(m_pool, scratch, exactly ? kProofNodes : 0, goOn)) {
            m_shared.publish(m_pool, scratch);
            // From now on there is a result, so searches for tilings may end early.
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

    void searchRounds()
    {
        const std::int64_t budget = m_options.iterations;
        m_isProvable =
            isFirst() && m_options.prove &&
            m_problem.opCount() <= provableOps(m_options.rules, m_shared.deadline - m_shared.now()) &&
            m_shared.start.locked.empty() && budget == 0;
        for (int number = 0;; ++number) {
            if (m_annealer.best().total <= m_shared.bound * (1 + 1e-9))
                m_shared.setProven(provenByBound());
            if (m_shared.outOfTime() || (budget > 0 && m_steps >= budget))
                break;
            if (isFirst())
                m_shared.round = number + 1;
            const std::int64_t before = m_steps;
            m_annealer.setCurrent(m_annealer.best());
            const Round round = roundOf(number);
            if (round.generates)
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
                takeOver();
        }
    }

    /// Rounds are shares of the time that is left; without any budget they grow.
    [[nodiscard]] Round roundOf(int number) const
    {
        const int last = static_cast<int>(std::size(kRounds)) - 1;
        const int at =
            std::clamp(m_isProvable ? number - 1 : number, 0, last); // the one before a proof is short
        double ahead = 0;
        for (int i = at; i <= last; ++i)
            ahead += kRounds[i].share;
        const double share = kRounds[at].share;
        const Plan& plan = m_annealer.current();
        const double average = plan.total / static_cast<double>(plan.entries.size());
        Round out{m_shared.now(), 0, 0, average, kRounds[at].hot, m_isCombinable && at > 0};
        const double left = m_shared.deadline - out.start;
        out.seconds = std::isinf(left) ? 2.0 * (number + 1) : left * share / ahead;
        if (m_isProvable && number == 0)
            out.seconds = std::min(out.seconds, kFirstProofRound);
        if (m_options.iterations > 0)
            out.steps = std::max<std::int64_t>(
                1, static_cast<std::int64_t>(static_cast<double>(m_options.iterations - m_steps) * share /
                                             ahead));
        return out;
    }

    /// Annealing from the current plan, from hot to cold, then descent.
    void anneal(const Round& round)
    {
        double temperature = round.average * round.hot;
        double fraction = 0;
        bool tookOver = m_options.threads == 1;
        for (std::int64_t i = 0;; ++i) {
            if (i % 32 == 0) {
                const double t = m_shared.now();
                if (m_shared.outOfTime())
                    break;
                m_shared.count(m_pool, m_reported);
                if (m_annealer.tidy())
                    m_columns.forgetIds();
                setPhase(fraction > kReplanFrom ? SolvePhase::Windows : SolvePhase::Annealing);
                fraction = round.steps > 0 ? static_cast<double>(i) / static_cast<double>(round.steps)
                                           : (t - round.start) / round.seconds;
                if (fraction >= 1)
                    break;
                if (fraction >= kDescent && !tookOver) {
                    tookOver = true;
                    takeOver();
                }
                temperature = fraction < kDescent ? round.average * round.hot *
                                                        std::pow(kCold / round.hot, fraction / kDescent)
                                                  : 0;
            }
            ++m_steps;
            bool improved = m_annealer.step(temperature);
            if (i % kReplanEvery == kReplanEvery - 1 && fraction > kReplanFrom)
                improved |= m_annealer.replanExactly(kReplannedOps);
            if (i % kRecombineEvery == kRecombineEvery - 1) {
                improved |= m_annealer.recombine(m_annealer.current());
                if (m_isCombinable && m_annealer.current().total < kLearnFrom * m_annealer.best().total)
                    m_columns.learn(m_pool, m_annealer.current());
            }
            if (!improved)
                continue;
            if (const double t = m_shared.now(); t - m_published > kPublishEvery) {
                m_published = t;
                publishBest();
            }
        }
    }

    /// Column generation from the incumbent with the columns of all threads; each plan it gives is improved
    /// by descent.
    void generateColumns(const Round& round)
    {
        const bool isLarge = m_problem.opCount() > ColumnGeneration::kWholeOps;
        const bool countsSteps = m_options.iterations > 0;
        const double budget = (isLarge ? kLargeColumnShare : kColumnShare) *
                              (countsSteps ? static_cast<double>(round.steps) : round.seconds);
        if (countsSteps && budget < kFewestRounds * kStepsOfRound)
            return;
        setPhase(SolvePhase::Combining);
        m_columns.learn(m_shared.columnsOfOthers(m_number));
        const std::vector<Plan> plans =
            m_columns.plansNear(m_pool, m_annealer.best(), [&](std::int64_t rounds) {
                if (m_shared.outOfTime())
                    return 1.0;
                return (countsSteps ? static_cast<double>(rounds) * kStepsOfRound
                                    : m_shared.now() - round.start) /
                       budget;
            });
        m_shared.shareColumns(m_number, m_columns.known());
        for (const Plan& plan : plans) {
            m_annealer.setCurrent(plan);
            for (std::size_t i = 0; i < kStepsPerOp * m_problem.opCount() && !m_shared.outOfTime(); ++i)
                (void)m_annealer.step(0);
            (void)m_annealer.recombine(m_annealer.current());
        }
        m_annealer.setCurrent(m_annealer.best());
        publishBest();
    }

    /// Takes over the places in which the incumbent of all threads is better.
    void takeOver()
    {
        publishBest();
        const SharedSearch::Incumbent incumbent = m_shared.incumbent();
        if (incumbent.total >= m_annealer.best().total)
            return;
        Plan plan = toPlan(m_pool, incumbent.plan);
        if (m_settler.settle(plan))
            (void)m_annealer.recombine(plan);
    }

    /// Exact search of the whole problem; if it finishes, its result or the incumbent is optimal.
    void prove()
    {
        const double share = keepsInputs(m_options.rules) ? kKeptInputsShare : kProofShare;
        const double until = m_shared.now() + share * (m_shared.deadline - m_shared.now());
        m_shared.proofUntil = until;
        setPhase(SolvePhase::Proving);
        ExactLimits limits;
        limits.keepGoing = [this, until] { return !m_shared.outOfTime() && m_shared.now() < until; };
        limits.upperBound = m_annealer.best().total;
        limits.maxNodes = kProofNodes;
        const ExactResult exact =
            solveExactly(m_pool, m_options.rules, wholeProblem(m_problem), TilingEffort::Exhaustive, limits);
        if (!exact.finished)
            return;
        if (exact.entries) {
            m_annealer.setCurrent({*exact.entries, exact.total});
            publishBest();
        }
        m_shared.setProven(exact.space);
    }

    SharedSearch& m_shared;
    const Problem& m_problem;
    const SolveOptions& m_options;
    int m_number;
    SubgraphPool m_pool;
    PlanSettler m_settler;
    Annealer m_annealer;
    ColumnGeneration m_columns;
    bool m_isCombinable;       ///< column generation can be used
    bool m_isProvable = false; ///< this thread is to try a proof
    std::int64_t m_steps = 0;
    double m_published = 0; ///< second of the last improvement that was published at once
    SharedSearch::Counts m_reported, m_columnsReported;
};

} // namespace

void runSearchThread(SharedSearch& shared, int number)
{
    SearchThread(shared, number).run();
}

} // namespace tilewright
