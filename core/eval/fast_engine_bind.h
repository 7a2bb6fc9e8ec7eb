// SPDX-License-Identifier: GPL-3.0-or-later
// FastEngine: the lists of a plan (prepare()), and their symbols and k phases (bind()).
#pragma once

#include "eval/fast_engine.h"

namespace tilewright {

/// Inserts a value into a sorted list without duplicates. Returns false if the list already has `most` other
/// values.
template <class List>
[[nodiscard]] bool insertSorted(List& list, std::size_t& count, std::int64_t value, std::size_t most)
{
    std::size_t at = count;
    while (at > 0 && list[at - 1] > value)
        --at;
    if (at > 0 && list[at - 1] == value)
        return true;
    if (count == most)
        return false;
    list.resize(++count);
    for (std::size_t i = count - 1; i > at; --i)
        list[i] = list[i - 1];
    list[at] = value;
    return true;
}

template <class Limits>
bool FastEngine<Limits>::prepare(const SubgraphPlan& plan, std::span<const TensorId> resident,
                                 std::span<const TensorId> retained)
{
    const auto isIn = [](std::span<const TensorId> list, TensorId t) {
        return std::find(list.begin(), list.end(), t) != list.end();
    };
    if (plan.hasMaps()) // R1.8: steps depend on the places of their tiles
        return false;
    m_plan = &plan;
    const Problem& problem = plan.problem();
    m_memory.emplace(problem);
    m_energy.reset();
    if (problem.hasEnergy())
        m_energy.emplace(problem);
    m_holds = plan.rules().interior == Rules::Interior::Held;
    m_reserved = reservedUnits(problem, resident, retained);
    m_cyclesOf.reset();
    for (auto* list : {&m_sinkUnits, &m_sinkWidest, &m_sinkAccumulators, &m_sinkRoom})
        list->resize(plan.sinks().size());
    m_sinkRetained.resize(plan.sinks().size());
    for (std::size_t s = 0; s < plan.sinks().size(); ++s) {
        const SubgraphPlan::Sink& sink = plan.sinks()[s];
        const TensorId t = plan.products()[sink.product];
        m_sinkRetained[s] = isIn(retained, t);
        m_sinkUnits[s] = problem.units(t);
        m_sinkWidest[s] =
            sink.pointwise ? m_sinkUnits[s] : std::max(m_sinkUnits[s], problem.accumulatorUnits(t));
        m_sinkAccumulators[s] = 0;
        for (std::uint32_t d = sink.driverBegin; d < sink.driverEnd; ++d)
            m_sinkAccumulators[s] += accumulatorUnits(d);
    }
    if (!listSinks() || !listCauses())
        return false;
    const auto& uses = plan.uses();
    m_useBit.resize(uses.size());
    m_useRun.resize(uses.size());
    m_requests.resize(uses.size());
    m_runs.resize(uses.size());
    m_requestCount = m_listedRuns = 0;
    m_hasShared = m_hasRepeats = m_hasKept = false;
    for (std::size_t i = 0; i < uses.size(); ++i) {
        m_useBit[i] = false;
        if (uses[i].run) {
            listRun(i, uses[i], false);
            if (m_holds)
                m_runs[m_useRun[i]].interior =
                    !isIn(retained, plan.products()[uses[i].id]) &&
                    std::ranges::find(plan.sinks(), uses[i].id, &SubgraphPlan::Sink::product) ==
                        plan.sinks().end();
        } else if (isIn(resident, plan.inputs()[uses[i].id]))
            continue;
        else if (isIn(retained, plan.inputs()[uses[i].id]))
            listRun(i, uses[i], true);
        else {
            m_useBit[i] = true;
            listRequest(uses[i]);
        }
    }
    if constexpr (!kSmall)
        return m_requestCount <= Limits::kMaxBits && m_listedRuns <= Limits::kMaxBits;
    return true;
}

/// Lists the extents and reductions of the sinks. Returns false if there are too many different reductions.
template <class Limits> bool FastEngine<Limits>::listSinks()
{
    const auto& sinks = m_plan->sinks();
    m_sinkReduction.resize(sinks.size());
    m_sinkSteps.resize(sinks.size());
    m_heightCount = m_widthCount = m_depthCount = 0;
    for (std::size_t s = 0; s < sinks.size(); ++s) {
        m_sinkReduction[s] = 1;
        (void)insertSorted(m_heights, m_heightCount, m_plan->ranges()[sinks[s].rowSlot].size, sinks.size());
        (void)insertSorted(m_widths, m_widthCount, m_plan->ranges()[sinks[s].colSlot].size, sinks.size());
    }
    for (const SubgraphPlan::Group& g : m_plan->groups())
        m_sinkReduction[g.sink] = std::max(m_sinkReduction[g.sink], g.reduction);
    const auto add = [&](std::int64_t reduction) {
        return insertSorted(m_depths, m_depthCount, reduction, kSmall ? Limits::kDepths : SIZE_MAX);
    };
    for (const SubgraphPlan::Group& g : m_plan->groups())
        if (g.reduction > 0 && !add(g.reduction))
            return false;
    for (std::size_t s = 0; s < sinks.size(); ++s)
        if (!add(m_sinkReduction[s]))
            return false;
    m_phaseBegin.resize(2 * m_depthCount + 2);
    return true;
}

template <class Limits> bool FastEngine<Limits>::listCauses()
{
    const auto& groups = m_plan->groups();
    m_causes.resize(groups.size());
    m_groupCause.resize(groups.size());
    m_causeBuffers.resize(groups.size());
    m_causeRuns.resize(groups.size());
    m_causeCount = 0;
    for (std::size_t i = 0; i < groups.size(); ++i) {
        const auto& sink = m_plan->sinks()[groups[i].sink];
        const bool completing = groups[i].reduction == 0;
        const std::int64_t reduction = completing ? m_sinkReduction[groups[i].sink] : groups[i].reduction;
        std::uint32_t c = 0;
        while (c < m_causeCount &&
               (m_causes[c].rowSlot != sink.rowSlot || m_causes[c].colSlot != sink.colSlot ||
                m_causes[c].reduction != reduction || m_causes[c].completing != completing))
            ++c;
        if (c == m_causeCount) {
            if (c == 64 * Limits::kWords)
                return false;
            m_causes[m_causeCount++] = {sink.rowSlot, sink.colSlot, reduction, completing, 1};
        }
        m_groupCause[i] = c;
    }
    return true;
}

template <class Limits> void FastEngine<Limits>::listRequest(const SubgraphPlan::Use& u)
{
    const std::uint32_t cause = m_groupCause[u.group];
    for (std::size_t i = 0; i < m_requestCount; ++i) {
        Request& r = m_requests[i];
        if (r.input != u.id)
            continue;
        if (r.role == u.role && r.rowSlot == u.rowSlot && r.colSlot == u.colSlot) {
            r.causes.set(cause);
            return;
        }
        m_hasShared = true;
    }
    m_requests[m_requestCount] = {u.id,   u.rowSlot, u.colSlot,
                                  u.role, {},        m_plan->problem().units(m_plan->inputs()[u.id])};
    m_requests[m_requestCount++].causes.set(cause);
}

template <class Limits>
void FastEngine<Limits>::listRun(std::size_t index, const SubgraphPlan::Use& u, bool kept)
{
    const std::uint32_t cause = m_groupCause[u.group];
    const std::uint32_t depthSlot = kept ? 0 : u.depthSlot;
    m_hasKept = m_hasKept || kept;
    for (std::size_t i = 0; i < m_listedRuns; ++i) {
        Run& r = m_runs[i];
        if (r.kept != kept || r.id != u.id)
            continue;
        if (r.rowSlot == u.rowSlot && r.colSlot == u.colSlot && r.depthSlot == depthSlot &&
            (kept || r.drives == u.drives)) {
            r.causes.set(cause);
            m_useRun[index] = static_cast<std::uint32_t>(i);
            return;
        }
        m_hasRepeats = true;
    }
    Run& r = m_runs[m_listedRuns];
    r = {u.id,  u.rowSlot, u.colSlot, depthSlot, {}, u.drives,   kept, false,
         false, 0,         1,         {},        {}, Axis::Full, 0};
    r.causes.set(cause);
    const Problem& problem = m_plan->problem();
    if (problem.hasWidths())
        r.units = problem.units(kept ? m_plan->inputs()[u.id] : m_plan->products()[u.id]);
    if (!kept) {
        const Op& op = problem.op(m_plan->ops()[u.id]);
        r.matmul = op.type == OpType::MatMul;
        r.base = static_cast<double>(op.baseCost);
    }
    m_useRun[index] = static_cast<std::uint32_t>(m_listedRuns++);
}

template <class Limits> bool FastEngine<Limits>::bindBuffers(const Granularity& g)
{
    m_g = g;
    const auto& slots = m_plan->ranges();
    m_axis.resize(slots.size());
    m_extent.resize(slots.size());
    for (std::size_t i = 0; i < slots.size(); ++i) {
        const auto& s = slots[i];
        const std::int64_t size = s.axis == Axis::Step ? g.k : s.row ? g.h : g.w;
        m_axis[i] = s.axis == Axis::Full || size >= s.size ? Axis::Full : s.axis;
        m_extent[i] = s.size;
    }
    for (std::size_t c = 0; c < m_causeCount; ++c) {
        m_causes[c].steps = ceilDiv(m_causes[c].reduction, g.k);
        m_causeBuffers[c] = Mask{};
    }
    for (std::size_t s = 0; s < m_plan->sinks().size(); ++s) {
        m_sinkSteps[s] = ceilDiv(m_sinkReduction[s], g.k);
        // R9.1c: a tile that is accumulated has the width of the accumulator
        m_sinkRoom[s] = (m_sinkSteps[s] > 1 ? m_sinkWidest[s] : m_sinkUnits[s]) -
                        (m_sinkRetained[s] ? m_sinkUnits[s] : 0);
    }
    // Start of each phase, i.e. the k steps at which some condition begins or ends; the last entry is the end
    // of the longest sink.
    m_phaseBegin[0] = 0;
    m_phaseCount = 0;
    if (m_energy) // R17: from k step 1 on results are read once more
        m_phaseBegin[++m_phaseCount] = 1;
    for (std::size_t d = 0; d < m_depthCount; ++d) {
        const std::int64_t steps = ceilDiv(m_depths[d], g.k);
        for (const std::int64_t q : {steps - 1, steps})
            if (q > m_phaseBegin[m_phaseCount])
                m_phaseBegin[++m_phaseCount] = q;
    }
    m_bufferCount = m_mixedCount = 0;
    m_bufferStep = m_bufferRow = m_bufferCol = Mask{};
    m_buffers.resize(m_requestCount);
    for (std::size_t i = 0; i < m_requestCount; ++i)
        if (!addBuffer(m_requests[i]))
            return false;
    if (m_plan->rules().donation && !donationIsRegular())
        return false;
    if (m_hasShared)
        bindMixed();
    return !m_holds || bindSymbols(); // R9.9: working sets depend on the runs
}

/// True if a tile range and a k range of one axis can be equal at some position.
template <class Limits>
bool FastEngine<Limits>::canMeet(std::int64_t tile, std::int64_t tileSize, std::int64_t step,
                                 std::int64_t stepSize) const noexcept
{
    const std::int64_t lastTile = tileSize % tile;
    const std::int64_t lastStep = stepSize % step;
    return tile == step || lastTile == step || tile == lastStep || (lastTile != 0 && lastTile == lastStep);
}

/// True if ranges of two canonical kinds, along one axis of a tensor, can be equal at some position.
template <class Limits>
bool FastEngine<Limits>::canMeet(Axis a, Axis b, bool row, std::int64_t size) const noexcept
{
    if (a == b)
        return true;
    if (a == Axis::Full || b == Axis::Full || m_ignoreCoincidences)
        return false;
    // Ranges of one axis are equal at all positions if both sizes are equal; otherwise only the last ones may
    // be.
    const std::int64_t tile = row ? m_g.h : m_g.w;
    return tile == m_g.k || (size - 1) % tile == (size - 1) % m_g.k;
}

/// True if the rectangles of two runs of one op can be equal at some position.
template <class Limits> bool FastEngine<Limits>::canMeet(const Run& a, const Run& b) const noexcept
{
    return canMeet(a.row, b.row, true, m_plan->ranges()[b.rowSlot].size) &&
           canMeet(a.col, b.col, false, m_plan->ranges()[b.colSlot].size);
}

template <class Limits> bool FastEngine<Limits>::addBuffer(const Request& r)
{
    const Axis row = canonical(r.rowSlot);
    const Axis col = canonical(r.colSlot);
    const bool whole = row == Axis::Full && col == Axis::Full;
    const auto isAskedBy = [&](std::size_t buffer) {
        r.causes.forEach([&](std::size_t c) { m_causeBuffers[c].set(buffer); });
    };
    for (std::size_t b = 0; m_hasShared && b < m_bufferCount; ++b) {
        const Buffer& other = m_buffers[b];
        if (other.input != r.input || other.whole != whole)
            continue;
        if (whole || (other.role == r.role && other.row == row && other.col == col)) {
            isAskedBy(b);
            return true;
        }
        if (other.role == r.role && canMeet(other.row, row, true, m_plan->ranges()[r.rowSlot].size) &&
            canMeet(other.col, col, false, m_plan->ranges()[r.colSlot].size))
            return false;
    }
    m_buffers[m_bufferCount] = {r.input, r.rowSlot, r.colSlot, row, col, r.role, whole, r.units};
    if (row == Axis::Step || col == Axis::Step)
        m_bufferStep.set(m_bufferCount);
    if (row == Axis::Tile)
        m_bufferRow.set(m_bufferCount);
    if (col == Axis::Tile)
        m_bufferCol.set(m_bufferCount);
    isAskedBy(m_bufferCount++);
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

template <class Limits> bool FastEngine<Limits>::bindRuns()
{
    m_cost.emplace(m_plan->problem().hardware(), m_g, m_plan->rules());
    if ((!m_holds && !bindSymbols()) || !bindClasses())
        return false;
    bindRunCosts();
    return true;
}

/// Binds the listed runs to distinct runs, which are the bits of masks.
template <class Limits> bool FastEngine<Limits>::bindSymbols()
{
    for (std::size_t c = 0; c < m_causeCount; ++c)
        m_causeRuns[c] = Mask{};
    m_runCount = 0;
    m_hasVariants = false;
    m_always = m_byRow = m_byCol = m_once = m_eachStep = m_kept = Mask{};
    m_bound.resize(m_listedRuns);
    for (std::size_t i = 0; i < m_listedRuns; ++i)
        if (!addRun(m_runs[i]))
            return false;
    return true;
}

/// True if the run equals a run that is bound already; then run.bound is set. isRegular becomes false if two
/// runs are equal at some positions only.
template <class Limits> bool FastEngine<Limits>::isKnownRun(Run& run, bool& isRegular)
{
    for (std::uint32_t b = 0; b < m_runCount; ++b) {
        const Run& other = m_runs[m_bound[b]];
        if (other.kept != run.kept || other.id != run.id)
            continue;
        if (other.depth != run.depth) {
            // R9.9: equal rectangles are one slice, whatever their k ranges
            isRegular = !m_holds || (other.row == run.row && other.col == run.col) || !canMeet(other, run);
            if (!isRegular)
                return false;
            continue;
        }
        if (other.row == run.row && other.col == run.col) {
            // An epilogue needs this step's k range of its drivers, an interior run needs the whole K. The
            // order of both in a step decides what the second adds (R6.6).
            isRegular = run.kept || other.drives == run.drives || m_ignoreCoincidences;
            m_hasVariants = m_hasVariants || (!run.kept && (reduces(other.rowSlot) != reduces(run.rowSlot) ||
                                                            reduces(other.colSlot) != reduces(run.colSlot)));
            run.bound = b;
            return true;
        }
        if (run.kept) // a union of different slices cannot be one distinct run
            isRegular = m_ignoreCoincidences;
        else
            isRegular = !canMeet(other, run);
        if (!isRegular)
            return false;
    }
    return false;
}

template <class Limits> bool FastEngine<Limits>::addRun(Run& run)
{
    run.row = canonical(run.rowSlot);
    run.col = canonical(run.colSlot);
    run.depth = run.kept ? Axis::Full : canonical(run.depthSlot);
    bool isRegular = true;
    const bool isKnown = m_hasRepeats && isKnownRun(run, isRegular);
    if (!isRegular)
        return false;
    if (!isKnown) {
        run.bound = static_cast<std::uint32_t>(m_runCount);
        m_bound[m_runCount++] = static_cast<std::uint32_t>(&run - &m_runs[0]);
    }
    const std::uint32_t r = run.bound;
    run.causes.forEach([&](std::size_t c) { m_causeRuns[c].set(r); });
    if (isKnown)
        return true;
    if (run.kept)
        m_kept.set(r);
    if (!run.kept && m_plan->rules().ephemeral == Rules::Ephemeral::Strict) {
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

template <class Limits> std::int64_t FastEngine<Limits>::phaseSteps(std::size_t p) const noexcept
{
    return m_phaseBegin[p + 1] - m_phaseBegin[p];
}

template <class Limits> std::size_t FastEngine<Limits>::axisClasses(bool row, Store<Span, kSpans>& spans)
{
    const std::int64_t size = row ? m_g.h : m_g.w;
    const auto& extents = row ? m_heights : m_widths;
    const std::size_t count = row ? m_heightCount : m_widthCount;
    spans.resize(2 * count);
    std::size_t n = 0;
    std::int64_t begin = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const std::int64_t unclipped = extents[i] / size;
        for (const std::int64_t end : {unclipped, unclipped + (unclipped * size != extents[i])})
            if (end > begin) {
                spans[n++] = {begin, end - begin};
                begin = end;
            }
    }
    (row ? m_rows : m_cols) = begin;
    return n;
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

/// True if donations depend on the tile class alone (R9.6).
template <class Limits> bool FastEngine<Limits>::donationIsRegular() const
{
    if (m_ignoreCoincidences)
        return true;
    for (const auto& s : m_plan->sinks()) {
        if (!s.pointwise)
            continue;
        for (std::size_t i = 0; i < m_requestCount; ++i) {
            const Request& r = m_requests[i];
            if (r.role == Role::Pointwise &&
                (!axisIsRegular(r.rowSlot, s.rowSlot) || !axisIsRegular(r.colSlot, s.colSlot)))
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
    const auto& us = m_plan->ranges()[useSlot];
    const auto& ss = m_plan->ranges()[sinkSlot];
    const std::int64_t tile = ss.row ? m_g.h : m_g.w;
    if (use == Axis::Tile || (use == Axis::Full && sink == Axis::Full))
        return true;
    if (use == Axis::Full)
        return us.size != tile;
    return sink == Axis::Full ? m_g.k != ss.size && us.size % m_g.k != ss.size
                              : !canMeet(tile, ss.size, m_g.k, us.size);
}

} // namespace tilewright
