// SPDX-License-Identifier: GPL-3.0-or-later
#include "solve/proof/prove.h"

#include "base/wall_clock.h"
#include "solve/plan/check_schedule.h"
#include "solve/plan/plan_schedule.h"
#include "solve/proof/exact.h"
#include "solve/proof/prove_search.h"
#include "solve/proof/strong_bound.h"

#include <algorithm>
#include <cmath>

namespace tilewright {

namespace {

// Of the time that is left then:
constexpr double kSetsShare = 0.75;  ///< for prices without a list
constexpr double kListShare = 0.92;  ///< for listing what could be a subgraph
constexpr double kPriceShare = 0.5;  ///< for prices
constexpr double kDecideShare = 0.3; ///< for deciding what stays
constexpr double kOrderShare = 0.35; ///< for the search with tiles in any order
constexpr double kTilingShare = 0.4; ///< for exact latencies before the search with those
constexpr std::size_t kTiledARound = 24;
constexpr double kExplainedSteps = 3e5; ///< of a schedule that was found
constexpr double kEqual = 1 - 1e-8;     // bounds are rounded down by less

class Prover
{
public:
    Prover(const Problem& problem, const Rules& rules, double best, const ProofLimits& limits)
        : m_rules(rules), m_limits(limits), m_graph(problem, rules), m_pool(problem, rules, m_memo, {}),
          m_until(wallClock() + limits.seconds), m_started(wallClock()),
          m_columns(m_graph, rules, best,
                    {.columns = limits.columns, .threads = threadsFor(limits.threads), .secondsLeft = [this] {
                         return secondsLeft();
                     }})
    {
    }
    Proof run();

private:
    [[nodiscard]] bool keepGoing() const
    {
        return wallClock() < m_until && (!m_limits.keepGoing || m_limits.keepGoing());
    }
    /// Calls stage() with only `share` of the time that is left.
    template <class Stage> void during(double share, Stage&& stage)
    {
        const double end = m_until;
        m_until = wallClock() + share * (end - wallClock());
        stage();
        m_until = end;
    }
    void tell()
    {
        if (m_limits.onProgress)
            m_limits.onProgress({wallClock() - m_started, m_proof.lowerBound,
                                 std::max(m_proof.presetBound, m_proof.lowerBound),
                                 std::min(m_columns.upperBound(), m_proof.total), &m_proof.priced});
    }
    void raise(double Proof::*bound, double value)
    {
        value = std::min(value, m_columns.upperBound()); // bounds are about better schedules
        if (value <= m_proof.*bound)
            return;
        m_proof.*bound = value;
        tell();
    }
    /// What the prices say by now of all orders of tiles.
    void takePrices()
    {
        if (m_columns.bound() > m_proof.lowerBound)
            m_proof.priced = m_columns.cover();
        raise(&Proof::lowerBound, m_columns.bound());
    }
    [[nodiscard]] bool isClosed(double bound) const { return bound >= m_columns.upperBound() * kEqual; }
    [[nodiscard]] double secondsLeft() const { return keepGoing() ? m_until - wallClock() : 0; }
    void priceSets();
    [[nodiscard]] bool decide();
    [[nodiscard]] ProofSearchResult search(ProofCosts costs, double Proof::*bound);
    void tile();
    void take(const ProofSearchResult& found);

    Rules m_rules;
    const ProofLimits& m_limits;
    ProofGraph m_graph;
    TilingMemo m_memo;
    SubgraphPool m_pool;
    double m_until, m_started;
    ProofColumns m_columns;
    Proof m_proof;
};

/// Decides what stays, everywhere. False when that gives too many columns.
bool Prover::decide()
{
    bool decided = false;
    during(kDecideShare, [&] {
        decided = m_columns.decideAll();
        (void)m_columns.price();
    });
    m_proof.columns = m_columns.columns().size();
    return decided;
}

ProofSearchResult Prover::search(ProofCosts costs, double Proof::*bound)
{
    ProofSearchLimits limits;
    limits.keepGoing = [this] { return keepGoing(); };
    limits.onBound = [this, bound](double value) { raise(bound, value); };
    limits.nodes = m_limits.nodes;
    ProofSearchResult found = searchProof(m_columns, m_graph, m_pool, costs, limits);
    raise(bound, found.bound);
    m_proof.states += found.states;
    return found;
}

/// Exact latencies for the columns that count, and prices anew, in turns.
void Prover::tile()
{
    (void)m_columns.price();
    while (keepGoing() && !isClosed(m_columns.bound())) {
        const std::vector<std::size_t> which = m_columns.inexact(kTiledARound);
        if (which.empty())
            return;
        m_columns.raise(which, [this](ProofColumn& c) {
            if (!keepGoing())
                return;
            const double cutoff =
                c.least - c.reduced + (m_columns.upperBound() - m_columns.bound()) * (1 + 1e-6);
            const auto latency = m_pool.provenLatency(
                m_pool.intern(PortableSet{m_graph.opsOf(c.ops), m_graph.outputsOf(c.stayIn),
                                          m_graph.outputsOf(c.stayOut)}),
                cutoff, [this] { return keepGoing(); });
            if (!latency)
                return;
            c.exact = true;
            c.least = *latency >= cutoff ? std::numeric_limits<double>::infinity() : *latency;
        });
        (void)m_columns.price();
        raise(&Proof::presetBound, m_columns.bound());
    }
}

/// The schedule of what the search has found, if the evaluator agrees.
void Prover::take(const ProofSearchResult& found)
{
    const Schedule schedule =
        toSchedule(m_pool, Plan{found.entries, found.total}, [this] { return keepGoing(); });
    const auto checked = checkSchedule(m_graph.problem, schedule, m_rules, kExplainedSteps);
    if (!checked || checked->total > found.total / kEqual) {
        m_proof.optimal = false;
        return;
    }
    m_proof.schedule = schedule;
    m_proof.total = checked->total;
    m_proof.latencies = checked->latencies;
    tell();
}

/// Prices of whole subgraphs, without listing them: soon, and of more ops than can be listed.
void Prover::priceSets()
{
    const SetCoverBound found = setCoverBound(m_graph.problem, m_rules,
                                              {.seconds = kSetsShare * secondsLeft(),
                                               .threads = m_limits.threads,
                                               .keepGoing = [this] { return keepGoing(); }});
    if (found.value <= m_proof.lowerBound)
        return;
    m_proof.priced = found;
    raise(&Proof::lowerBound, found.value);
}

Proof Prover::run()
{
    priceSets();
    bool listed = false;
    if (!isClosed(m_proof.lowerBound))
        during(kListShare, [&] { listed = m_columns.list(m_rules); });
    const auto finish = [&] {
        m_proof.columns = m_columns.columns().size();
        m_proof.presetBound = std::max(m_proof.presetBound, m_proof.lowerBound);
        m_proof.seconds = wallClock() - m_started;
        return std::move(m_proof);
    };
    const auto closed = [&] {
        if (!isClosed(m_proof.lowerBound))
            return false;
        m_proof.optimal = true;
        m_proof.space = provenByBound();
        return true;
    };
    if (closed())
        return finish();
    bool priced = false;
    m_columns.onBound([this] { takePrices(); });
    if (listed)
        during(kPriceShare, [&] { priced = m_columns.price(); });
    if (!priced)
        return finish();
    takePrices();
    if (closed())
        return finish();
    bool decided = decide();
    takePrices();
    if (decided && !closed())
        during(kOrderShare, [&] { (void)search(ProofCosts::AnyOrder, &Proof::lowerBound); });
    if (closed())
        return finish();
    m_columns.onBound([this] { raise(&Proof::presetBound, m_columns.bound()); }); // from here on
    during(kTilingShare, [&] { tile(); });
    if (!decided) // exact latencies may have struck out what was too many
        decided = decide();
    raise(&Proof::presetBound, m_columns.bound());
    if (!decided)
        return finish();
    const ProofSearchResult found = search(ProofCosts::Presets, &Proof::presetBound);
    if (found.finished) {
        m_proof.optimal = true;
        m_proof.space = exactSpace();
        if (!found.entries.empty())
            take(found);
    }
    return finish();
}

} // namespace

Proof prove(const Problem& problem, const Rules& rules, double best, const ProofLimits& limits)
{
    if (problem.opCount() == 0 || problem.opCount() > ProofGraph::kMostOps || !CostModel::supports(rules) ||
        rules.retainInputs == Rules::RetainInputs::Allow || !std::isfinite(best))
        return {};
    return Prover(problem, rules, best, limits).run();
}

void takeProof(SolveResult& result, Proof proof, bool replace)
{
    if (proof.schedule && !replace) {
        raiseBound(result, std::min(proof.lowerBound, result.total));
        return;
    }
    if (proof.schedule && proof.total < result.total) {
        result.schedule = std::move(*proof.schedule);
        result.total = proof.total;
        result.latencies = std::move(proof.latencies);
        result.provenOptimal = false; // another space, or another value
        result.curve.emplace_back(result.seconds + proof.seconds, proof.total);
    }
    raiseBound(result, std::min(proof.lowerBound, result.total));
    if (proof.optimal && !result.provenOptimal) {
        result.provenOptimal = true;
        result.provenSpace = proof.space;
    }
}

void proveResult(const Problem& problem, const Rules& rules, SolveResult& result, const ProofLimits& limits,
                 bool replace)
{
    Proof proof = prove(problem, rules, result.total, limits);
    const bool said = proof.lowerBound > 0;
    const double left = limits.seconds - proof.seconds;
    takeProof(result, std::move(proof), replace);
    if (!said && (!limits.keepGoing || limits.keepGoing()))
        raiseBound(result,
                   strongBound(problem, rules,
                               {.seconds = left, .threads = limits.threads, .keepGoing = limits.keepGoing})
                       .value);
}

} // namespace tilewright
