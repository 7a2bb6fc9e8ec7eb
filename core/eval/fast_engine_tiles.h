// SPDX-License-Identifier: GPL-3.0-or-later
// FastEngine: the steps of one tile, and the sum over all tiles in the order of a traversal (run()).
#pragma once

#include "eval/fast_engine.h"

namespace tilewright {

template <class Limits>
typename FastEngine<Limits>::Cell& FastEngine<Limits>::cell(const Class& c, std::size_t phase)
{
    return m_cells[c.index * m_phaseCount + phase];
}

/// Returns the length of a range in the current tile and step. An axis that is canonically whole has the size
/// of the tensor, even if the sink whose tile it follows is not active.
template <class Limits> std::int64_t FastEngine<Limits>::length(std::uint32_t slot, Axis axis) const noexcept
{
    return axis == Axis::Full ? m_plan->ranges()[slot].size : m_extent[slot];
}

template <class Limits> std::int64_t FastEngine<Limits>::bufferArea(std::size_t b) const noexcept
{
    const Buffer& x = m_buffers[b];
    return length(x.rowSlot, x.row) * length(x.colSlot, x.col) * x.units;
}

template <class Limits> std::int64_t FastEngine<Limits>::area(const Mask& buffers) const noexcept
{
    std::int64_t sum = 0;
    buffers.forEach([&](std::size_t b) { sum = saturatingAdd(sum, bufferArea(b)); });
    return sum;
}

template <class Limits> void FastEngine<Limits>::tileExtents(std::size_t row, std::size_t col)
{
    for (std::size_t i = 0; i < m_plan->ranges().size(); ++i) {
        const auto& s = m_plan->ranges()[i];
        if (s.axis != Axis::Tile)
            continue;
        const std::int64_t size = s.row ? m_g.h : m_g.w;
        const std::int64_t index = s.row ? m_rowSpan[row].begin : m_colSpan[col].begin;
        // index * size cannot overflow: it stays below the largest sink plus one tile
        m_extent[i] = std::max<std::int64_t>(0, std::min(size, s.size - index * size));
    }
}

template <class Limits>
typename FastEngine<Limits>::Class& FastEngine<Limits>::classAt(std::size_t row, std::size_t col)
{
    Class& c = m_class[row * m_colClasses + col];
    if (!c.ready)
        buildClass(c, row, col);
    return c;
}

template <class Limits> void FastEngine<Limits>::buildClass(Class& c, std::size_t row, std::size_t col)
{
    c.ready = true;
    c.restReady = false;
    c.index = static_cast<std::uint32_t>(row * m_colClasses + col);
    c.row = static_cast<std::uint32_t>(row);
    c.col = static_cast<std::uint32_t>(col);
    c.allRuns = Mask{};
    tileExtents(row, col);
    c.phases = static_cast<std::uint32_t>(phasesHere());
    Mask before{};
    for (std::size_t p = 0; p < c.phases; ++p) {
        Cell& out = cell(c, p);
        buildCell(out, p);
        if (m_hasVariants)
            variantCosts(out, (c.index * m_phaseCount + p) * m_runCount, m_phaseBegin[p]);
        c.allRuns |= out.runs;
        out.workingSet = saturatingAdd(out.fixedSet, area(out.buffers));
        out.loadEnter = area(out.buffers & ~(before & ~m_bufferStep));
        out.loadRepeat = area(out.buffers & m_bufferStep);
        before = out.buffers & ~out.forget;
        if (p == 0)
            for (std::size_t b = 0; b < m_bufferCount; ++b)
                m_firstArea[c.index * m_bufferCount + b] = bufferArea(b);
    }
    c.last = before;
}

/// Returns the number of k phases of the current tile.
template <class Limits> std::size_t FastEngine<Limits>::phasesHere() const noexcept
{
    std::int64_t steps = 0;
    for (std::size_t s = 0; s < m_plan->sinks().size(); ++s)
        if (tileArea(s) > 0)
            steps = std::max(steps, m_sinkSteps[s]);
    std::size_t phases = 0;
    while (phases < m_phaseCount && m_phaseBegin[phases] < steps)
        ++phases;
    return phases;
}

template <class Limits> std::int64_t FastEngine<Limits>::firstTilePeak(std::int64_t enough)
{
    for (std::size_t i = 0; i < m_plan->ranges().size(); ++i) {
        const auto& s = m_plan->ranges()[i];
        if (s.axis == Axis::Tile)
            m_extent[i] = std::min(s.row ? m_g.h : m_g.w, s.size);
    }
    std::int64_t peak = 0;
    Mask before{};
    for (std::size_t p = 0; p < m_phaseCount && peak <= enough; ++p) {
        Cell here;
        buildCell(here, p);
        mergeFull(here.buffers, before);
        peak = std::max(peak, saturatingAdd(here.fixedSet, area(here.buffers)));
        before = here.buffers & ~here.forget & ~m_bufferStep;
    }
    return peak;
}

template <class Limits> std::int64_t FastEngine<Limits>::tileArea(std::size_t sink) const noexcept
{
    return m_extent[m_plan->sinks()[sink].rowSlot] * m_extent[m_plan->sinks()[sink].colSlot];
}

template <class Limits> void FastEngine<Limits>::buildCell(Cell& out, std::size_t phase)
{
    const std::int64_t q = m_phaseBegin[phase];
    stepExtents(phase);
    out.buffers = out.runs = out.forget = Mask{};
    out.store = 0;
    out.fixedSet = m_reserved;
    for (std::size_t c = 0; c < m_causeCount; ++c) {
        if (!isActive(m_causes[c], q))
            continue;
        out.buffers |= m_causeBuffers[c];
        out.runs |= m_causeRuns[c];
    }
    for (std::size_t s = 0; s < m_plan->sinks().size(); ++s) {
        const std::int64_t tile = tileArea(s);
        if (tile == 0 || q >= m_sinkSteps[s])
            continue;
        out.fixedSet = saturatingAdd(out.fixedSet, saturatingMul(tile, m_sinkRoom[s] + accumulators(s, q)));
        if (q == m_sinkSteps[s] - 1 && !m_sinkRetained[s])
            out.store = saturatingAdd(out.store, tile * m_sinkUnits[s]);
    }
    if (m_holds)
        out.fixedSet = saturatingAdd(out.fixedSet, interiorSlices(out.runs, q));
    if (m_plan->rules().donation)
        donate(out, q);
}

/// Returns the units of an accumulated element of a driver, given its index in the plan's accumulated().
template <class Limits> std::int64_t FastEngine<Limits>::accumulatorUnits(std::uint32_t driver) const
{
    const Problem& problem = m_plan->problem();
    return problem.accumulatorUnits(problem.op(m_plan->accumulated()[driver]).output);
}

/// R9.9: returns the size of the interior slices that the runs produce. If two runs have the same rectangle,
/// one belongs to a driver and covers a part of its reduction, so R9.1d counts both.
template <class Limits>
std::int64_t FastEngine<Limits>::interiorSlices(const Mask& runs, std::int64_t q) const
{
    std::int64_t sum = 0;
    runs.forEach([&](std::size_t r) {
        const Run& run = m_runs[m_bound[r]];
        if (run.interior && !isAccumulator(run, q))
            sum = saturatingAdd(sum, length(run.rowSlot, run.row) * length(run.colSlot, run.col) * run.units);
    });
    return sum;
}

/// True if R9.1d counts the result of the run as an accumulator in k step q of the current tile.
template <class Limits> bool FastEngine<Limits>::isAccumulator(const Run& run, std::int64_t q) const
{
    for (std::size_t s = 0; s < m_plan->sinks().size(); ++s) {
        const auto& sink = m_plan->sinks()[s];
        if (m_sinkSteps[s] <= 1 || q >= m_sinkSteps[s] || tileArea(s) == 0 ||
            canonical(sink.rowSlot) != run.row || canonical(sink.colSlot) != run.col)
            continue;
        for (std::uint32_t d = sink.driverBegin; d < sink.driverEnd; ++d)
            if (m_plan->accumulated()[d] == m_plan->ops()[run.id])
                return true;
    }
    return false;
}

/// Returns the units that the accumulators of sink s take for an element of its tile, without those that an
/// earlier active sink charges (R9.1d).
template <class Limits> std::int64_t FastEngine<Limits>::accumulators(std::size_t s, std::int64_t q) const
{
    if (m_sinkSteps[s] <= 1)
        return 0;
    const auto& sinks = m_plan->sinks();
    std::int64_t sum = m_sinkAccumulators[s];
    if (s == 0)
        return sum;
    for (std::uint32_t d = sinks[s].driverBegin; d < sinks[s].driverEnd; ++d) {
        // An epilogue preserves the shape, so all sinks that share a driver have its rectangle.
        bool charged = false;
        for (std::size_t e = 0; e < s && !charged; ++e)
            for (std::uint32_t x = sinks[e].driverBegin; x < sinks[e].driverEnd && !charged; ++x)
                charged = m_sinkSteps[e] > 1 && q < m_sinkSteps[e] &&
                          m_plan->accumulated()[x] == m_plan->accumulated()[d];
        if (charged)
            sum -= accumulatorUnits(d);
    }
    return sum;
}

template <class Limits> void FastEngine<Limits>::donate(Cell& out, std::int64_t q)
{
    for (std::size_t s = 0; s < m_plan->sinks().size(); ++s) {
        const auto& sink = m_plan->sinks()[s];
        if (!sink.pointwise || m_sinkRetained[s] || q != m_sinkSteps[s] - 1 || tileArea(s) == 0)
            continue;
        for (std::size_t i = 0; i < m_plan->uses().size(); ++i) {
            const auto& u = m_plan->uses()[i];
            if (u.run || !m_useBit[i] || u.role != Role::Pointwise ||
                m_plan->problem().units(m_plan->inputs()[u.id]) != m_sinkUnits[s] ||
                !isActive(m_causes[m_groupCause[u.group]], q) || !sameRange(u.rowSlot, sink.rowSlot) ||
                !sameRange(u.colSlot, sink.colSlot))
                continue;
            Mask all{};
            for (std::size_t b = 0; b < m_bufferCount; ++b)
                if (m_buffers[b].input == u.id)
                    all.set(b);
            if ((all & out.forget).any())
                continue; // this accumulator is already charged
            out.forget |= all;
            out.fixedSet -= tileArea(s) * m_sinkUnits[s];
            break;
        }
    }
}

/// True if the cause is active in k step q of the current tile.
template <class Limits> bool FastEngine<Limits>::isActive(const Cause& cause, std::int64_t q) const noexcept
{
    return m_extent[cause.rowSlot] > 0 && m_extent[cause.colSlot] > 0 &&
           (cause.completing ? q == cause.steps - 1 : q < cause.steps);
}

/// True if the range of the request equals that of the sink's tile; donationIsRegular() has excluded all
/// other cases. A sink that is whole on an axis is active at index 0 only, where a tile of another size can
/// be equal.
template <class Limits>
bool FastEngine<Limits>::sameRange(std::uint32_t useSlot, std::uint32_t sinkSlot) const noexcept
{
    const bool comparable = canonical(useSlot) == canonical(sinkSlot) ||
                            (canonical(useSlot) == Axis::Tile && canonical(sinkSlot) == Axis::Full);
    return comparable && m_extent[useSlot] == m_extent[sinkSlot];
}

template <class Limits>
double FastEngine<Limits>::compute(const Class& c, std::size_t phase, const Mask& runs) const
{
    const double* cost = m_hasVariants ? &m_cellCost[(c.index * m_phaseCount + phase) * m_runCount]
                                       : &m_runCost[phase * m_runCount];
    double sum = 0;
    runs.forEach([&](std::size_t r) { sum += cost[r]; });
    return sum;
}

template <class Limits>
void FastEngine<Limits>::addEnergy(Tally& out, const Class& c, std::size_t phase, const Mask& runs) const
{
    const double* energy = &m_cellEnergy[(c.index * m_phaseCount + phase) * m_runCount];
    runs.forEach([&](std::size_t r) { out.energy += energy[r]; });
}

/// Returns the sums of one tile. `reuse` = buffers of the previous step that have the same range in this
/// tile's first step; `charge` = runs that have a cost in this tile. Stores the buffers of the tile's last
/// step in `last`.
template <class Limits>
Tally FastEngine<Limits>::tile(Class& c, const Mask& reuse, const Mask& charge, Mask& last)
{
    if (m_mixedCount > 0 || m_hasKept)
        return tileGeneral(c, reuse, charge, last);
    const Cell& first = cell(c, 0);
    if (!c.restReady || c.restKey != charge)
        restOfTile(c, charge);
    std::int64_t load = 0;
    (first.buffers & ~reuse).forEach([&](std::size_t b) {
        load = saturatingAdd(load, m_firstArea[c.index * m_bufferCount + b]);
    });
    Tally out{};
    out.step(compute(c, 0, first.runs & charge), load, first.store, first.workingSet, *m_memory);
    if (m_energy)
        addEnergy(out, c, 0, first.runs & charge);
    out.add(c.rest);
    last = c.last;
    return out;
}

template <class Limits> void FastEngine<Limits>::restOfTile(Class& c, const Mask& charge)
{
    c.restReady = true;
    c.restKey = charge;
    c.rest = Tally{};
    Mask done{};
    for (std::size_t p = 0; p < c.phases; ++p) {
        const Cell& here = cell(c, p);
        const Mask runs = here.runs & charge;
        if (p > 0) {
            const Mask fresh = runs & (m_eachStep | ~done);
            c.rest.step(compute(c, p, fresh), here.loadEnter, here.store, here.workingSet, *m_memory);
            if (m_energy)
                addEnergy(c.rest, c, p, fresh);
        }
        done |= here.runs;
        repeat(c.rest, c, p, here, runs, here.loadRepeat, here.workingSet);
    }
}

/// Adds the steps of a phase after its first one. Only completing steps store, and each of them is a phase of
/// its own.
template <class Limits>
void FastEngine<Limits>::repeat(Tally& out, const Class& c, std::size_t p, const Cell& here, const Mask& runs,
                                std::int64_t load, std::int64_t ws)
{
    const std::int64_t more = phaseSteps(p) - 1;
    if (more <= 0)
        return;
    assert(here.store == 0);
    Tally one{};
    one.step(compute(c, p, runs & m_eachStep), load, here.store, ws, *m_memory);
    if (m_energy)
        addEnergy(one, c, p, runs & m_eachStep);
    out.add(one, more);
}

template <class Limits> void FastEngine<Limits>::mergeFull(Mask& buffers, const Mask& previous) const
{
    for (std::size_t i = 0; i < m_mixedCount; ++i) {
        const Mixed& m = m_mixed[i];
        if ((buffers & m.parts).any() && ((buffers | previous) & m.full).any())
            buffers = (buffers & ~m.parts) | m.full;
    }
}

template <class Limits> std::int64_t FastEngine<Limits>::keptLoad(const Mask& runs) const
{
    std::int64_t sum = 0;
    (runs & m_kept).forEach([&](std::size_t r) {
        const Run& run = m_runs[m_bound[r]];
        sum = saturatingAdd(sum, length(run.rowSlot, run.row) * length(run.colSlot, run.col) * run.units);
    });
    return sum;
}

template <class Limits>
Tally FastEngine<Limits>::tileGeneral(Class& c, const Mask& reuse, const Mask& charge, Mask& last)
{
    Tally out{};
    Mask previous = reuse;
    Mask done{};
    tileExtents(c.row, c.col);
    for (std::size_t p = 0; p < c.phases; ++p) {
        const Cell& here = cell(c, p);
        stepExtents(p);
        Mask now = here.buffers;
        mergeFull(now, previous);
        const Mask runs = here.runs & charge;
        const Mask fresh = runs & (m_eachStep | ~done);
        const std::int64_t ws = saturatingAdd(here.fixedSet, area(now));
        out.step(compute(c, p, fresh), saturatingAdd(area(now & ~previous), keptLoad(fresh)), here.store, ws,
                 *m_memory);
        if (m_energy)
            addEnergy(out, c, p, fresh);
        done |= here.runs;
        repeat(out, c, p, here, runs, saturatingAdd(area(now & m_bufferStep), keptLoad(runs & m_eachStep)),
               ws);
        previous = now & ~here.forget & ~m_bufferStep;
        last = now & ~here.forget;
    }
    return out;
}

/// Processes the lines (rows or columns of tiles) one after another: all forwards, or with `snake` in
/// alternating directions.
template <class Limits>
template <class Limit>
Tally FastEngine<Limits>::runLines(bool byRows, bool snake, Limit& limit)
{
    const Mask& outerRuns = byRows ? m_byRow : m_byCol;
    const Mask& innerRuns = byRows ? m_byCol : m_byRow;
    const Mask innerFixed = ~(byRows ? m_bufferCol : m_bufferRow);
    const Mask outerFixed = ~(byRows ? m_bufferRow : m_bufferCol);
    const std::size_t outerClasses = byRows ? m_rowClasses : m_colClasses;
    const std::size_t innerClasses = byRows ? m_colClasses : m_rowClasses;

    LineState state{};
    bool goesOn = true;
    const auto line = [&](std::size_t outer, bool backwards, bool first) {
        Tally out{};
        Mask paid{}; // runs of outerRuns that were charged in this line
        bool start = true;
        for (std::size_t n = 0; n < innerClasses; ++n) {
            const std::size_t inner = backwards ? innerClasses - 1 - n : n;
            const Span span = (byRows ? m_colSpan : m_rowSpan)[inner];
            Class& c = byRows ? classAt(outer, inner) : classAt(inner, outer);
            if (c.phases == 0)
                continue; // no sink is active in this tile, so it has no step
            const std::int64_t begin = backwards ? span.begin + span.count - 1 : span.begin;
            for (std::int64_t i = 0; i < span.count; ++i) {
                Mask reuse{};
                if (!m_forgets) {
                    reuse = state.previous & ~m_bufferStep;
                    if (start)
                        reuse &= outerFixed;
                    if (i > 0 || state.at != begin)
                        reuse &= innerFixed;
                }
                Mask charge = m_always | (outerRuns & ~paid) | (m_once & ~state.once);
                if (first)
                    charge |= innerRuns;
                const LineState before = state;
                const Mask paidBefore = paid;
                const Tally t = tile(c, reuse, charge, state.previous);
                paid |= c.allRuns & outerRuns;
                state.once |= c.allRuns & m_once;
                const bool isRest = i > 0 && state == before && paid == paidBefore;
                const std::int64_t count = isRest ? span.count - i : 1;
                out.add(t, count);
                goesOn = limit.allows(t, count);
                if (!goesOn)
                    return out;
                if (isRest)
                    break;
                start = false;
            }
            state.at = backwards ? span.begin : span.begin + span.count - 1;
        }
        return out;
    };

    Tally total{};
    const auto repeat = [&](const Tally& t, std::int64_t count) {
        total.add(t, count);
        goesOn = goesOn && limit.allows(t, count);
    };
    for (std::size_t outer = 0; goesOn && outer < outerClasses; ++outer) {
        const Span span = (byRows ? m_rowSpan : m_colSpan)[outer];
        // The states before the previous two lines of this class. A repeated state means a period of one
        // line, or of two lines in a snake.
        LineState in[2]{};
        Tally tallies[2]{};
        std::int64_t known = 0;
        for (std::int64_t i = 0; goesOn && i < span.count; ++i) {
            const bool first = span.begin + i == 0;
            const std::int64_t left = span.count - i;
            if (!snake && known >= 1 && in[0] == state) {
                repeat(tallies[0], left);
                break;
            }
            if (snake && known >= 2 && in[1] == state) {
                const LineState odd = in[0];
                repeat(tallies[1], (left + 1) / 2);
                repeat(tallies[0], left / 2);
                if (left % 2 == 1)
                    state = odd;
                break;
            }
            const LineState before = state;
            const Tally t = line(outer, snake && (span.begin + i) % 2 == 1, first);
            total.add(t);
            if (first)
                continue;
            in[1] = in[0];
            tallies[1] = tallies[0];
            in[0] = before;
            tallies[0] = t;
            ++known;
        }
    }
    return total;
}

} // namespace tilewright
