// SPDX-License-Identifier: GPL-3.0-or-later
// FastEngine: from a plan to symbols, k phases and run costs of one granularity.
#pragma once

#include "eval/fast_engine.h"

namespace tilewright {

template <class Limits> void FastEngine<Limits>::bindSlots()
{
    const auto& slots = m_plan.ranges();
    m_axis.resize(slots.size());
    m_extent.resize(slots.size());
    for (std::size_t i = 0; i < slots.size(); ++i) {
        const auto& s = slots[i];
        const std::int64_t size = s.axis == Axis::Step ? m_g.k : s.row ? m_g.h : m_g.w;
        m_axis[i] = s.axis == Axis::Full || size >= s.size ? Axis::Full : s.axis;
        m_extent[i] = s.size;
    }
}

template <class Limits> void FastEngine<Limits>::bindGroups()
{
    const auto& groups = m_plan.groups();
    m_groupSteps.resize(groups.size());
    m_groupBuffers.resize(groups.size());
    m_groupRuns.resize(groups.size());
    m_sinkSteps.resize(m_plan.sinks().size());
    for (std::size_t s = 0; s < m_plan.sinks().size(); ++s)
        m_sinkSteps[s] = 1;
    for (std::size_t i = 0; i < groups.size(); ++i) {
        m_groupSteps[i] = groups[i].reduction > 0 ? ceilDiv(groups[i].reduction, m_g.k) : 0;
        m_groupBuffers[i] = m_groupRuns[i] = Mask{};
        std::int64_t& steps = m_sinkSteps[groups[i].sink];
        steps = std::max(steps, m_groupSteps[i]);
    }
}

/// Whether a tile range and a step range of one axis can be equal somewhere.
template <class Limits>
bool FastEngine<Limits>::canMeet(std::int64_t tile, std::int64_t tileSize, std::int64_t step,
                                 std::int64_t stepSize) const noexcept
{
    const std::int64_t lastTile = tileSize % tile;
    const std::int64_t lastStep = stepSize % step;
    return tile == step || lastTile == step || tile == lastStep || (lastTile != 0 && lastTile == lastStep);
}

/// Whether two canonical axes of one tensor can be the same range at some position although they differ.
template <class Limits>
bool FastEngine<Limits>::canMeet(Axis a, Axis b, bool row, std::int64_t size) const noexcept
{
    if (a == b)
        return true;
    if (a == Axis::Full || b == Axis::Full || m_ignoreMeetings)
        return false;
    // Ranges of one axis are equal when both sizes are, or when the last ones are.
    const std::int64_t tile = row ? m_g.h : m_g.w;
    return tile == m_g.k || (size - 1) % tile == (size - 1) % m_g.k;
}

template <class Limits>
template <class Resident, class Kept>
bool FastEngine<Limits>::bindUses(Resident&& isResident, Kept&& isKept)
{
    const auto& uses = m_plan.uses();
    m_useBit.resize(uses.size());
    m_useRun.resize(uses.size());
    m_buffers.resize(uses.size());
    m_runs.resize(uses.size());
    for (std::size_t i = 0; i < uses.size(); ++i) {
        const auto& u = uses[i];
        const Axis row = canonical(u.rowSlot);
        const Axis col = canonical(u.colSlot);
        bool ok = true;
        m_useBit[i] = false;
        if (u.run) {
            ok = addRun(i, u, row, col);
        } else if (!isResident(u.id)) {
            if (isKept(u.id)) {
                ok = addKept(u, row, col);
            } else {
                m_useBit[i] = true;
                ok = addBuffer(u, row, col);
            }
        }
        if (!ok)
            return false;
    }
    if constexpr (!kSmall)
        return m_bufferCount <= Limits::kMaxBits && m_runCount <= Limits::kMaxBits;
    return true;
}

template <class Limits>
template <class Use>
bool FastEngine<Limits>::addBuffer(const Use& u, Axis row, Axis col)
{
    const bool whole = row == Axis::Full && col == Axis::Full;
    for (std::size_t b = 0; b < m_bufferCount; ++b) {
        const Buffer& other = m_buffers[b];
        if (other.input != u.id || other.whole != whole)
            continue;
        if (whole || (other.role == u.role && other.row == row && other.col == col)) {
            m_groupBuffers[u.group].set(b);
            return true;
        }
        if (other.role == u.role && canMeet(other.row, row, true, m_plan.ranges()[u.rowSlot].size) &&
            canMeet(other.col, col, false, m_plan.ranges()[u.colSlot].size))
            return false;
    }
    if (m_bufferCount >= 64 * Limits::kWords)
        return false;
    m_buffers[m_bufferCount] = {u.id, u.rowSlot, u.colSlot, row, col, u.role, whole};
    if (row == Axis::Step || col == Axis::Step)
        m_bufferStep.set(m_bufferCount);
    if (row == Axis::Tile)
        m_bufferRow.set(m_bufferCount);
    if (col == Axis::Tile)
        m_bufferCol.set(m_bufferCount);
    m_groupBuffers[u.group].set(m_bufferCount++);
    return true;
}

template <class Limits>
template <class Use>
bool FastEngine<Limits>::addRun(std::size_t index, const Use& u, Axis row, Axis col)
{
    const Axis depth = canonical(u.depthSlot);
    const bool rowReduces = m_plan.ranges()[u.rowSlot].axis != Axis::Tile;
    const bool colReduces = m_plan.ranges()[u.colSlot].axis != Axis::Tile;
    for (std::size_t r = 0; r < m_runCount; ++r) {
        const Run& other = m_runs[r];
        if (other.kept || other.id != u.id || other.depth != depth)
            continue;
        if (other.row == row && other.col == col) {
            // An epilogue needs this step's k range of its drivers, an interior run the whole K: which
            // comes first in a step decides what the other adds (R6.6).
            if (other.drives != u.drives && !m_ignoreMeetings)
                return false;
            m_hasVariants = m_hasVariants || other.rowReduces != rowReduces || other.colReduces != colReduces;
            m_groupRuns[u.group].set(r);
            m_useRun[index] = static_cast<std::uint32_t>(r);
            return true;
        }
        if (canMeet(other.row, row, true, m_plan.ranges()[u.rowSlot].size) &&
            canMeet(other.col, col, false, m_plan.ranges()[u.colSlot].size))
            return false;
    }
    m_useRun[index] = static_cast<std::uint32_t>(m_runCount);
    return pushRun({u.id, u.rowSlot, u.colSlot, u.depthSlot, u.group, row, col, depth, rowReduces, colReduces,
                    u.drives, false});
}

template <class Limits>
template <class Use>
bool FastEngine<Limits>::addKept(const Use& u, Axis row, Axis col)
{
    for (std::size_t r = 0; r < m_runCount; ++r) {
        const Run& other = m_runs[r];
        if (!other.kept || other.id != u.id)
            continue;
        if (other.row != row || other.col != col) {
            if (m_ignoreMeetings)
                continue;
            return false; // the union of different slices is not a symbol
        }
        m_groupRuns[u.group].set(r);
        return true;
    }
    m_hasKept = true;
    if (m_runCount < 64 * Limits::kWords)
        m_kept.set(m_runCount);
    return pushRun({u.id, u.rowSlot, u.colSlot, 0, u.group, row, col, Axis::Full, false, false, false, true});
}

template <class Limits> bool FastEngine<Limits>::pushRun(const Run& run)
{
    if (m_runCount >= 64 * Limits::kWords)
        return false;
    const std::size_t r = m_runCount++;
    m_runs[r] = run;
    m_groupRuns[run.group].set(r);
    if (!run.kept && m_rules.ephemeral == Rules::Ephemeral::Strict) {
        m_always.set(r);
        m_eachStep.set(r);
        return true;
    }
    if (run.row == Axis::Step || run.col == Axis::Step || run.depth == Axis::Step)
        m_eachStep.set(r);
    const bool byRow = run.row == Axis::Tile;
    const bool byCol = run.col == Axis::Tile;
    (byRow && byCol ? m_always : byRow ? m_byRow : byCol ? m_byCol : m_once).set(r);
    return true;
}

template <class Limits> void FastEngine<Limits>::bindMixed()
{
    for (std::size_t f = 0; f < m_bufferCount; ++f) {
        if (!m_buffers[f].whole)
            continue;
        Mixed m{};
        for (std::size_t b = 0; b < m_bufferCount; ++b)
            if (!m_buffers[b].whole && m_buffers[b].input == m_buffers[f].input)
                m.parts.set(b);
        if (!m.parts.any())
            continue;
        m.full.set(f);
        m_mixed.resize(m_mixedCount + 1);
        m_mixed[m_mixedCount++] = m;
    }
}

/// Sorted, unique q at which something begins or ends.
template <class Limits> bool FastEngine<Limits>::bindPhases()
{
    std::size_t n = 0;
    const std::size_t most = 3 * (m_plan.drivers() + m_plan.sinks().size()) + 1;
    m_phaseBegin.resize(most + 1);
    const auto add = [&](std::int64_t q) {
        std::size_t i = 0;
        while (i < n && m_phaseBegin[i] < q)
            ++i;
        if (i < n && m_phaseBegin[i] == q)
            return true;
        if (kSmall && n >= Limits::kPhases)
            return false;
        for (std::size_t j = n; j > i; --j)
            m_phaseBegin[j] = m_phaseBegin[j - 1];
        m_phaseBegin[i] = q;
        ++n;
        return true;
    };
    bool ok = add(0);
    for (std::size_t g = 0; g < m_plan.groups().size(); ++g)
        if (m_groupSteps[g] > 0)
            ok = ok && add(m_groupSteps[g] - 1) && add(m_groupSteps[g]);
    for (std::size_t s = 0; s < m_plan.sinks().size(); ++s)
        ok = ok && add(m_sinkSteps[s] - 1) && add(m_sinkSteps[s]);
    m_phaseCount = n - 1; // the last entry is where the longest sink ends
    return ok;
}

template <class Limits> std::int64_t FastEngine<Limits>::phaseSteps(std::size_t p) const noexcept
{
    return m_phaseBegin[p + 1] - m_phaseBegin[p];
}

template <class Limits> std::size_t FastEngine<Limits>::axisClasses(bool row, Store<Span, kSpans>& spans)
{
    const std::int64_t size = row ? m_g.h : m_g.w;
    std::size_t n = 0;
    Store<std::int64_t, kSpans> cuts{};
    cuts.resize(2 * m_plan.sinks().size() + 1);
    const auto add = [&](std::int64_t c) {
        std::size_t i = 0;
        while (i < n && cuts[i] < c)
            ++i;
        if (i < n && cuts[i] == c)
            return;
        for (std::size_t j = n; j > i; --j)
            cuts[j] = cuts[j - 1];
        cuts[i] = c;
        ++n;
    };
    add(0);
    for (const auto& s : m_plan.sinks()) {
        const std::int64_t extent = m_plan.ranges()[row ? s.rowSlot : s.colSlot].size;
        add(extent / size);
        add(ceilDiv(extent, size));
    }
    spans.resize(n);
    for (std::size_t i = 0; i + 1 < n; ++i)
        spans[i] = {cuts[i], cuts[i + 1] - cuts[i]};
    (row ? m_rows : m_cols) = cuts[n - 1];
    return n - 1;
}

template <class Limits> bool FastEngine<Limits>::bindClasses()
{
    m_rowClasses = axisClasses(true, m_rowSpan);
    m_colClasses = axisClasses(false, m_colSpan);
    const std::size_t classes = m_rowClasses * m_colClasses;
    if constexpr (!kSmall)
        if (classes * (m_phaseCount + m_bufferCount) > Limits::kMaxCells)
            return false;
    m_class.resize(classes);
    for (std::size_t i = 0; i < classes; ++i)
        m_class[i].ready = false;
    m_cells.resize(classes * m_phaseCount);
    m_firstArea.resize(classes * m_bufferCount);
    return true;
}

template <class Limits> void FastEngine<Limits>::stepExtents(std::size_t phase)
{
    const std::int64_t q = m_phaseBegin[phase];
    for (std::size_t i = 0; i < m_plan.ranges().size(); ++i)
        if (m_axis[i] == Axis::Step)
            m_extent[i] = std::min(m_g.k, m_plan.ranges()[i].size - q * m_g.k);
}

template <class Limits> void FastEngine<Limits>::bindRunCosts()
{
    m_runCost.resize(m_phaseCount * m_runCount);
    for (std::size_t p = 0; p < m_phaseCount; ++p) {
        stepExtents(p);
        for (std::size_t r = 0; r < m_runCount; ++r)
            m_runCost[p * m_runCount + r] = runCost(m_runs[r], m_runs[r].rowReduces, m_runs[r].colReduces);
    }
    m_hasVariants = m_hasVariants || m_cost.array || m_cyclesOf; // R8.2: clipped tiles cost less
    if (m_hasVariants)
        m_cellCost.resize(m_rowClasses * m_colClasses * m_phaseCount * m_runCount);
}

/// R8 with the k extents of the current phase.
template <class Limits>
double FastEngine<Limits>::runCost(const Run& run, bool rowReduces, bool colReduces) const
{
    if (run.kept || (m_cyclesOf && run.id != *m_cyclesOf))
        return 0;
    if (m_cyclesOf)
        return m_cost.cycles(length(run.rowSlot, run.row), length(run.colSlot, run.col),
                             m_extent[run.depthSlot]);
    const Op& op = m_plan.problem().op(m_plan.ops()[run.id]);
    const auto base = static_cast<double>(op.baseCost);
    const StepCosts::Extent rows{rowReduces, length(run.rowSlot, run.row)};
    const StepCosts::Extent cols{colReduces, length(run.colSlot, run.col)};
    return op.type == OpType::MatMul
               ? m_cost.matMul(base, rows, cols, m_extent[run.depthSlot], m_plan.ranges()[run.depthSlot].size)
               : m_cost.pointwise(base, rows, cols);
}

/// R6.6: a run is charged with the kinds of its first request in the step.
template <class Limits> void FastEngine<Limits>::variantCosts(const Cell& out, double* cost, std::int64_t q)
{
    Mask missing = out.runs;
    for (std::size_t i = 0; i < m_plan.uses().size(); ++i) {
        const auto& u = m_plan.uses()[i];
        if (!u.run || !missing.has(m_useRun[i]) || !isActive(u.group, q))
            continue;
        Mask one{};
        one.set(m_useRun[i]);
        missing &= ~one;
        cost[m_useRun[i]] = runCost(m_runs[m_useRun[i]], m_plan.ranges()[u.rowSlot].axis != Axis::Tile,
                                    m_plan.ranges()[u.colSlot].axis != Axis::Tile);
    }
}

/// False when a donation could depend on more than the tile class (R9.6).
template <class Limits> bool FastEngine<Limits>::donationIsRegular() const
{
    if (!m_rules.donation || m_ignoreMeetings)
        return true;
    for (const auto& s : m_plan.sinks()) {
        if (!s.pointwise)
            continue;
        for (std::size_t i = 0; i < m_plan.uses().size(); ++i) {
            const auto& u = m_plan.uses()[i];
            if (u.run || u.role != Role::Pointwise || !m_useBit[i])
                continue;
            if (!axisIsRegular(u.rowSlot, s.rowSlot) || !axisIsRegular(u.colSlot, s.colSlot))
                return false;
        }
    }
    return true;
}

template <class Limits>
bool FastEngine<Limits>::axisIsRegular(std::uint32_t useSlot, std::uint32_t sinkSlot) const noexcept
{
    const Axis use = canonical(useSlot);
    const Axis sink = canonical(sinkSlot);
    const auto& us = m_plan.ranges()[useSlot];
    const auto& ss = m_plan.ranges()[sinkSlot];
    const std::int64_t tile = ss.row ? m_g.h : m_g.w;
    if (use == Axis::Tile || (use == Axis::Full && sink == Axis::Full))
        return true;
    if (use == Axis::Full)
        return us.size != tile;
    return sink == Axis::Full ? m_g.k != ss.size && us.size % m_g.k != ss.size
                              : !canMeet(tile, ss.size, m_g.k, us.size);
}

} // namespace tilewright
