// SPDX-License-Identifier: GPL-3.0-or-later
#include "solve/cost/cost_model.h"

#include "base/integer.h"

#include <algorithm>

namespace tilewright {

CostModel::CostModel(const Problem& problem, const Rules& rules)
    : m_problem(problem), m_rules(rules), m_supported(supports(rules)),
      m_array(rules.compute == Rules::Compute::Array), m_compiler(problem, rules),
      m_capacity(problem.hardware().fastMemoryCapacity),
      m_bandwidth(static_cast<double>(problem.hardware().slowMemoryBandwidth)),
      m_nativeW(problem.hardware().nativeWidth), m_nativeH(problem.hardware().nativeHeight),
      m_nativeK(problem.hardware().nativeK())
{
    m_residentHere.assign(problem.tensorCount(), 0);
    m_retainedHere.assign(problem.tensorCount(), 0);
    m_counted.assign(problem.opCount(), 0);
}

bool CostModel::supports(const Rules& rules) noexcept
{
    Rules reference;
    reference.nullOrderReuse = rules.nullOrderReuse;
    reference.donation = rules.donation;
    reference.superNative = rules.superNative;
    reference.kAboveK = rules.kAboveK;
    reference.retainInputs = rules.retainInputs; // see m_keptInputs
    reference.kScaling = rules.kScaling;
    reference.ephemeral = rules.ephemeral;
    reference.prologue = rules.prologue;
    reference.opOrder = rules.opOrder;
    reference.kLimit = rules.kLimit;
    reference.compute = rules.compute;
    return rules == reference;
}

bool CostModel::legal(const Granularity& g) const
{
    return g.w >= m_range.minW && g.w <= m_plan.mostW() && g.h >= m_range.minH && g.h <= m_plan.mostH() &&
           g.k >= leastK(g.w, g.h) && (m_reductions.empty() || g.k <= m_range.maxK);
}

TilingCost CostModel::general(const Granularity& g, TraversalKind traversal)
{
    TilingCost result;
    ++m_evaluations;
    result.verdict = TilingCost::Verdict::Unmodelled;
    const double tiles = static_cast<double>(ceilDiv(m_heights.back(), g.h)) *
                         static_cast<double>(ceilDiv(m_widths.back(), g.w));
    const std::int64_t depth = m_reductions.empty() ? 1 : ceilDiv(m_reductions.back(), g.k);
    if (tiles * static_cast<double>(depth) >
        static_cast<double>(m_supported && m_keptInputs.empty() ? m_maxWalkedSteps : kMaxProofSteps))
        return result;
    const SubgraphEvaluation e =
        tilewright::evaluate(m_plan, g, Traversal(traversal), m_resident, m_retained);
    result.peak = e.peakWorkingSet;
    result.verdict = !e.structurallyValid ? TilingCost::Verdict::Illegal
                     : e.fits             ? TilingCost::Verdict::Fits
                                          : TilingCost::Verdict::TooLarge;
    if (e.structurallyValid && e.fits)
        result.latency = e.latency;
    return result;
}

TilingCost CostModel::evaluate(const Granularity& g, TraversalKind traversal, double cutoff,
                               const StepTotals& atLeast)
{
    if (!legal(g))
        return {};
    if (!m_supported || !m_keptInputs.empty() || !prepare(g))
        return general(g, traversal);
    return walk(g, traversal, cutoff, atLeast, false);
}

bool CostModel::mayFit(const Granularity& g)
{
    if (!legal(g))
        return false;
    if (!m_supported || !m_keptInputs.empty())
        return canFit(g); // a whole evaluation costs too much here
    if (!prepare(g))
        return general(g, TraversalKind::Raster).verdict != TilingCost::Verdict::TooLarge;
    return walk(g, TraversalKind::Raster, std::numeric_limits<double>::infinity(), {}, true).verdict ==
           TilingCost::Verdict::Fits;
}

} // namespace tilewright
