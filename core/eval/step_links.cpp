// SPDX-License-Identifier: GPL-3.0-or-later
#include "eval/step_links.h"

#include "eval/trace_walker.h"
#include "rules/check.h"

#include <algorithm>

namespace tilewright {

void StepWalker::walkWithLinks(const std::function<bool(const Step&, const StepLinks&)>& visit)
{
    walk([&](const Step& step) {
        findLinks();
        return visit(step, m_links);
    });
}

/// Returns the source that serves a use in this step; None if the use touches no element (R1.8).
StepRead StepWalker::readOf(const Use& u) const
{
    const Rect rect = rectOf(u.rowSlot, u.colSlot);
    if (!u.run) {
        for (const std::uint32_t r : m_requestsOf[u.id])
            if (m_requests[r].role == u.role && m_requests[r].rect == rect)
                return m_requests[r].read;
        return {};
    }
    const bool matmul = m_problem.op(m_plan.ops()[u.id]).type == OpType::MatMul;
    const Range depth = matmul ? m_range[u.depthSlot] : Range{};
    for (const std::uint32_t i : m_runsOf[u.id])
        if (const StepRun& r = m_step.runs[i]; r.rect == rect && r.k0 == depth.begin && r.k1 == depth.end)
            return {StepRead::Kind::Run, i};
    return {};
}

/// Returns the source from which a Pointwise of an epilogue reads an operand. If the operand is the result of
/// a driver, the source is the run of the driver in this step or, if there is none, its last run before.
/// Every other operand is a root of the sink by itself (R6.2).
StepRead StepWalker::readOfEpilogue(const Use& run, TensorId operand) const
{
    const SubgraphPlan::Sink& sink = m_plan.sinks()[m_plan.groups()[run.group].sink];
    const bool mapped = m_problem.map(operand) != nullptr;
    const TensorId stored = m_problem.stored(operand);
    for (const std::uint32_t root : m_plan.roots(sink)) {
        const Use& u = m_plan.uses()[root];
        if (!u.run) {
            if (m_plan.inputs()[u.id] == operand)
                return readOf(u);
            continue;
        }
        if (m_plan.products()[u.id] != stored)
            continue;
        const Slot& rows = m_plan.ranges()[u.rowSlot];
        if (mapped ? rows.axis == SubgraphPlan::Axis::Box && rows.view == operand
                   : rows.axis != SubgraphPlan::Axis::Box) {
            if (m_plan.groups()[u.group].reduction == 0)
                return readOf(u);
            StepRead chunk = m_chunk[root];
            if (chunk.step != m_step.index)
                chunk.kind = StepRead::Kind::Earlier;
            return chunk;
        }
    }
    return {};
}

void StepWalker::findLinks()
{
    m_links.runs.clear();
    m_links.reads.clear();
    m_links.completing.clear();
    m_links.accumulators.clear();
    m_links.residentParts.clear();
    if (m_readsResident)
        for (const Request& r : m_requests)
            if (m_resident[r.input])
                m_links.residentParts.push_back({m_problem.stored(r.tensor), r.box});
    for (const auto& [op, rect] : m_accumulators)
        m_links.accumulators.push_back(
            {op, rect, rect.area() * m_problem.accumulatorUnits(m_problem.op(op).output)});
    for (std::size_t i = 0; i < m_activeSinks.size(); ++i) {
        const auto roots = m_plan.roots(m_plan.sinks()[m_activeSinks[i]]);
        for (const std::uint32_t root : roots) {
            const Use& u = m_plan.uses()[root];
            if (m_plan.groups()[u.group].reduction == 0 || !isActive(root, false))
                continue;
            m_chunk[root] = readOf(u);
            m_chunk[root].step = m_step.index;
        }
        // the first root is the producer of the sink
        m_links.completing.push_back(m_step.sinks[i].completes ? readOf(m_plan.uses()[roots.front()]).index
                                                               : 0);
    }
    for (std::size_t i = 0; i < m_step.runs.size(); ++i) {
        const Use& u = m_plan.uses()[m_useOf[i]];
        StepLinks::Run run{.readBegin = static_cast<std::uint32_t>(m_links.reads.size()),
                           .readEnd = 0,
                           .rowsReduce = m_plan.ranges()[u.rowSlot].reduces(),
                           .colsReduce = m_plan.ranges()[u.colSlot].reduces()};
        const auto add = [&](const StepRead& read) {
            if (read.kind != StepRead::Kind::None)
                m_links.reads.push_back(read);
        };
        if (u.epilogue)
            for (const TensorId t : m_problem.operands(m_plan.ops()[u.id]))
                add(readOfEpilogue(u, t));
        for (const std::uint32_t need : m_plan.needs(u))
            add(readOf(m_plan.uses()[need]));
        run.readEnd = static_cast<std::uint32_t>(m_links.reads.size());
        m_links.runs.push_back(run);
    }
    orderRuns();
}

/// Orders the runs by depth-first search, each run after the runs that it reads from. The stack is explicit,
/// because long chains would overflow the thread's stack.
void StepWalker::orderRuns()
{
    const std::size_t n = m_step.runs.size();
    m_links.order.clear();
    m_placed.assign(n, false);
    // stack of runs, each with the index of its next read
    std::vector<std::pair<std::uint32_t, std::uint32_t>> stack;
    for (std::uint32_t first = 0; first < n; ++first) {
        if (m_placed[first])
            continue;
        m_placed[first] = true;
        stack.emplace_back(first, m_links.runs[first].readBegin);
        while (!stack.empty()) {
            auto& [run, next] = stack.back();
            if (next == m_links.runs[run].readEnd) {
                m_links.order.push_back(run);
                stack.pop_back();
                continue;
            }
            const StepRead& read = m_links.reads[next++];
            if (read.kind != StepRead::Kind::Run || m_placed[read.index])
                continue;
            m_placed[read.index] = true;
            stack.emplace_back(read.index, m_links.runs[read.index].readBegin);
        }
    }
}

void traceLinkedSteps(const Problem& problem, const Subgraph& subgraph,
                      std::span<const TensorId> residentBefore, const Rules& rules,
                      const std::function<bool(const Step&, const StepLinks&)>& visit)
{
    if (!checkFormat(problem, subgraph, SubgraphId{}).empty() ||
        !checkStructure(problem, subgraph, SubgraphId{}, rules, residentBefore).empty())
        return;
    StepWalker(SubgraphPlan(problem, subgraph.ops, rules), subgraph, residentBefore).walkWithLinks(visit);
}

} // namespace tilewright
