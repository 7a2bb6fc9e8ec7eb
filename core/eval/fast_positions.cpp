// SPDX-License-Identifier: GPL-3.0-or-later
// PositionEngine: the walk over the steps, one after another.
#include "eval/fast_positions.h"

#include <algorithm>
#include <bit>

namespace tilewright {

// ---- ranges ---------------------------------------------------------------------------------------------

void PositionEngine::begin(bool forgets, std::int64_t most)
{
    m_forgets = forgets;
    m_left = most;
    m_isComplete = true;
    m_peak = 0;
    m_lastTile = {};
    for (Kind& kind : m_kinds)
        kind.count = 0;
    m_previous.clear();
    m_earlier.clear();
    for (std::size_t i = 0; i < m_coverage.size(); ++i)
        m_coverage[i].reset(m_keptElements[i]);
}

PositionEngine::Range PositionEngine::tileRange(std::size_t slot, std::int64_t place) const noexcept
{
    const SubgraphPlan::Slot& s = m_plan->ranges()[slot];
    const std::int64_t size = s.row ? m_g.h : m_g.w;
    const std::int64_t begin = std::min(place * size, s.size);
    return {begin, std::min(begin + size, s.size)};
}

/// Sets the ranges of the plan at the position m_row, m_col, m_step: all of them, or only those that change
/// with the k step.
void PositionEngine::setRanges(bool all)
{
    const auto& ranges = m_plan->ranges();
    for (std::size_t i = 0; i < m_slots.size(); ++i) {
        const Slot& s = m_slots[i];
        if (all ? s.with == 0 && s.box == kNone : (s.with & kWithStep) == 0)
            continue;
        if (s.box != kNone) {
            // The box may already be known from its other axis; find() then only looks it up in a table.
            const Box& b = m_boxes[s.box];
            const Rect box = m_footprints.find(b.map, rectOf(b.rowSlot, b.colSlot)).box;
            m_range[i] = ranges[i].row ? Range{box.r0, box.r1} : Range{box.c0, box.c1};
        } else if (ranges[i].axis == SubgraphPlan::Axis::Step) {
            const std::int64_t begin = std::min(m_step * m_g.k, ranges[i].size);
            m_range[i] = {begin, std::min(begin + m_g.k, ranges[i].size)};
        } else {
            m_range[i] = tileRange(i, ranges[i].row ? m_row : m_col);
        }
    }
}

void PositionEngine::enterTile(std::int64_t row, std::int64_t col)
{
    m_row = row;
    m_col = col;
    m_step = 0;
    if (m_forgets)
        m_previous.clear();
    setRanges(true);
    m_tileSteps = 0;
    for (std::size_t s = 0; s < m_sinks.size(); ++s) {
        const SubgraphPlan::Sink& sink = m_plan->sinks()[s];
        if (m_range[sink.rowSlot].size() > 0 && m_range[sink.colSlot].size() > 0)
            m_tileSteps = std::max(m_tileSteps, m_sinks[s].steps);
    }
}

/// Sets the buffers to those after the last step of the tile, which `rest` holds for another tile of the
/// class.
void PositionEngine::leaveTile(const Rest& rest)
{
    m_step = m_tileSteps - 1;
    setRanges(false);
    m_previous.clear();
    for (Request b : rest.last) {
        b.rect = rectOf(b.rowSlot, b.colSlot);
        m_previous.add(b);
    }
}

// ---- steps ----------------------------------------------------------------------------------------------

void PositionEngine::takeStep(std::int64_t step)
{
    if (step > 0) {
        m_step = step;
        setRanges(false);
    }
    ++m_stamp;
    m_runs.clear();
    m_requests.clear();
    m_compute = m_runEnergy = 0;
    m_keptLoad = 0;
    std::int64_t stored = 0, loaded = 0;
    std::int64_t room = saturatingAdd(m_reserved, takeSinks(stored));
    room = saturatingAdd(room, serve(loaded));
    if (m_plan->rules().donation)
        room -= donate();
    else
        std::swap(m_previous, m_buffers);
    if (m_plan->rules().interior == Rules::Interior::Held)
        room = saturatingAdd(room, interiorSlices());
    m_room = room;
    m_peak = std::max(m_peak, room);
    loaded = saturatingAdd(loaded, m_keptLoad);
    const double energy = m_energy ? m_energy->transfers(loaded, stored) + m_runEnergy : 0;
    const auto [kind, isNew] = m_kindKeys.add(
        {std::bit_cast<std::int64_t>(m_compute), std::bit_cast<std::int64_t>(energy), loaded, stored});
    if (isNew)
        m_kinds.push_back({m_compute, energy, loaded, stored});
    ++m_kinds[kind].count;
    m_kind = kind;
}

/// Returns the sums of one step of a kind.
Tally PositionEngine::tallyOf(std::uint32_t kind, std::int64_t peak) const
{
    const Kind& k = m_kinds[kind];
    Tally out{};
    out.step(k.compute, k.loaded, k.stored, peak, *m_memory);
    out.energy = k.energy;
    return out;
}

/// Records the steps after the first one of the current tile for all tiles of its class.
void PositionEngine::record(Rest& rest)
{
    rest.ready = true;
    rest.last = m_previous.list();
    std::ranges::sort(m_tileKinds);
    for (const auto& [kind, count] : m_tileKinds)
        if (!rest.kinds.empty() && rest.kinds.back().first == kind)
            rest.kinds.back().second += count;
        else
            rest.kinds.emplace_back(kind, count);
    for (const auto& [kind, count] : rest.kinds)
        rest.tally.add(tallyOf(kind, m_tilePeak), count);
}

void PositionEngine::repeat(const Rest& rest)
{
    for (const auto& [kind, count] : rest.kinds)
        m_kinds[kind].count = saturatingAdd(m_kinds[kind].count, count);
    m_peak = std::max(m_peak, rest.tally.peak);
    leaveTile(rest);
}

/// Returns the sums over all steps so far, in an order that does not depend on that of the tiles.
Tally PositionEngine::total() const
{
    std::vector<std::uint32_t> kinds;
    for (std::uint32_t i = 0; i < m_kinds.size(); ++i)
        if (m_kinds[i].count > 0)
            kinds.push_back(i);
    std::ranges::sort(kinds, {}, [&](std::uint32_t i) { return m_kinds[i].key(); });
    Tally out{};
    for (const std::uint32_t i : kinds)
        out.add(tallyOf(i, m_peak), m_kinds[i].count);
    return out;
}

/// Carries out the requests of the active sinks (R6.1, R6.2). Returns the size of their tiles and
/// accumulators (R9.1c, R9.1d).
std::int64_t PositionEngine::takeSinks(std::int64_t& stored)
{
    std::int64_t room = 0;
    for (std::size_t s = 0; s < m_sinks.size(); ++s) {
        const SubgraphPlan::Sink& sink = m_plan->sinks()[s];
        const Sink& here = m_sinks[s];
        const Rect tile = rectOf(sink.rowSlot, sink.colSlot);
        const std::int64_t area = tile.area();
        if (area == 0 || m_step >= here.steps)
            continue;
        const Product& product = m_products[sink.product];
        const bool completes = m_step + 1 == here.steps;
        std::int64_t width = product.units;
        if (here.steps > 1) {
            if (!sink.pointwise)
                width = std::max(width, product.accumulatorUnits);
            for (std::uint32_t d = sink.driverBegin; d < sink.driverEnd; ++d) {
                Product& p = m_products[m_accumulated[d]];
                if (std::exchange(p.accumulates, m_stamp) == m_stamp)
                    continue; // an epilogue preserves the shape: an earlier sink has the same rectangle
                p.accumulator = tile;
                room = saturatingAdd(room, saturatingMul(area, p.accumulatorUnits));
            }
        }
        room = saturatingAdd(room, saturatingMul(area, here.retained ? width - product.units : width));
        if (completes && !here.retained)
            stored = saturatingAdd(stored, saturatingMul(area, product.units));
        for (const std::uint32_t root : m_plan->roots(sink)) {
            const std::int64_t reduction = m_plan->groups()[m_plan->uses()[root].group].reduction;
            if (reduction == 0 ? completes : m_step * m_g.k < reduction)
                follow(root);
        }
    }
    return room;
}

void PositionEngine::follow(std::uint32_t root)
{
    m_stack.push_back(root);
    while (!m_stack.empty()) {
        const std::uint32_t at = m_stack.back();
        m_stack.pop_back();
        if (std::exchange(m_seen[at], m_stamp) == m_stamp)
            continue;
        const SubgraphPlan::Use& use = m_plan->uses()[at];
        if (!use.run) {
            addRequest(use);
        } else if (addRun(use, m_costs[at])) {
            const auto needs = m_plan->needs(use);
            m_stack.insert(m_stack.end(), needs.rbegin(), needs.rend());
        }
    }
}

void PositionEngine::addRequest(const SubgraphPlan::Use& use)
{
    Input& in = m_inputs[use.id];
    if (in.kind == Input::Kind::Resident ||
        (in.kind == Input::Kind::Kept && m_coverage[in.coverage].isWhole()))
        return;
    Request r{use.id, use.rowSlot, use.colSlot, use.role, false, rectOf(use.rowSlot, use.colSlot), 0};
    Rect box = r.rect;
    std::int64_t volume = box.area();
    if (in.map != kNone) {
        const MapFootprint touched = m_footprints.find(in.map, r.rect);
        volume = touched.volume;
        box = touched.box;
    }
    if (volume == 0)
        return;
    if (in.kind == Input::Kind::Kept) {
        m_keptLoad = saturatingAdd(m_keptLoad, m_coverage[in.coverage].add(box) * in.units);
        return;
    }
    r.size = volume * in.units;
    if (m_requests.holds(use.id, [&](const Request& other) { return other.isSame(r); }))
        return;
    if (r.rect == Rect{0, in.height, 0, in.width})
        in.askedWhole = m_stamp;
    m_requests.add(r);
}

/// Adds a run; returns false if it is already in this step (R6.6).
bool PositionEngine::addRun(const SubgraphPlan::Use& use, Cost& cost)
{
    Product& p = m_products[use.id];
    const Run run{use.id, rectOf(use.rowSlot, use.colSlot), p.matmul ? m_range[use.depthSlot] : Range{}};
    if (run.rect.area() == 0 ||
        m_runs.holds(use.id, [&](const Run& r) { return r.rect == run.rect && r.depth == run.depth; }))
        return false;
    m_runs.add(run);
    const Rect& at = run.rect;
    if (p.recorded &&
        !m_earlier.add({use.id, at.r0, at.r1, at.c0, at.c1, run.depth.begin, run.depth.end}).isNew)
        return true; // a repeated run costs nothing (R8.1)
    const std::int64_t height = at.height(), width = at.width(), depth = run.depth.size();
    const bool adds = run.depth.begin > 0;
    if (cost.rows != height || cost.cols != width || cost.depth != depth || cost.adds != adds) {
        const StepCosts::Extent rows{m_plan->ranges()[use.rowSlot].reduces(), height};
        const StepCosts::Extent cols{m_plan->ranges()[use.colSlot].reduces(), width};
        cost = {height,
                width,
                depth,
                adds,
                p.matmul ? m_cost->matMul(p.base, rows, cols, depth, p.reduction)
                         : m_cost->pointwise(p.base, rows, cols),
                0};
        if (m_energy)
            cost.energy = p.matmul ? m_energy->matMul(m_plan->problem(), p.op, height, width, depth, adds)
                                   : m_energy->pointwise(m_plan->problem(), p.op, height, width);
    }
    m_compute += cost.compute;
    m_runEnergy += cost.energy;
    return true;
}

/// R7.1, R7.2: serves the requests from buffers. Returns the size of the buffers.
std::int64_t PositionEngine::serve(std::int64_t& loaded)
{
    std::int64_t room = 0;
    m_mergedByPast = false;
    m_buffers.clear();
    for (Request b : m_requests.list()) {
        const Input& in = m_inputs[b.id];
        const auto isFull = [](const Request& r) { return r.full; };
        b.full = in.askedWhole == m_stamp;
        if (!b.full && m_previous.holds(b.id, isFull))
            b.full = m_mergedByPast = true;
        if (b.full) {
            if (m_buffers.holds(b.id, isFull))
                continue;
            b.size = in.wholeSize;
        }
        room = saturatingAdd(room, b.size);
        if (!m_previous.holds(b.id, [&](const Request& r) { return r.isSame(b); }))
            loaded = saturatingAdd(loaded, b.size);
        m_buffers.add(b);
    }
    return room;
}

/// R9.6: returns the memory that outputs take over from inputs, and forgets the buffers of these inputs.
std::int64_t PositionEngine::donate()
{
    std::int64_t room = 0;
    for (std::size_t s = 0; s < m_sinks.size(); ++s) {
        const SubgraphPlan::Sink& sink = m_plan->sinks()[s];
        const Rect tile = rectOf(sink.rowSlot, sink.colSlot);
        if (!sink.pointwise || m_sinks[s].retained || m_step + 1 != m_sinks[s].steps || tile.area() == 0)
            continue;
        const std::int64_t units = m_products[sink.product].units;
        for (const Request& r : m_requests.list()) {
            Input& in = m_inputs[r.id];
            if (r.role != Role::Pointwise || r.rect != tile || in.map != kNone || in.units != units ||
                in.taken == m_stamp)
                continue;
            in.taken = m_stamp;
            room += tile.area() * units;
            break;
        }
    }
    m_previous.clear();
    for (const Request& b : m_buffers.list())
        if (m_inputs[b.id].taken != m_stamp)
            m_previous.add(b);
    return room;
}

/// R9.9: returns the size of the interior slices that the runs of this step produce. If two runs have the
/// same rectangle, one belongs to a driver and covers a part of its reduction, so R9.1d counts both.
std::int64_t PositionEngine::interiorSlices() const
{
    std::int64_t room = 0;
    for (const Run& run : m_runs.list()) {
        const Product& p = m_products[run.id];
        if (p.interior && !(p.accumulates == m_stamp && p.accumulator == run.rect))
            room = saturatingAdd(room, run.rect.area() * p.units);
    }
    return room;
}

std::int64_t PositionEngine::firstTilePeak(std::int64_t enough)
{
    begin(false, kNoLimit);
    enterTile(0, 0);
    for (std::int64_t step = 0; step < m_tileSteps && m_peak <= enough; step += stepsAlike())
        takeStep(step);
    return m_peak;
}

// ---- retained inputs ------------------------------------------------------------------------------------

std::int64_t PositionEngine::Coverage::add(const Rect& rect)
{
    m_fresh.assign(1, rect);
    for (const Rect& known : m_parts) {
        if (known.r0 >= rect.r1 || known.r1 <= rect.r0 || known.c0 >= rect.c1 || known.c1 <= rect.c0)
            continue;
        m_rest.clear();
        for (const Rect& f : m_fresh) {
            const std::int64_t top = std::clamp(known.r0, f.r0, f.r1),
                               bottom = std::clamp(known.r1, f.r0, f.r1);
            const std::int64_t left = std::clamp(known.c0, f.c0, f.c1),
                               right = std::clamp(known.c1, f.c0, f.c1);
            if (top == bottom || left == right) {
                m_rest.push_back(f);
                continue;
            }
            for (const Rect& piece : {Rect{f.r0, top, f.c0, f.c1}, Rect{bottom, f.r1, f.c0, f.c1},
                                      Rect{top, bottom, f.c0, left}, Rect{top, bottom, right, f.c1}})
                if (piece.area() > 0)
                    m_rest.push_back(piece);
        }
        std::swap(m_fresh, m_rest);
        if (m_fresh.empty())
            return 0;
    }
    std::int64_t elements = 0;
    for (const Rect& f : m_fresh) {
        elements += f.area();
        join(f);
    }
    m_missing -= elements;
    return elements;
}

/// Adds a part, joined with parts beside it that have the same rows or columns.
void PositionEngine::Coverage::join(Rect part)
{
    for (bool joined = true; joined;) {
        joined = false;
        for (std::size_t i = 0; i < m_parts.size(); ++i) {
            const Rect& p = m_parts[i];
            if (!(p.c0 == part.c0 && p.c1 == part.c1 && (p.r1 == part.r0 || p.r0 == part.r1)) &&
                !(p.r0 == part.r0 && p.r1 == part.r1 && (p.c1 == part.c0 || p.c0 == part.c1)))
                continue;
            part = {std::min(p.r0, part.r0), std::max(p.r1, part.r1), std::min(p.c0, part.c0),
                    std::max(p.c1, part.c1)};
            m_parts[i] = m_parts.back();
            m_parts.pop_back();
            joined = true;
            break;
        }
    }
    m_parts.push_back(part);
}

} // namespace tilewright
