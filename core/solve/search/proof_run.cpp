// SPDX-License-Identifier: GPL-3.0-or-later
#include "solve/search/proof_run.h"

#include "base/wall_clock.h"
#include "solve/plan/budget.h"
#include "solve/proof/prove.h"
#include "solve/proof/prove_graph.h"
#include "solve/proof/strong_bound.h"
#include "solve/search/solver.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace tilewright {

namespace {

constexpr double kFirst = 0.3;       // seconds of the first run of prices for somebody who watches ...
constexpr double kFirstShare = 0.05; // ... and of all seconds at most
constexpr double kNext = 3;          // times as long is the next one
constexpr double kSolveShare = 0.2;  // of all seconds, for a schedule to start from
constexpr double kBetter = 1e-9;     // relative; less is rounding
constexpr double kTellEvery = 0.1;   // seconds

class ProofRun
{
public:
    ProofRun(const Problem& problem, const Rules& rules, const ProofRunLimits& limits,
             const ProofRunTold& told)
        : m_problem(problem), m_rules(rules), m_limits(limits), m_told(told), m_started(wallClock()),
          m_quick(lowerBound(problem, rules)), m_priced(m_quick), m_bound(m_quick)
    {
        m_state.best = limits.total;
    }
    ProofRunResult run();

private:
    [[nodiscard]] bool isStopped() const { return m_limits.stop.stop_requested(); }
    [[nodiscard]] double secondsLeft() const { return m_limits.seconds - (wallClock() - m_started); }
    [[nodiscard]] bool isMet() const { return meetsBound(m_state.best, m_bound.value); }
    [[nodiscard]] bool goOn() const { return !isStopped() && secondsLeft() > 0 && !isMet(); }

    void look();
    bool branch();
    void price(double seconds);
    void take(Schedule schedule, double total);
    void takePrices(LowerBound bound);
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
    void tellBound() const
    {
        if (m_told.bound)
            m_told.bound(m_bound);
    }
    void tellState() const
    {
        if (m_told.state)
            m_told.state(m_state);
    }

    const Problem& m_problem;
    const Rules& m_rules;
    const ProofRunLimits& m_limits;
    const ProofRunTold& m_told;
    double m_started;
    LowerBound m_quick;
    LowerBound m_priced;     ///< the best bound by prices
    LowerBound m_bound;      ///< with what the search has added
    bool m_isPriced = false; ///< there is nothing more to find by prices alone
    ProofState m_state;
};

ProofRunResult ProofRun::run()
{
    const bool few = m_problem.opCount() <= ProofGraph::kMostOps;
    double next = std::min(kFirst, kFirstShare * m_limits.seconds);
    if (m_limits.soon && goOn())
        price(next);
    if (goOn() && (few || !std::isfinite(m_state.best)))
        look();
    if (!goOn() || !few || !branch())
        while (goOn() && !m_isPriced) {
            next = m_limits.soon ? kNext * next : secondsLeft();
            price(std::min(next, secondsLeft()));
        }
    raisePresets(m_bound.value);
    if (isMet())
        setOptimal(provenByBound());
    tellState();
    return {std::move(m_bound), std::move(m_state)};
}

/// For a better schedule than is known.
void ProofRun::look()
{
    SolveOptions options;
    options.rules = m_rules;
    options.seconds =
        std::min({kSolveShare * m_limits.seconds, suggestedSeconds(m_problem.opCount()), secondsLeft()});
    options.threads = static_cast<int>(m_limits.threads);
    options.stop = m_limits.stop;
    auto found = solve(m_problem, options);
    if (!found)
        return;
    if (found->total < m_state.best * (1 - kBetter))
        take(std::move(found->schedule), found->total);
    if (found->provenOptimal && found->total <= m_state.best * (1 + kBetter))
        setOptimal(found->provenSpace);
    raise(found->lowerBound);
}

/// False when branch and bound says nothing of this problem, or not in this time.
bool ProofRun::branch()
{
    ProofLimits limits;
    limits.seconds = secondsLeft();
    limits.threads = m_limits.threads;
    limits.keepGoing = [this] { return !isStopped(); };
    double told = -kTellEvery;
    limits.onProgress = [&](const ProofProgress& p) {
        raisePresets(p.presetBound);
        if (p.seconds - told < kTellEvery)
            return;
        told = p.seconds;
        takePrices(boundOfGroups(m_quick, m_problem, *p.priced));
        raise(p.lowerBound);
        tellState();
    };
    Proof proof = prove(m_problem, m_rules, m_state.best, limits);
    takePrices(boundOfGroups(m_quick, m_problem, proof.priced));
    if (proof.schedule && proof.total < m_state.best * (1 - kBetter))
        take(std::move(*proof.schedule), proof.total);
    raise(proof.lowerBound);
    raisePresets(proof.presetBound);
    if (proof.optimal)
        setOptimal(proof.space);
    return proof.lowerBound > 0;
}

void ProofRun::price(double seconds)
{
    const double before = wallClock();
    const double value = m_priced.value;
    takePrices(strongBound(
        m_problem, m_rules,
        {.seconds = seconds, .threads = m_limits.threads, .keepGoing = [this] { return !isStopped(); }}));
    // A short run ends by itself where there is no time to look at more: a longer one may still say more.
    const bool ended = wallClock() - before < seconds / 2;
    m_isPriced = !m_limits.soon || (ended && m_priced.value <= value);
}

/// Of solve() and of prove(), which have had it checked by the evaluator.
void ProofRun::take(Schedule schedule, double total)
{
    m_state.best = total;
    m_state.schedule = std::make_shared<const Schedule>(std::move(schedule));
    tellState();
}

void ProofRun::takePrices(LowerBound bound)
{
    if (bound.value <= m_priced.value)
        return;
    m_priced = std::move(bound);
    const double before = m_bound.value;
    m_bound = m_priced;
    raiseBound(m_bound, m_problem, before); // what the search had added
    if (m_bound.value > before)
        tellBound();
}

/// By what is certain beyond the prices.
void ProofRun::raise(double value)
{
    value = std::min(value, m_state.best);
    if (meetsBound(value, m_bound.value)) // no more than rounding
        return;
    m_bound = m_priced; // one part more, not one for each step
    raiseBound(m_bound, m_problem, value);
    tellBound();
}

} // namespace

ProofRunResult runProof(const Problem& problem, const Rules& rules, const ProofRunLimits& limits,
                        const ProofRunTold& told)
{
    return ProofRun(problem, rules, limits, told).run();
}

} // namespace tilewright
