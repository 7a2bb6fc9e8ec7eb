// SPDX-License-Identifier: GPL-3.0-or-later
// FastEngine: the costs of runs, in time (R8) and in energy (R17).
#pragma once

#include "eval/fast_engine.h"

namespace tilewright {

template <class Limits> void FastEngine<Limits>::stepExtents(std::size_t phase)
{
    const std::int64_t q = m_phaseBegin[phase];
    for (std::size_t i = 0; i < m_plan->ranges().size(); ++i)
        if (m_axis[i] == Axis::Step)
            m_extent[i] = std::min(m_g.k, m_plan->ranges()[i].size - q * m_g.k);
}

template <class Limits> void FastEngine<Limits>::bindRunCosts()
{
    m_runCost.resize(m_phaseCount * m_runCount);
    for (std::size_t p = 0; p < m_phaseCount; ++p) {
        stepExtents(p);
        for (std::size_t r = 0; r < m_runCount; ++r)
            m_runCost[p * m_runCount + r] =
                p > 0 && !m_eachStep.has(r) ? m_runCost[r] : runCost(m_runs[m_bound[r]]);
    }
    // R8.2, R8.3, R17: clipped tiles have a lower cost
    m_hasVariants = m_hasVariants || m_cost->array || m_cost->elements || m_energy || m_cyclesOf;
    if (m_hasVariants)
        m_cellCost.resize(m_rowClasses * m_colClasses * m_phaseCount * m_runCount);
    if (m_energy)
        m_cellEnergy.resize(m_cellCost.size());
}

/// Returns the cost of the run by R8, with the k extents of the current phase.
template <class Limits> double FastEngine<Limits>::runCost(const Run& run) const
{
    if (run.kept || (m_cyclesOf && run.id != *m_cyclesOf))
        return 0;
    const std::int64_t height = length(run.rowSlot, run.row);
    const std::int64_t width = length(run.colSlot, run.col);
    if (m_cyclesOf)
        return m_cost->cycles(height, width, m_extent[run.depthSlot]);
    const StepCosts::Extent rows{reduces(run.rowSlot), height};
    const StepCosts::Extent cols{reduces(run.colSlot), width};
    return run.matmul ? m_cost->matMul(run.base, rows, cols, m_extent[run.depthSlot],
                                       m_plan->ranges()[run.depthSlot].size)
                      : m_cost->pointwise(run.base, rows, cols);
}

/// Returns the energy of the run (R17) in k step q, with the k extents of the current phase.
template <class Limits> double FastEngine<Limits>::runEnergy(const Run& run, std::int64_t q) const
{
    if (run.kept)
        return 0;
    const Problem& problem = m_plan->problem();
    const OpId op = m_plan->ops()[run.id];
    const std::int64_t height = length(run.rowSlot, run.row);
    const std::int64_t width = length(run.colSlot, run.col);
    return run.matmul ? m_energy->matMul(problem, op, height, width, m_extent[run.depthSlot],
                                         run.depth == Axis::Step && q > 0)
                      : m_energy->pointwise(problem, op, height, width);
}

/// Sets the costs of a cell, whose runs begin at `at`, by R6.6: a run is charged by the kinds of axes of its
/// first request in the step.
template <class Limits> void FastEngine<Limits>::variantCosts(const Cell& out, std::size_t at, std::int64_t q)
{
    Mask missing = out.runs;
    for (std::size_t i = 0; i < m_plan->uses().size(); ++i) {
        const auto& u = m_plan->uses()[i];
        if (!u.run)
            continue;
        const Run& run = m_runs[m_useRun[i]];
        if (!missing.has(run.bound) || !isActive(m_causes[m_groupCause[u.group]], q))
            continue;
        missing.reset(run.bound);
        m_cellCost[at + run.bound] = runCost(run);
        if (m_energy)
            m_cellEnergy[at + run.bound] = runEnergy(run, q);
    }
}

} // namespace tilewright
