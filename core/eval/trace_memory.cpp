// SPDX-License-Identifier: GPL-3.0-or-later
// The explaining evaluator: buffers and working set of a step (R7, R9).
#include "base/integer.h"
#include "eval/covered.h"
#include "eval/trace_walker.h"

#include <algorithm>
#include <utility>

namespace tilewright {

bool sameBuffer(const StepBuffer& a, const StepBuffer& b)
{
    return a.tensor == b.tensor && a.full == b.full && (a.full || (a.role == b.role && a.rect == b.rect));
}

namespace {

bool holds(const std::vector<StepBuffer>& buffers, const StepBuffer& b)
{
    return std::any_of(buffers.begin(), buffers.end(), [&](const StepBuffer& x) { return sameBuffer(x, b); });
}

} // namespace

bool StepWalker::isWhole(const Request& r) const
{
    const Tensor& t = m_problem.tensor(r.tensor);
    return r.rect == Rect{0, t.height, 0, t.width};
}

void StepWalker::serve()
{
    for (Request& r : m_requests) {
        const TensorId stored = m_problem.stored(r.tensor);
        if (m_resident[r.input]) {
            if (std::find(m_step.residentReads.begin(), m_step.residentReads.end(), stored) ==
                m_step.residentReads.end())
                m_step.residentReads.push_back(stored);
            r.read = {StepRead::Kind::Resident, 0, 0, stored};
            continue;
        }
        if (m_kept[r.input]) {
            const std::int64_t fresh =
                cover(m_covered[m_coveredBy[r.input]], r.box) * m_problem.units(stored);
            m_step.loadElements += fresh;
            if (fresh > 0)
                m_step.keptLoads.push_back({stored, r.role, r.box, fresh, false, true});
            r.read = {StepRead::Kind::Kept, 0, 0, stored};
            continue;
        }
        StepBuffer b{r.tensor, r.role, r.rect, 0, isWhole(r), true};
        const StepBuffer full{r.tensor, r.role, {}, 0, true, true};
        if (!b.full) {
            const auto& same = m_requestsOf[r.input];
            b.full = std::any_of(same.begin(), same.end(),
                                 [&](std::uint32_t o) { return isWhole(m_requests[o]); }) ||
                     holds(m_previous, full);
        }
        const auto held = std::find_if(m_step.buffers.begin(), m_step.buffers.end(),
                                       [&](const StepBuffer& x) { return sameBuffer(x, b); });
        r.read = {StepRead::Kind::Buffer, static_cast<std::uint32_t>(held - m_step.buffers.begin())};
        if (held != m_step.buffers.end())
            continue;
        if (b.full)
            b.rect = {0, m_problem.tensor(r.tensor).height, 0, m_problem.tensor(r.tensor).width};
        b.size = (b.full ? m_problem.volume(r.tensor) : r.volume) * m_problem.units(r.tensor);
        b.loaded = !holds(m_previous, b);
        m_step.inputElements += b.size;
        if (b.loaded)
            m_step.loadElements += b.size;
        m_step.buffers.push_back(b);
    }
}

// R9.6: returns the tensors whose buffers outputs have taken over.
std::vector<TensorId> StepWalker::donate()
{
    std::vector<TensorId> taken;
    if (!m_rules.donation)
        return taken;
    for (StepSink& s : m_step.sinks) {
        const OpId producer = *m_problem.producer(s.tensor);
        if (!s.completes || !s.stored || m_problem.op(producer).type != OpType::Pointwise)
            continue;
        for (const Request& r : m_requests) {
            if (r.role != Role::Pointwise || r.rect != s.tile || m_resident[r.input] || m_kept[r.input] ||
                m_problem.map(r.tensor) || m_problem.units(r.tensor) != m_problem.units(s.tensor) ||
                std::find(taken.begin(), taken.end(), r.tensor) != taken.end())
                continue;
            taken.push_back(r.tensor);
            s.takesOver = r.tensor;
            m_step.donatedElements += s.tile.area() * m_problem.units(s.tensor);
            break;
        }
    }
    return taken;
}

/// R9.9: adds the interior slices that the runs of this step produce.
void StepWalker::holdInterior()
{
    std::vector<std::pair<OpId, Rect>> held = m_accumulators;
    for (const StepRun& r : m_step.runs) {
        const TensorId t = m_problem.op(r.op).output;
        if (!m_interior[*m_plan.productIndex(t)] ||
            std::find(held.begin(), held.end(), std::pair{r.op, r.rect}) != held.end())
            continue;
        held.emplace_back(r.op, r.rect);
        m_step.interiors.push_back({t, r.rect, r.rect.area() * m_problem.units(t)});
        m_step.interiorElements += m_step.interiors.back().size;
    }
}

} // namespace tilewright
