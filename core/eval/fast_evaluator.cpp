// SPDX-License-Identifier: GPL-3.0-or-later
#include "eval/fast_evaluator.h"

#include "eval/fast_engine.h"
#include "eval/schedule_walk.h"

namespace tilewright {

struct FastEvaluator::State
{
    /// Ends a run once the latency is certain to reach the cut-off, or a working set does not fit.
    class Limit
    {
    public:
        Limit(double cutoff, const StepTotals& atLeast, const Hardware& hw)
            : m_cutoff(cutoff), m_left(atLeast), m_capacity(hw.fastMemoryCapacity), m_costs(hw)
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
        StepTotals m_left; ///< at least still to come
        std::int64_t m_capacity;
        MemoryCosts m_costs;
        bool m_isReached = false;
    };

    /// An engine, and how far it is bound for which granularity.
    template <class Limits> struct Asked
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

    const Hardware* hardware = nullptr; ///< of the plan; null: not prepared
    Asked<SmallLimits> small;
    std::optional<Asked<LargeLimits>> large; ///< made when it is needed first
    bool usesSmall = false, usesLarge = false;

    template <class Limits> [[nodiscard]] bool firstTileFits(Asked<Limits>& asked) const
    {
        return asked.engine.firstTilePeak(hardware->fastMemoryCapacity) <= hardware->fastMemoryCapacity;
    }

    /// answer(asked) of the engine in use, bound for `g`; nothing where that is not regular.
    template <class Answer> [[nodiscard]] auto ask(const Granularity& g, bool withRuns, Answer&& answer)
    {
        using Result = std::optional<decltype(answer(small))>;
        if (usesSmall)
            return small.bind(g, withRuns) ? Result(answer(small)) : Result();
        return usesLarge && large->bind(g, withRuns) ? Result(answer(*large)) : Result();
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
    m_state->hardware = &plan.problem().hardware();
    const std::int64_t reserved = reservedElements(plan.problem(), resident, retained);
    const auto isIn = [](std::span<const TensorId> list, TensorId t) {
        return std::find(list.begin(), list.end(), t) != list.end();
    };
    const auto isPrepared = [&]<class Limits>(State::Asked<Limits>& asked) {
        asked.bound = State::Asked<Limits>::Bound::Nothing;
        return asked.engine.prepare(
            plan, [&](std::uint32_t i) { return isIn(resident, plan.inputs()[i]); },
            [&](std::uint32_t i) { return isIn(retained, plan.inputs()[i]); },
            [&](std::uint32_t i) { return isIn(retained, plan.products()[i]); }, reserved);
    };
    m_state->usesSmall = SmallLimits::hold(plan) && isPrepared(m_state->small);
    if (m_state->usesSmall)
        return;
    if (!m_state->large)
        m_state->large.emplace();
    m_state->usesLarge = isPrepared(*m_state->large);
}

bool FastEvaluator::isPrepared() const noexcept
{
    return m_state && m_state->hardware;
}

void FastEvaluator::reset() noexcept
{
    if (m_state)
        m_state->hardware = nullptr;
}

std::optional<TilingCost> FastEvaluator::evaluate(const Granularity& g, TraversalKind traversal,
                                                  double cutoff, const StepTotals& atLeast)
{
    return m_state->ask(g, true, [&](auto& asked) {
        const Hardware& hw = *m_state->hardware;
        State::Limit limit(cutoff, atLeast, hw);
        const Tally tally = asked.engine.run(traversal, limit);
        TilingCost out;
        out.peak = tally.peak;
        const double latency = tally.latency(MemoryCosts(hw));
        if (tally.peak > hw.fastMemoryCapacity) {
            out.verdict = TilingCost::Verdict::TooLarge;
            out.anyOrder = asked.engine.peakIsOfAnyOrder() || !m_state->firstTileFits(asked);
        } else if (limit.isReached() || latency >= cutoff) {
            out.verdict = TilingCost::Verdict::Cut;
        } else {
            out.verdict = TilingCost::Verdict::Fits;
            out.latency = latency;
        }
        return out;
    });
}

std::optional<bool> FastEvaluator::firstTileFits(const Granularity& g)
{
    return m_state->ask(g, false, [&](auto& asked) { return m_state->firstTileFits(asked); });
}

} // namespace tilewright
