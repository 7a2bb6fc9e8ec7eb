// SPDX-License-Identifier: GPL-3.0-or-later
#include "solve/search/proof_run.h"

#include "base/progress.h"
#include "solve/proof/prove.h"
#include "solve/proof/set_cover.h"
#include "solve/proof/state_search.h"
#include "solve/search/solver.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace tilewright {

namespace {

constexpr double kFirstSeconds = 0.3; ///< time limit of the first set-cover bound, in seconds
/// Time limit of the first set-cover bound, as a share of the total time.
constexpr double kFirstShare = 0.05;
/// Each further run of the set-cover bound gets this many times the time of the previous one.
constexpr double kRunGrowth = 3;
constexpr double kStartScheduleShare = 0.2; ///< share of the total time for finding a good schedule
/// Relative improvement below which a better latency counts as rounding.
constexpr double kMinImprovement = 1e-9;
constexpr double kReportSeconds = 0.1; ///< minimum seconds between two progress reports

class ProofRun
{
public:
    ProofRun(const Problem& problem, const Rules& rules, const ProofRunLimits& limits,
             const ProofCallbacks& callbacks)
        : m_problem(problem), m_rules(rules), m_limits(limits), m_callbacks(callbacks),
          m_started(wallClock()), m_quick(lowerBound(problem, rules)), m_coverBound(m_quick), m_bound(m_quick)
    {
        m_state.best = limits.total;
    }
    ProofRunResult run();

private:
    [[nodiscard]] bool isStopped() const { return m_limits.stop.stop_requested(); }
    [[nodiscard]] double secondsLeft() const { return m_limits.seconds - (wallClock() - m_started); }
    [[nodiscard]] bool isMet() const { return meetsBound(m_state.best, m_bound.value); }
    [[nodiscard]] bool goOn() const { return !isStopped() && secondsLeft() > 0 && !isMet(); }

    void findSchedule();
    bool branchAndBound();
    void price(double seconds);
    void acceptSchedule(Schedule schedule, double total, std::vector<double> latencies);
    void acceptCoverBound(LowerBound bound);
    void raise(double value);
    void raisePresets(double value)
    {
        m_state.presetBound = std::max(m_state.presetBound, std::min(value, m_state.best));
    }
    void setOptimal(const std::string& space)
    {
        m_state.optimal = true;
        m_state.presetBound = m_state.best;
        m_state.space = space;
    }
    void reportBound() const
    {
        if (m_callbacks.onBound)
            m_callbacks.onBound(m_bound);
    }
    void reportState() const
    {
        if (m_callbacks.onState)
            m_callbacks.onState(m_state);
    }

    const Problem& m_problem;
    const Rules& m_rules;
    const ProofRunLimits& m_limits;
    const ProofCallbacks& m_callbacks;
    double m_started;
    LowerBound m_quick;
    LowerBound m_coverBound;          ///< best set-cover bound
    LowerBound m_bound;               ///< m_coverBound, raised to the value that branch and bound has proven
    bool m_isCoverBoundFinal = false; ///< true if longer runs cannot raise the set-cover bound
    ProofState m_state;
    std::size_t m_columns = 0;
    std::int64_t m_states = 0;
};

ProofRunResult ProofRun::run()
{
    const bool few = m_problem.opCount() <= ProofGraph::kMostOps;
    double next = std::min(kFirstSeconds, kFirstShare * m_limits.seconds);
    if (m_limits.reportsEarly && goOn())
        price(next);
    if (m_limits.findsSchedule && goOn() && (few || !std::isfinite(m_state.best)))
        findSchedule();
    if (!goOn() || !few || !branchAndBound())
        while (goOn() && !m_isCoverBoundFinal) {
            next = m_limits.reportsEarly ? kRunGrowth * next : secondsLeft();
            price(std::min(next, secondsLeft()));
        }
    raisePresets(m_bound.value);
    if (isMet())
        setOptimal(provenByBound());
    reportState();
    return {std::move(m_bound), std::move(m_state), m_columns, m_states};
}

/// Searches for a schedule that is better than the incumbent.
void ProofRun::findSchedule()
{
    SolveOptions options;
    options.rules = m_rules;
    options.seconds = std::min(
        {kStartScheduleShare * m_limits.seconds, suggestedSeconds(m_problem.opCount()), secondsLeft()});
    options.threads = static_cast<int>(m_limits.threads);
    options.stop = m_limits.stop;
    auto found = solve(m_problem, options);
    if (!found)
        return;
    if (found->total < m_state.best * (1 - kMinImprovement))
        acceptSchedule(std::move(found->schedule), found->total, std::move(found->latencies));
    if (found->provenOptimal && found->total <= m_state.best * (1 + kMinImprovement))
        setOptimal(found->provenSpace);
}

/// Runs branch and bound. Returns false if it yields no result for this problem or within this time.
bool ProofRun::branchAndBound()
{
    ProofLimits limits;
    limits.seconds = secondsLeft();
    limits.threads = m_limits.threads;
    limits.keepGoing = [this] { return !isStopped(); };
    double reported = -kReportSeconds;
    limits.onProgress = [&](const ProofProgress& p) {
        raisePresets(p.presetBound);
        if (p.seconds - reported < kReportSeconds)
            return;
        reported = p.seconds;
        acceptCoverBound(boundOfGroups(m_quick, m_problem, *p.priced));
        raise(p.lowerBound);
        reportState();
    };
    Proof proof = prove(m_problem, m_rules, m_state.best, limits);
    acceptCoverBound(boundOfGroups(m_quick, m_problem, proof.priced));
    if (proof.schedule && proof.total < m_state.best * (1 - kMinImprovement))
        acceptSchedule(std::move(*proof.schedule), proof.total, std::move(proof.latencies));
    raise(proof.lowerBound);
    raisePresets(proof.presetBound);
    if (proof.optimal)
        setOptimal(proof.space);
    m_columns = proof.columns;
    m_states = proof.states;
    return proof.lowerBound > 0 || proof.optimal;
}

void ProofRun::price(double seconds)
{
    const double before = wallClock();
    const double value = m_coverBound.value;
    acceptCoverBound(strongBound(
        m_problem, m_rules,
        {.seconds = seconds, .threads = m_limits.threads, .keepGoing = [this] { return !isStopped(); }}));
    // A run that ends well before its time limit has converged only within its small search limits, so a
    // longer run may still raise the bound.
    const bool ended = wallClock() - before < seconds / 2;
    m_isCoverBoundFinal = !m_limits.reportsEarly || (ended && m_coverBound.value <= value);
}

/// Accepts a schedule from solve() or prove(); its latency is already checked by the evaluator.
void ProofRun::acceptSchedule(Schedule schedule, double total, std::vector<double> latencies)
{
    m_state.best = total;
    m_state.schedule = std::make_shared<const Schedule>(std::move(schedule));
    m_state.latencies = std::move(latencies);
    reportState();
}

void ProofRun::acceptCoverBound(LowerBound bound)
{
    if (bound.value <= m_coverBound.value)
        return;
    m_coverBound = std::move(bound);
    const double before = m_bound.value;
    m_bound = m_coverBound;
    raiseBound(m_bound, m_problem, before); // raised to the value that branch and bound has proven
    if (m_bound.value > before)
        reportBound();
}

/// Raises the proven bound to `value`, if branch and bound has proven more than the set-cover bound.
void ProofRun::raise(double value)
{
    value = std::min(value, m_state.best);
    if (meetsBound(value, m_bound.value)) // the difference is only a rounding error
        return;
    // raises the set-cover bound, not m_bound, so that only one part is added to the explanation
    m_bound = m_coverBound;
    raiseBound(m_bound, m_problem, value);
    reportBound();
}

} // namespace

ProofRunResult runProof(const Problem& problem, const Rules& rules, const ProofRunLimits& limits,
                        const ProofCallbacks& callbacks)
{
    return ProofRun(problem, rules, limits, callbacks).run();
}

void applyProof(SolveResult& result, const ProofRunResult& proof, bool replace, double seconds)
{
    const ProofState& state = proof.state;
    if (state.schedule && replace && state.best < result.total) {
        result.schedule = *state.schedule;
        result.total = state.best;
        result.latencies = state.latencies;
        result.provenOptimal = false; // the proof of `result` covers another space or another latency
        result.curve.emplace_back(result.seconds + seconds, state.best);
    }
    raiseBound(result, std::min(proof.bound.value, result.total));
    if (state.optimal && !result.provenOptimal && (replace || !state.schedule)) {
        result.provenOptimal = true;
        result.provenSpace = state.space;
    }
}

} // namespace tilewright
