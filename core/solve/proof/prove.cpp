// SPDX-License-Identifier: GPL-3.0-or-later
#include "solve/proof/prove.h"

#include "base/progress.h"
#include "solve/plan/check_schedule.h"
#include "solve/plan/plan.h"
#include "solve/proof/exact.h"
#include "solve/proof/parallel_for.h"
#include "solve/proof/proof_columns.h"
#include "solve/proof/state_search.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

namespace tilewright {

namespace {

/// Cost of a subgraph in a ProofSearch.
enum class ProofCosts : std::uint8_t {
    AnyOrder, ///< lower bound over all orders of the tiles
    Presets   ///< the latency of its best tiling with a preset traversal
};

struct ProofSearchResult
{
    bool finished = false; ///< true if the search has covered all plans of the columns
    double bound = 0;      ///< lower bound of the latency of every plan, with these costs
    /// a plan with a latency below the upper bound, if ProofCosts::Presets was searched and found one
    std::vector<CostedSet> entries;
    double total = std::numeric_limits<double>::infinity();
    std::int64_t states = 0;
};

class ProofSearch : StateSearch
{
public:
    ProofSearch(ProofColumns& columns, const ProofGraph& graph, SubgraphPool& pool, ProofCosts costs,
                const StateSearch::Limits& limits)
        : StateSearch(pool, limits, 0), m_columns(columns), m_graph(graph), m_costs(costs)
    {
        for (const ProofColumn& c : columns.columns())
            m_choices.push_back({&c, graph.neededBy(c.ops), graph.basesOf(c.ops), graph.sinksOf(c.ops),
                                 pool.intern(graph.opsOf(c.ops))});
        std::ranges::stable_sort(m_choices, {}, [](const Choice& c) { return c.column->reduced; });
    }
    ProofSearchResult run()
    {
        const Outcome found = search({});
        ProofSearchResult out{found.finished, std::max(m_columns.value(), found.bound), {}};
        out.bound = std::min(out.bound, m_columns.upperBound());
        out.states = found.states;
        if (found.goal)
            out.total = node(*found.goal).cost;
        if (found.goal && m_costs == ProofCosts::Presets)
            out.entries = entriesTo(*found.goal);
        return out;
    }

private:
    struct Choice
    {
        const ProofColumn* column;
        OpMask needs, bases, sinks;
        SetId set;
    };
    struct Key
    {
        OpMask ops, resident, retained;
        bool operator==(const Key&) const = default;
    };
    struct KeyHash
    {
        std::size_t operator()(const Key& k) const noexcept { return hashOf(k.ops, k.resident, k.retained); }
    };

    [[nodiscard]] double remaining(const State& state) const override
    {
        return m_columns.remaining(state.slow, state.resident);
    }
    [[nodiscard]] bool isGoal(std::uint32_t at) const override
    {
        return (m_graph.outputs & ~node(at).state.slow) == 0;
    }
    [[nodiscard]] bool expand(std::uint32_t at) override;
    [[nodiscard]] SetId setOf(std::uint32_t choice) const override { return m_choices[choice].set; }
    [[nodiscard]] std::vector<TensorId> tensorsOf(OpMask mask) const override
    {
        return m_graph.outputsOf(mask);
    }
    /// Returns a lower bound of the latency of the column's subgraph if the tensors `resident` are in fast
    /// memory at its start. The subgraph need not read all of them.
    [[nodiscard]] double leastAfter(const ProofColumn& c, OpMask resident)
    {
        if (resident == c.resident)
            return c.least;
        const auto [it, isNew] = m_least.try_emplace(Key{c.ops, resident, c.retained}, 0);
        if (isNew)
            it->second = std::max(c.least, m_columns.leastBetween(c.ops, resident, c.retained));
        return it->second;
    }

    ProofColumns& m_columns;
    const ProofGraph& m_graph;
    ProofCosts m_costs;
    std::vector<Choice> m_choices; ///< columns that can come next in a plan, by ascending reduced cost
    std::unordered_map<Key, double, KeyHash> m_least;
};

bool ProofSearch::expand(std::uint32_t at)
{
    const Node from = node(at);
    for (std::uint32_t i = 0; i < m_choices.size(); ++i) {
        const Choice& choice = m_choices[i];
        const ProofColumn& c = *choice.column;
        // The sum of the reduced costs of a plan's columns is at most the plan's latency minus the bound, so
        // the search can limit this sum (docs/rules/bound.md 7).
        const double reduced = from.reduced + c.reduced;
        if (m_columns.value() + reduced > m_limit * (1 + 1e-9))
            break;
        const OpMask there = from.state.resident & choice.needs;
        if (there != c.resident || (choice.needs & ~from.state.slow & ~there) != 0 ||
            (choice.bases & ~from.state.slow) != 0)
            continue;
        const State next{from.state.slow | (choice.sinks & ~c.retained), c.retained};
        const double rest = remainingBelowLimit(next, from.cost + c.least);
        if (!(rest < m_limit))
            continue;
        const bool isExact =
            m_costs == ProofCosts::AnyOrder || (c.exact && from.state.resident == c.resident);
        open({next, from.cost, from.cost + leastAfter(c, from.state.resident), reduced, at, i, isExact},
             rest);
    }
    return true;
}

/// Finds the cheapest plan made of the remaining columns by A*. Each column must state for every tensor
/// whether it is in fast memory before and after it (no undecided tensors, see ProofColumn). The search
/// covers partition, order, recomputation and retained tensors; dual prices estimate the remaining latency.
ProofSearchResult searchProof(ProofColumns& columns, const ProofGraph& graph, SubgraphPool& pool,
                              ProofCosts costs, const StateSearch::Limits& limits)
{
    return ProofSearch(columns, graph, pool, costs, limits).run();
}

// The following constants are shares of the time that remains at the start of a stage.
constexpr double kSetCoverShare = 0.75; ///< share for the set-cover bound
constexpr double kListShare = 0.92;     ///< share for listing the columns
constexpr double kPriceShare = 0.5;     ///< share for the dual prices of all columns
constexpr double kDecideShare = 0.3;    ///< share for splitting columns (Prover::decide())
/// Share for the search with lower bounds over all orders of the tiles.
constexpr double kOrderShare = 0.35;
/// Share for exact latencies of columns, before the search that uses them.
constexpr double kTilingShare = 0.4;
constexpr std::size_t kTiledPerRound = 24;
/// Maximum number of steps of a schedule for it to be checked by the explaining evaluator.
constexpr double kExplainedSteps = 3e5;
/// The gap counts as closed if the bound reaches this share of the upper bound; the rest is rounding.
constexpr double kClosedShare = 1 - 1e-8;
/// Maximum number of ops of a problem for a proof without dual prices; the second value applies if the rules
/// allow to retain inputs.
constexpr std::size_t kUnpricedOps = 16, kRetainedInputsOps = 12;

class Prover
{
public:
    Prover(const Problem& problem, const Rules& rules, double best, const ProofLimits& limits)
        : m_rules(rules), m_limits(limits), m_graph(problem, problem.topologicalOrder()),
          m_pool(problem, rules, limits.memo != nullptr ? *limits.memo : m_memo, {}),
          m_until(now() + limits.seconds), m_started(now()),
          m_columns(m_graph, rules, best,
                    {.columns = limits.columns, .threads = threadsFor(limits.threads), .secondsLeft = [this] {
                         return secondsLeft();
                     }})
    {
    }
    Proof run();
    Proof runWithoutPrices();

private:
    [[nodiscard]] double now() const { return m_limits.clock ? m_limits.clock() : wallClock(); }
    [[nodiscard]] bool keepGoing() const
    {
        return now() < m_until && (!m_limits.keepGoing || m_limits.keepGoing());
    }
    /// Calls stage() with only `share` of the remaining time.
    template <class Stage> void during(double share, Stage&& stage)
    {
        const double end = m_until;
        m_until = now() + share * (end - now());
        stage();
        m_until = end;
    }
    void reportProgress()
    {
        if (m_limits.onProgress)
            m_limits.onProgress({now() - m_started, m_proof.lowerBound,
                                 std::max(m_proof.presetBound, m_proof.lowerBound),
                                 std::min(m_columns.upperBound(), m_proof.total), &m_proof.priced});
    }
    void raise(double Proof::*bound, double value)
    {
        // only schedules below the upper bound were searched, so no higher bound is proven
        value = std::min(value, m_columns.upperBound());
        if (value <= m_proof.*bound)
            return;
        m_proof.*bound = value;
        reportProgress();
    }
    /// Accepts the value of the prices as a lower bound over all orders of the tiles.
    void acceptPriceBound()
    {
        if (m_columns.value() > m_proof.lowerBound)
            m_proof.priced = m_columns.cover();
        raise(&Proof::lowerBound, m_columns.value());
    }
    [[nodiscard]] bool isClosed(double bound) const { return bound >= m_columns.upperBound() * kClosedShare; }
    [[nodiscard]] double secondsLeft() const { return keepGoing() ? m_until - now() : 0; }
    void boundBySetCover();
    [[nodiscard]] bool decide();
    [[nodiscard]] ProofSearchResult search(ProofCosts costs, double Proof::*bound);
    void computeExactLatencies();
    void acceptPlan(const std::vector<CostedSet>& entries, double total);
    Proof finish();

    Rules m_rules;
    const ProofLimits& m_limits;
    ProofGraph m_graph;
    TilingMemo m_memo;
    SubgraphPool m_pool;
    double m_until, m_started;
    ProofColumns m_columns;
    Proof m_proof;
};

/// Splits the columns until each column states for every tensor whether it is in fast memory before and
/// after it. Returns false if this gives too many columns.
bool Prover::decide()
{
    bool decided = false;
    during(kDecideShare, [&] {
        decided = m_columns.decideAll();
        (void)m_columns.price();
    });
    return decided;
}

ProofSearchResult Prover::search(ProofCosts costs, double Proof::*bound)
{
    const StateSearch::Limits limits{.keepGoing = [this] { return keepGoing(); },
                                     .upperBound = m_columns.upperBound(),
                                     .maxNodes = m_limits.nodes,
                                     .onBound = [this, bound](double value) { raise(bound, value); }};
    ProofSearchResult found = searchProof(m_columns, m_graph, m_pool, costs, limits);
    raise(bound, found.bound);
    m_proof.states += found.states;
    return found;
}

/// Alternates between computing exact latencies for columns in the solution of the master problem and
/// computing new prices.
void Prover::computeExactLatencies()
{
    (void)m_columns.price();
    while (keepGoing() && !isClosed(m_columns.value())) {
        const std::vector<std::size_t> which = m_columns.inexact(kTiledPerRound);
        if (which.empty())
            return;
        m_columns.raise(which, [this](ProofColumn& c) {
            if (!keepGoing())
                return;
            const double cutoff =
                c.least - c.reduced + (m_columns.upperBound() - m_columns.value()) * (1 + 1e-6);
            const auto latency = m_pool.provenLatency(
                m_pool.intern(PortableSet{m_graph.opsOf(c.ops), m_graph.outputsOf(c.resident),
                                          m_graph.outputsOf(c.retained)}),
                cutoff, [this] { return keepGoing(); });
            if (!latency)
                return;
            c.exact = true;
            c.least = *latency >= cutoff ? std::numeric_limits<double>::infinity() : *latency;
        });
        (void)m_columns.price();
        raise(&Proof::presetBound, m_columns.value());
    }
}

/// Accepts the schedule of a plan that the search has found, if the evaluator confirms its latency.
void Prover::acceptPlan(const std::vector<CostedSet>& entries, double total)
{
    Schedule schedule = toSchedule(m_pool, Plan{entries, total}, [this] { return keepGoing(); });
    keepWritable(m_graph.problem, schedule);
    const auto checked = verifySchedule(m_graph.problem, schedule, m_rules, kExplainedSteps);
    if (!checked || checked->total > total / kClosedShare) {
        m_proof.optimal = false;
        return;
    }
    m_proof.schedule = schedule;
    m_proof.total = checked->total;
    m_proof.latencies = checked->latencies;
    reportProgress();
}

Proof Prover::finish()
{
    m_proof.presetBound = std::max(m_proof.presetBound, m_proof.lowerBound);
    m_proof.columns = m_columns.columns().size();
    m_proof.seconds = now() - m_started;
    return std::move(m_proof);
}

/// Proof under rules that the dual prices do not support.
Proof Prover::runWithoutPrices()
{
    ExactLimits limits;
    limits.keepGoing = [this] { return keepGoing(); };
    limits.upperBound = m_columns.upperBound();
    limits.maxNodes = m_limits.nodes;
    const ExactResult found =
        solveExactly(m_pool, m_rules, wholeProblem(m_graph.problem), TilingEffort::Exhaustive, limits);
    m_proof.states = found.states;
    if (found.finished) {
        m_proof.optimal = true;
        m_proof.space = found.space;
        if (found.entries)
            acceptPlan(*found.entries, found.total);
    }
    return finish();
}

/// Computes a quick first bound without listing the columns. This is also possible if there are too many ops
/// to list columns.
void Prover::boundBySetCover()
{
    const SetCoverBound found = setCoverBound(m_graph.problem, m_rules,
                                              {.seconds = kSetCoverShare * secondsLeft(),
                                               .threads = m_limits.threads,
                                               .keepGoing = [this] { return keepGoing(); }});
    if (found.value <= m_proof.lowerBound)
        return;
    m_proof.priced = found;
    raise(&Proof::lowerBound, found.value);
}

Proof Prover::run()
{
    boundBySetCover();
    bool listed = false;
    if (!isClosed(m_proof.lowerBound))
        during(kListShare, [&] { listed = m_columns.list(m_rules); });
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
    m_columns.onBound([this] { acceptPriceBound(); });
    if (listed)
        during(kPriceShare, [&] { priced = m_columns.price(); });
    if (!priced)
        return finish();
    acceptPriceBound();
    if (closed())
        return finish();
    bool decided = decide();
    acceptPriceBound();
    if (decided && !closed())
        during(kOrderShare, [&] { (void)search(ProofCosts::AnyOrder, &Proof::lowerBound); });
    if (closed())
        return finish();
    // exact latencies hold for preset traversals only
    m_columns.onBound([this] { raise(&Proof::presetBound, m_columns.value()); });
    during(kTilingShare, [&] { computeExactLatencies(); });
    if (!decided) // the exact latencies may have removed enough columns for a second attempt
        decided = decide();
    raise(&Proof::presetBound, m_columns.value());
    if (!decided)
        return finish();
    const ProofSearchResult found = search(ProofCosts::Presets, &Proof::presetBound);
    if (found.finished) {
        m_proof.optimal = true;
        m_proof.space = exactSpace();
        if (!found.entries.empty())
            acceptPlan(found.entries, found.total);
    }
    return finish();
}

} // namespace

Proof prove(const Problem& problem, const Rules& rules, double best, const ProofLimits& limits)
{
    const std::size_t ops = problem.opCount();
    if (ops == 0 || ops > ProofGraph::kMostOps || !std::isfinite(best))
        return {};
    const bool retainsInputs = rules.keepsInputs();
    const bool isPriced = !retainsInputs && !problem.hasMaps() && !problem.hasWidths();
    if (isPriced && CostModel::supports(rules))
        return Prover(problem, rules, best, limits).run();
    if (ops > (retainsInputs ? kRetainedInputsOps : kUnpricedOps))
        return {};
    return Prover(problem, rules, best, limits).runWithoutPrices();
}

} // namespace tilewright
