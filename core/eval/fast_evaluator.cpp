// SPDX-License-Identifier: GPL-3.0-or-later
#include "eval/fast_evaluator.h"

#include "eval/fast_engine.h"
#include "eval/fast_positions.h"
#include "rules/check.h"

namespace tilewright {

namespace {

bool holds(std::span<const TensorId> list, TensorId t)
{
    return std::find(list.begin(), list.end(), t) != list.end();
}

/// Evaluates a subgraph by the fast engine. Returns nothing if there is no closed form.
std::optional<SubgraphEvaluation> evaluateInClosedForm(const SubgraphPlan& plan, const Granularity& g,
                                                       const Traversal& traversal,
                                                       std::span<const TensorId> resident,
                                                       std::span<const TensorId> retain,
                                                       bool ignoreCoincidences)
{
    const auto ask = [&](auto& engine) -> std::optional<SubgraphEvaluation> {
        if (!engine.bind(g))
            return std::nullopt;
        SubgraphEvaluation out;
        out.rows = engine.rows();
        out.cols = engine.cols();
        if (traversal.kind() == TraversalKind::Custom &&
            !orderFault(traversal.explicitOrder(), {out.rows, out.cols}).empty())
            return SubgraphEvaluation{};
        engine.run(traversal).finish(out, plan.problem());
        out.reserved = plan.problem().elementsOf(engine.reserved());
        out.exact = !ignoreCoincidences;
        return out;
    };
    return withEngine(plan, resident, retain, ignoreCoincidences, ask);
}

/// Evaluates a subgraph by walking its tiles. If that takes more steps than `mostWalkedSteps`, the result is
/// an estimate.
SubgraphEvaluation evaluateByWalking(const SubgraphPlan& plan, const Granularity& g,
                                     const Traversal& traversal, std::span<const TensorId> resident,
                                     std::span<const TensorId> retain, std::int64_t mostWalkedSteps)
{
    // always walked for subgraphs with maps, which have no other estimate
    constexpr std::int64_t kLeastWalkedSteps = 256;
    if (!plan.hasMaps()) {
        if (const auto estimate = evaluateInClosedForm(plan, g, traversal, resident, retain, true);
            estimate && estimate->steps > mostWalkedSteps)
            return *estimate;
        if (mostWalkedSteps == 0)
            return {};
    }
    thread_local PositionEngine engine; // thread_local, to reuse its memory and the footprints
    engine.prepare(plan, resident, retain);
    engine.bind(g);
    SubgraphEvaluation out;
    out.rows = engine.rows();
    out.cols = engine.cols();
    if (traversal.kind() == TraversalKind::Custom &&
        !orderFault(traversal.explicitOrder(), {out.rows, out.cols}).empty())
        return {};
    Tally tally =
        engine.run(traversal, NoLimit{},
                   plan.hasMaps() ? std::max(mostWalkedSteps, kLeastWalkedSteps) : PositionEngine::kNoLimit);
    out.exact = engine.isComplete();
    if (!out.exact)
        tally = tally.scaledTo(engine.mostSteps());
    tally.finish(out, plan.problem());
    out.reserved = plan.problem().elementsOf(engine.reserved());
    return out;
}

} // namespace

SubgraphEvaluation evaluate(const SubgraphPlan& plan, const Granularity& g, const Traversal& traversal,
                            std::span<const TensorId> resident, std::span<const TensorId> retain,
                            std::int64_t mostWalkedSteps)
{
    if (plan.check(g))
        return {};
    const auto isInput = [&](TensorId t) {
        return std::ranges::any_of(plan.inputs(),
                                   [&](TensorId in) { return plan.problem().stored(in) == t; });
    };
    for (const TensorId t : retain) // checks the retained tensors (R4.6)
        if (!holds(plan.products(), t) &&
            !mayRetainInput(plan.problem(), plan.rules(), t, isInput(t), resident))
            return {};
    if (const auto out = evaluateInClosedForm(plan, g, traversal, resident, retain, false))
        return *out;
    return evaluateByWalking(plan, g, traversal, resident, retain, mostWalkedSteps);
}

SubgraphEvaluation evaluateSubgraph(const Problem& problem, const Subgraph& subgraph,
                                    std::span<const TensorId> residentBefore, const Rules& rules)
{
    if (!checkFormat(problem, subgraph, {}).empty())
        return {};
    return evaluate(SubgraphPlan(problem, subgraph.ops, rules), subgraph.granularity, subgraph.traversal,
                    residentBefore, subgraph.retain);
}

namespace {

/// An engine, the granularity to which it is bound, and how much of it is bound.
template <class Limits> struct EngineBinding
{
    enum class Bound : std::uint8_t { Nothing, Buffers, Everything, Irregular };

    FastEngine<Limits> engine;
    Granularity granularity;
    Bound bound = Bound::Nothing;

    [[nodiscard]] bool bind(const Granularity& g, bool withRuns)
    {
        if (bound == Bound::Nothing || g != granularity) {
            granularity = g;
            bound = engine.bindBuffers(g) ? Bound::Buffers : Bound::Irregular;
        }
        if (withRuns && bound == Bound::Buffers)
            bound = engine.bindRuns() ? Bound::Everything : Bound::Irregular;
        return bound != Bound::Irregular;
    }
};

} // namespace

struct FastEvaluator::State
{
    /// Ends a run as soon as the latency is certain to reach the cut-off, or when a working set does not fit.
    class Limit
    {
    public:
        Limit(double cutoff, const StepTotals& atLeast, const Problem& problem)
            : m_cutoff(cutoff), m_left(atLeast), m_capacity(problem.capacityUnits()), m_costs(problem)
        {
        }

        [[nodiscard]] bool allows(const Tally& t, std::int64_t count = 1) noexcept
        {
            const auto n = static_cast<double>(count);
            m_latency += n * t.latency(m_costs);
            m_left.compute -= n * t.compute;
            m_left.memory -= n * m_costs.time(t.load, t.store);
            m_isReached = t.peak > m_capacity || m_latency + std::max(0.0, m_left.bound()) >= m_cutoff;
            return !m_isReached;
        }
        [[nodiscard]] bool isReached() const noexcept { return m_isReached; }

    private:
        double m_cutoff;
        double m_latency = 0;
        StepTotals m_left; ///< lower bounds of the time of the remaining steps
        std::int64_t m_capacity;
        MemoryCosts m_costs;
        bool m_isReached = false;
    };

    EngineBinding<SmallLimits> small;
    std::optional<EngineBinding<LargeLimits>> large; ///< created when first needed
    bool usesSmall = false, usesLarge = false;

    template <class Engine> [[nodiscard]] bool firstTileFits(Engine& engine) const
    {
        const std::int64_t capacity = plan->problem().capacityUnits();
        return engine.firstTilePeak(capacity) <= capacity;
    }

    const SubgraphPlan* plan = nullptr; ///< null if not prepared
    std::vector<TensorId> resident, retained;
    PositionEngine positions;
    std::optional<Granularity> walked; ///< granularity to which `positions` is bound
    bool isListed = false;             ///< true if `positions` is prepared for the plan

    /// Returns answer(engine) for an engine with a closed form at `g`; nothing if there is none.
    template <class Answer> [[nodiscard]] auto ask(const Granularity& g, bool withRuns, Answer&& answer)
    {
        using Result = std::optional<decltype(answer(small.engine))>;
        if (usesSmall)
            return small.bind(g, withRuns) ? Result(answer(small.engine)) : Result();
        return usesLarge && large->bind(g, withRuns) ? Result(answer(large->engine)) : Result();
    }

    [[nodiscard]] PositionEngine& positionsAt(const Granularity& g)
    {
        if (!isListed) {
            positions.prepare(*plan, resident, retained);
            walked.reset();
            isListed = true;
        }
        if (walked != g) {
            positions.bind(g);
            walked = g;
        }
        return positions;
    }

    /// Returns the cost of a tiling from its sums. `sum(limit)` runs the engine.
    template <class Engine, class Sum>
    [[nodiscard]] TilingCost cost(Engine& engine, double cutoff, const StepTotals& atLeast, Sum&& sum)
    {
        const Problem& problem = plan->problem();
        Limit limit(cutoff, atLeast, problem);
        const Tally tally = sum(limit);
        TilingCost out;
        out.peak = tally.peak;
        const double latency = tally.latency(MemoryCosts(problem));
        if (tally.peak > problem.capacityUnits()) {
            out.verdict = TilingCost::Verdict::TooLarge;
            out.anyOrder = engine.peakIsOfAnyOrder() || !firstTileFits(engine);
        } else if (limit.isReached() || latency >= cutoff) {
            out.verdict = TilingCost::Verdict::Cut;
        } else {
            out.verdict = TilingCost::Verdict::Fits;
            out.latency = latency;
            out.energy = tally.energy;
        }
        return out;
    }

    /// Returns the cost of a tiling without a closed form. It is a separate function, so that the code of the
    /// common case stays small.
    [[nodiscard, gnu::noinline]] TilingCost walkedCost(const Granularity& g, TraversalKind traversal,
                                                       double cutoff, const StepTotals& atLeast,
                                                       std::int64_t mostSteps)
    {
        PositionEngine& engine = positionsAt(g);
        TilingCost unmodelled;
        unmodelled.verdict = TilingCost::Verdict::Unmodelled;
        if (engine.leastWalk(traversal) > mostSteps)
            return unmodelled;
        bool isKnown = true;
        const TilingCost out = cost(engine, cutoff, atLeast, [&](Limit& limit) {
            const Tally sum = engine.run(traversal, limit, mostSteps);
            isKnown = engine.isComplete() || limit.isReached();
            return sum;
        });
        return isKnown ? out : unmodelled;
    }
};

FastEvaluator::FastEvaluator() = default;
FastEvaluator::FastEvaluator(const FastEvaluator& /*other*/) {}
FastEvaluator::~FastEvaluator() = default;

void FastEvaluator::prepare(const SubgraphPlan& plan, std::span<const TensorId> resident,
                            std::span<const TensorId> retained)
{
    if (!m_state)
        m_state = std::make_unique<State>();
    m_state->plan = &plan;
    m_state->resident.assign(resident.begin(), resident.end());
    m_state->retained.assign(retained.begin(), retained.end());
    m_state->isListed = m_state->usesLarge = false;
    const auto isPrepared = [&]<class Limits>(EngineBinding<Limits>& binding) {
        binding.bound = EngineBinding<Limits>::Bound::Nothing;
        return binding.engine.prepare(plan, resident, retained);
    };
    m_state->usesSmall = SmallLimits::hold(plan) && isPrepared(m_state->small);
    if (m_state->usesSmall || plan.hasMaps())
        return;
    if (!m_state->large)
        m_state->large.emplace();
    m_state->usesLarge = isPrepared(*m_state->large);
}

bool FastEvaluator::isPrepared() const noexcept
{
    return m_state && m_state->plan;
}

void FastEvaluator::reset() noexcept
{
    if (m_state)
        m_state->plan = nullptr;
}

TilingCost FastEvaluator::evaluate(const Granularity& g, TraversalKind traversal, double cutoff,
                                   const StepTotals& atLeast, std::int64_t mostWalkedSteps)
{
    const auto cost = m_state->ask(g, true, [&](auto& engine) {
        return m_state->cost(engine, cutoff, atLeast,
                             [&](auto& limit) { return engine.run(traversal, limit); });
    });
    if (cost)
        return *cost;
    return m_state->walkedCost(g, traversal, cutoff, atLeast, mostWalkedSteps);
}

bool FastEvaluator::firstTileFits(const Granularity& g)
{
    const auto fits = m_state->ask(g, false, [&](auto& engine) { return m_state->firstTileFits(engine); });
    return fits ? *fits : m_state->firstTileFits(m_state->positionsAt(g));
}

bool FastEvaluator::hasClosedForm(const Granularity& g)
{
    return m_state->ask(g, true, [](auto&) { return true; }).has_value();
}

} // namespace tilewright
