// SPDX-License-Identifier: GPL-3.0-or-later
// The explaining evaluator: simulates one (tile, k) step after another, exactly as the rules are written
// (docs/rules/schedule.md 14). Its memory is in trace_memory.cpp.
#include "eval/trace.h"

#include "eval/trace_walker.h"
#include "rules/check.h"
#include "schedule/schedule.h"

#include <algorithm>

namespace tilewright {

StepWalker::StepWalker(const SubgraphPlan& plan, const Subgraph& subgraph,
                       std::span<const TensorId> residentBefore)
    : m_plan(plan), m_problem(plan.problem()), m_subgraph(subgraph), m_rules(plan.rules()),
      m_cost(m_problem.hardware(), subgraph.granularity, plan.rules()), m_covered(plan.inputs().size()),
      m_range(plan.ranges().size()), m_requestsOf(plan.inputs().size()), m_runsOf(plan.ops().size()),
      m_chunk(plan.uses().size())
{
    findRepeatable();
    const auto listed = [](std::span<const TensorId> list, TensorId t) {
        return std::find(list.begin(), list.end(), t) != list.end();
    };
    for (std::size_t i = 0; i < plan.inputs().size(); ++i) {
        const TensorId t = m_problem.stored(plan.inputs()[i]);
        m_resident.push_back(listed(residentBefore, t));
        m_readsResident = m_readsResident || m_resident.back();
        m_kept.push_back(listed(subgraph.retain, t)); // a retained input (R9.7)
        std::size_t first = 0;
        while (m_problem.stored(plan.inputs()[first]) != t)
            ++first;
        m_coveredBy.push_back(first);
    }
    if (m_problem.hasEnergy())
        m_energy.emplace(m_problem);
    m_reserved = reservedUnits(m_problem, residentBefore, subgraph.retain);
    for (const TensorId t : plan.products())
        m_interior.push_back(!listed(subgraph.retain, t));
    for (std::size_t s = 0; s < plan.sinks().size(); ++s) {
        m_interior[plan.sinks()[s].product] = false;
        m_kSteps.push_back(plan.kSteps(s, subgraph.granularity.k));
        m_retained.push_back(listed(subgraph.retain, plan.products()[plan.sinks()[s].product]));
    }
    m_grid = tileGrid(m_problem, subgraph.ops, subgraph.granularity);
}

void StepWalker::walk(const std::function<bool(const Step&)>& visit)
{
    forEachTile(m_subgraph.traversal, m_grid.rows, m_grid.cols, [&](std::int64_t row, std::int64_t col) {
        for (goTo(row, col); m_step.kStep < m_step.kSteps; nextStep()) {
            takeStep();
            if (!visit(m_step))
                return false;
        }
        return true;
    });
}

void StepWalker::goTo(std::int64_t row, std::int64_t col)
{
    if (m_subgraph.traversal.kind() == TraversalKind::Raster && !m_rules.nullOrderReuse)
        m_previous.clear();
    m_step.tile = row * m_grid.cols + col;
    m_step.row = row;
    m_step.col = col;
    m_step.kSteps = 0;
    m_step.kStep = 0;
    findRanges();
    for (std::size_t s = 0; s < m_kSteps.size(); ++s)
        if (tileOf(s).area() > 0)
            m_step.kSteps = std::max(m_step.kSteps, m_kSteps[s]);
}

void StepWalker::nextStep()
{
    m_step.start += m_step.latency;
    ++m_step.index;
    ++m_step.kStep;
}

/// Finds the ops that may repeat a run: all except those with only one kind of request, by tiles and k
/// steps.
void StepWalker::findRepeatable()
{
    std::vector<std::uint32_t> ways(m_plan.ops().size(), 0);
    m_repeatable.assign(m_plan.ops().size(), true);
    for (const Use& u : m_plan.uses())
        if (u.run && ++ways[u.id] == 1)
            m_repeatable[u.id] = m_plan.ranges()[u.rowSlot].axis != SubgraphPlan::Axis::Tile ||
                                 m_plan.ranges()[u.colSlot].axis != SubgraphPlan::Axis::Tile ||
                                 (m_plan.groups()[u.group].reduction > 0 &&
                                  m_plan.ranges()[u.depthSlot].axis != SubgraphPlan::Axis::Step);
        else if (u.run)
            m_repeatable[u.id] = true;
}

/// Sets the ranges of the plan for this step; each is a tile, a k range or the whole extent.
void StepWalker::findRanges()
{
    const Granularity& g = m_subgraph.granularity;
    for (std::size_t i = 0; i < m_range.size(); ++i) {
        const Slot& slot = m_plan.ranges()[i];
        const auto part = [&](std::int64_t index, std::int64_t size) {
            const std::int64_t begin = std::min(index * size, slot.size);
            return Range{begin, std::min(begin + size, slot.size)};
        };
        switch (slot.axis) {
        case SubgraphPlan::Axis::Tile:
            m_range[i] = slot.row ? part(m_step.row, g.h) : part(m_step.col, g.w);
            break;
        case SubgraphPlan::Axis::Step:
            m_range[i] = part(m_step.kStep, g.k);
            break;
        case SubgraphPlan::Axis::Full:
            m_range[i] = {0, slot.size};
            break;
        case SubgraphPlan::Axis::Box: {
            const Rect box = footprint(*m_problem.map(slot.view), rectOf(slot.rowSlot, slot.colSlot)).box;
            m_range[i] = slot.row ? Range{box.r0, box.r1} : Range{box.c0, box.c1};
            break;
        }
        }
    }
}

/// Returns the tile of a sink at the current position; empty if the sink is not active.
Rect StepWalker::tileOf(std::size_t sink) const
{
    const SubgraphPlan::Sink& s = m_plan.sinks()[sink];
    return rectOf(s.rowSlot, s.colSlot);
}

// R6 ------------------------------------------------------------------------------------------------

void StepWalker::request(const Use& u)
{
    const Rect rect = rectOf(u.rowSlot, u.colSlot);
    Request wanted{u.id, m_plan.inputs()[u.id], u.role, rect, rect, rect.area(), {}};
    if (const IndexMap* map = m_problem.map(wanted.tensor)) {
        const MapFootprint touched = footprint(*map, wanted.rect);
        if (touched.empty())
            return;
        wanted.box = touched.box;
        wanted.volume = touched.volume;
    }
    std::vector<std::uint32_t>& same = m_requestsOf[u.id];
    for (const std::uint32_t r : same)
        if (m_requests[r].role == wanted.role && m_requests[r].rect == wanted.rect)
            return;
    same.push_back(static_cast<std::uint32_t>(m_requests.size()));
    m_requests.push_back(wanted);
}

/// Adds the run; returns false if it is already in this step (R6.6).
bool StepWalker::addRun(const Use& u)
{
    const OpId o = m_plan.ops()[u.id];
    const Op& op = m_problem.op(o);
    const bool matmul = op.type == OpType::MatMul;
    const Rect rect = rectOf(u.rowSlot, u.colSlot);
    if (rect.area() == 0) // R1.8: the rectangle of a view touches nothing
        return false;
    const Range depth = matmul ? m_range[u.depthSlot] : Range{};
    std::vector<std::uint32_t>& same = m_runsOf[u.id];
    for (const std::uint32_t i : same)
        if (const StepRun& r = m_step.runs[i]; r.rect == rect && r.k0 == depth.begin && r.k1 == depth.end)
            return false;
    StepRun r{o, rect, depth.begin, depth.end, 0, false};
    if (m_rules.ephemeral == Rules::Ephemeral::Neutral && m_repeatable[u.id]) {
        r.repeated = !m_earlier.add({u.id, rect.r0, rect.r1, rect.c0, rect.c1, depth.begin, depth.end}).isNew;
    }
    if (!r.repeated) {
        const auto base = static_cast<double>(op.baseCost);
        const StepCosts::Extent rows{m_plan.ranges()[u.rowSlot].reduces(), rect.r1 - rect.r0};
        const StepCosts::Extent cols{m_plan.ranges()[u.colSlot].reduces(), rect.c1 - rect.c0};
        r.cost = matmul ? m_cost.matMul(base, rows, cols, depth.end - depth.begin, m_problem.reductionSize(o))
                        : m_cost.pointwise(base, rows, cols);
        if (m_energy)
            r.energy = matmul ? m_energy->matMul(m_problem, o, rows.extent, cols.extent,
                                                 depth.end - depth.begin, depth.begin > 0)
                              : m_energy->pointwise(m_problem, o, rows.extent, cols.extent);
    }
    same.push_back(static_cast<std::uint32_t>(m_step.runs.size()));
    m_step.runs.push_back(r);
    return true;
}
/// Adds a use and, unless it is already a run of this step, the uses that it needs. Depth-first search
/// with an explicit stack, since long chains would overflow the thread's stack.
void StepWalker::follow(std::uint32_t root)
{
    m_pending.assign(1, root);
    while (!m_pending.empty()) {
        const std::uint32_t use = m_pending.back();
        const Use& u = m_plan.uses()[use];
        m_pending.pop_back();
        if (!u.run)
            request(u);
        else if (addRun(u)) {
            m_useOf.push_back(use);
            const auto needs = m_plan.needs(u);
            m_pending.insert(m_pending.end(), needs.rbegin(), needs.rend());
        }
    }
}

/// True if a root of a sink takes part in this step: a driver in its k steps, all others in the completing
/// step.
bool StepWalker::isActive(std::uint32_t root, bool completes) const
{
    const std::int64_t reduction = m_plan.groups()[m_plan.uses()[root].group].reduction;
    return reduction > 0 ? m_step.kStep * m_subgraph.granularity.k < reduction : completes;
}

/// Adds the uses of a sink (R6.1, R6.2): its drivers in their k steps, its epilogue in the completing
/// step.
void StepWalker::runSink(const SubgraphPlan::Sink& sink, bool completes)
{
    for (const std::uint32_t root : m_plan.roots(sink))
        if (isActive(root, completes))
            follow(root);
}

// R7 ------------------------------------------------------------------------------------------------

void StepWalker::takeStep()
{
    findRanges();
    for (const Request& r : m_requests)
        m_requestsOf[r.input].clear();
    for (auto& runs : m_runsOf)
        runs.clear();
    m_requests.clear();
    m_step.runs.clear();
    m_step.buffers.clear();
    m_step.sinks.clear();
    m_step.interiors.clear();
    m_step.residentReads.clear();
    m_step.keptLoads.clear();
    m_step.loadElements = m_step.storeElements = 0;
    m_step.inputElements = m_step.outputElements = m_step.accumulatorElements = m_step.donatedElements =
        m_step.interiorElements = 0;
    m_step.reserved = m_reserved;

    m_accumulators.clear();
    m_activeSinks.clear();
    m_useOf.clear();
    for (std::size_t i = 0; i < m_plan.sinks().size(); ++i) {
        const SubgraphPlan::Sink& s = m_plan.sinks()[i];
        const Rect tile = tileOf(i);
        if (tile.area() == 0 || m_step.kStep >= m_kSteps[i])
            continue;
        StepSink out;
        out.tensor = m_plan.products()[s.product];
        out.tile = tile;
        out.completes = m_step.kStep == m_kSteps[i] - 1;
        out.stored = out.completes && !m_retained[i];
        const std::int64_t units = m_problem.units(out.tensor);
        // R9.1c: a split MatMul accumulates in its own tile
        const bool accumulates = m_kSteps[i] > 1 && !s.pointwise;
        const std::int64_t width =
            accumulates ? std::max(units, m_problem.accumulatorUnits(out.tensor)) : units;
        out.outputElements = tile.area() * (m_retained[i] ? width - units : width);
        out.storedElements = out.stored ? tile.area() * units : 0;
        for (std::uint32_t d = s.driverBegin; m_kSteps[i] > 1 && d < s.driverEnd; ++d) {
            const std::pair<OpId, Rect> key{m_plan.accumulated()[d], tile};
            if (std::find(m_accumulators.begin(), m_accumulators.end(), key) != m_accumulators.end())
                continue;
            m_accumulators.push_back(key);
            ++out.accumulatorCount;
            out.accumulators += tile.area() * m_problem.accumulatorUnits(m_problem.op(key.first).output);
        }
        m_step.storeElements += out.storedElements;
        m_step.outputElements += out.outputElements;
        m_step.accumulatorElements += out.accumulators;
        m_step.sinks.push_back(out);
        m_activeSinks.push_back(i);
        runSink(s, out.completes);
    }
    serve();
    const std::vector<TensorId> taken = donate();
    if (m_rules.interior == Rules::Interior::Held)
        holdInterior();
    m_step.workingSet = m_reserved + m_step.inputElements + m_step.outputElements +
                        m_step.accumulatorElements + m_step.interiorElements - m_step.donatedElements;
    m_step.compute = 0;
    m_step.energy = m_energy ? m_energy->transfers(m_step.loadElements, m_step.storeElements) : 0;
    for (const StepRun& r : m_step.runs) {
        m_step.compute += r.cost;
        m_step.energy += r.energy;
    }
    m_step.memory = static_cast<double>(m_step.loadElements + m_step.storeElements) /
                    static_cast<double>(m_problem.bandwidthUnits());
    m_step.latency = std::max(m_step.compute, m_step.memory);

    m_previous = m_step.buffers;
    std::erase_if(m_previous, [&](const StepBuffer& b) {
        return std::find(taken.begin(), taken.end(), b.tensor) != taken.end();
    });
}

void traceSubgraph(const Problem& problem, const Subgraph& subgraph, std::span<const TensorId> residentBefore,
                   const Rules& rules, const std::function<bool(const Step&)>& visit)
{
    if (!checkFormat(problem, subgraph, SubgraphId{}).empty() ||
        !checkStructure(problem, subgraph, SubgraphId{}, rules, residentBefore).empty())
        return;
    StepWalker(SubgraphPlan(problem, subgraph.ops, rules), subgraph, residentBefore).walk(visit);
}

} // namespace tilewright
