// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/run_clock.h"

#include <algorithm>
#include <cmath>

namespace tilewright {

namespace {

constexpr double kMost = 4e37; // a little less than 2^125

/// A common multiple of the denominators that the durations of an op's runs can have.
ExactTime denominatorOf(const Problem& problem, const StepCosts& costs, OpId o)
{
    const Op& op = problem.op(o);
    const StepCosts::Extent any{true, 1};
    return op.type == OpType::MatMul ? costs.exactMatMul(op.baseCost, any, any, 1, problem.reductionSize(o))
                                     : costs.exactPointwise(op.baseCost, any, any);
}

} // namespace

RunClock::RunClock(const Problem& problem, const Schedule& schedule, const Rules& rules, double longest,
                   const std::optional<RunNetwork>& network)
    : m_bandwidth(problem.bandwidthUnits())
{
    Int128 largest = 1;
    const auto take = [&](std::int64_t factor, Int128 denominator) {
        largest = std::max(largest, denominator);
        denominator /= commonDivisor(denominator, factor);
        const Int128 missing = denominator / commonDivisor(m_perUnit, denominator);
        if (static_cast<double>(m_perUnit) * static_cast<double>(missing) < kMost)
            m_perUnit *= missing;
        else
            m_exact = false;
    };
    take(1, m_bandwidth);
    if (network) {
        m_link = network->linkUnits > 0 ? ExactTime{network->linkUnits, network->linkTime}
                                        : ExactTime{m_bandwidth, 2};
        take(static_cast<std::int64_t>(m_link.denominator), m_link.numerator);
    }
    for (const SubgraphPtr& s : schedule.subgraphs) {
        const StepCosts costs(problem.hardware(), s->granularity, rules);
        for (const OpId o : s->ops)
            take(problem.op(o).baseCost, denominatorOf(problem, costs, o).denominator);
    }
    const auto fits = [&] {
        const auto perUnit = static_cast<double>(m_perUnit);
        return perUnit * std::max(longest, static_cast<double>(largest)) < kMost;
    };
    m_exact = m_exact && fits();
    if (!m_exact) {
        m_perUnit = static_cast<Int128>(1) << 40;
        while (m_perUnit > 1 && !fits())
            m_perUnit /= 2;
    }
    m_divisor = static_cast<long double>(m_perUnit);
}

Ticks RunClock::ticks(const ExactTime& t) const
{
    const Int128 whole = t.numerator / t.denominator;
    const Int128 rest = t.numerator % t.denominator;
    const Int128 parts = rest * m_perUnit;
    return whole * m_perUnit +
           (m_exact ? parts / t.denominator : (parts + t.denominator / 2) / t.denominator);
}

Ticks RunClock::run(const Problem& problem, const StepCosts& costs, const StepRun& run,
                    const StepLinks::Run& kinds) const
{
    if (run.repeated)
        return 0;
    const Op& op = problem.op(run.op);
    const StepCosts::Extent rows{kinds.rowsReduce, run.rect.height()};
    const StepCosts::Extent cols{kinds.colsReduce, run.rect.width()};
    return ticks(op.type == OpType::MatMul ? costs.exactMatMul(op.baseCost, rows, cols, run.k1 - run.k0,
                                                               problem.reductionSize(run.op))
                                           : costs.exactPointwise(op.baseCost, rows, cols));
}

} // namespace tilewright
