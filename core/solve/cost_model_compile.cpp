// SPDX-License-Identifier: GPL-3.0-or-later
// From an op set to flat lists: what a step requests (R6) and runs, and when.
#include "solve/cost_model.h"

#include "base/integer.h"

#include <algorithm>

namespace tilewright {

namespace {

constexpr std::uint8_t kLhs = 0;
constexpr std::uint8_t kRhs = 1;
constexpr std::uint8_t kPointwise = 2;

} // namespace

std::uint64_t CostModel::causeBit(std::int64_t height, std::int64_t width, std::int64_t reduction,
                                  bool completing)
{
    for (std::size_t i = 0; i < m_causes.size(); ++i) {
        const Cause& c = m_causes[i];
        if (c.height == height && c.width == width && c.reduction == reduction && c.completing == completing)
            return std::uint64_t{1} << i;
    }
    if (m_causes.size() == 64) {
        m_overflow = true;
        return 1;
    }
    m_causes.push_back({height, width, reduction, completing, 0, 0, 0});
    return std::uint64_t{1} << (m_causes.size() - 1);
}

void CostModel::addRequest(std::uint32_t tensor, std::uint8_t role, Axis row, Axis col, std::uint64_t cause)
{
    for (Request& r : m_requests)
        if (r.tensor == tensor && r.role == role && r.row == row && r.col == col) {
            r.causes |= cause;
            return;
        }
    m_requests.push_back({tensor, role, row, col, cause});
}

/// The last need first, so that requests come in depth-first order (R6.6). The stack is our own: a chain may
/// be longer than a thread's stack.
void CostModel::serveNeeds(std::uint64_t cause)
{
    while (!m_needs.empty()) {
        const Need n = m_needs.back();
        m_needs.pop_back();
        if (m_producedHere[n.tensor] == m_stamp)
            addRun(m_problem.producer(TensorId(n.tensor))->value, n.row, n.col, false, cause);
        else if (m_residentHere[n.tensor] != m_stamp)
            addRequest(n.tensor, n.role, n.row, n.col, cause);
    }
}

/// Adds the run, or the cause to a known one, and puts what that needs on the stack.
void CostModel::addRun(std::uint32_t op, Axis row, Axis col, bool split, std::uint64_t cause)
{
    if (m_overflow)
        return;
    const Op& o = m_problem.op(OpId(op));
    const bool matmul = o.type == OpType::MatMul;
    bool known = false;
    for (Run& r : m_runs)
        if (r.op == op && r.row == row && r.col == col && r.split == split) {
            if ((r.causes & cause) == cause)
                return;
            r.causes |= cause;
            known = true;
            break;
        }
    if (!known) {
        const Tensor& out = m_problem.tensor(o.output);
        m_runs.push_back({op, row, col, split, matmul, cause, static_cast<double>(o.baseCost),
                          m_problem.reductionSize(OpId(op)), out.width, out.height});
    }
    if (matmul) {
        const Axis k = split ? Axis::Chunk : Axis::Full;
        m_needs.push_back({o.inputs[1].value, kRhs, k, col});
        m_needs.push_back({o.inputs[0].value, kLhs, row, k});
    } else {
        for (auto in = o.inputs.rbegin(); in != o.inputs.rend(); ++in)
            m_needs.push_back({in->value, kPointwise, row, col});
    }
}

void CostModel::runDriver(OpId op, const Tensor& shape)
{
    const std::uint64_t cause = causeBit(shape.height, shape.width, m_problem.reductionSize(op), false);
    addRun(op.value, Axis::Tile, Axis::Tile, true, cause);
    serveNeeds(cause);
}

void CostModel::runEpilogue(OpId sink, const Tensor& shape, std::uint64_t completing)
{
    std::vector<TensorId> pending{m_problem.op(sink).output};
    m_epilogueDone.clear();
    while (!pending.empty()) {
        const TensorId needed = pending.back();
        pending.pop_back();
        if (m_producedHere[needed.value] != m_stamp) {
            if (m_residentHere[needed.value] != m_stamp)
                addRequest(needed.value, kPointwise, Axis::Tile, Axis::Tile, completing);
            continue;
        }
        const OpId p = *m_problem.producer(needed);
        const Op& o = m_problem.op(p);
        if (o.type == OpType::MatMul) {
            runDriver(p, shape);
            continue;
        }
        if (std::ranges::find(m_epilogueDone, p.value) != m_epilogueDone.end())
            continue;
        m_epilogueDone.push_back(p.value);
        m_runs.push_back({p.value, Axis::Tile, Axis::Tile, false, false, completing,
                          static_cast<double>(o.baseCost), 1, shape.width, shape.height});
        pending.insert(pending.end(), o.inputs.rbegin(), o.inputs.rend());
    }
}

void CostModel::compileSinks(std::span<const OpId> ops)
{
    m_accumulators.clear();
    std::vector<std::uint32_t> epilogue;
    std::vector<std::uint32_t> drivers;
    for (const OpId o : ops) {
        const Op& op = m_problem.op(o);
        if (m_consumedHere[op.output.value] == m_stamp)
            continue;
        const Tensor& out = m_problem.tensor(op.output);
        Sink sink{op.output.value,
                  out.height,
                  out.width,
                  1,
                  m_retainedHere[op.output.value] == m_stamp,
                  0,
                  0,
                  0,
                  0,
                  0};
        sink.accFirst = static_cast<std::uint32_t>(m_accumulators.size());
        if (op.type == OpType::MatMul) {
            sink.reduction = m_problem.reductionSize(o);
            runDriver(o, out);
        } else {
            // R5.4: back through pointwise ops of the subgraph to the matmuls that are stepped along k.
            epilogue.assign(1, o.value);
            drivers.clear();
            for (std::size_t i = 0; i < epilogue.size(); ++i)
                for (const TensorId in : m_problem.op(OpId(epilogue[i])).inputs) {
                    if (m_producedHere[in.value] != m_stamp)
                        continue;
                    const std::uint32_t p = m_problem.producer(in)->value;
                    auto& list = m_problem.op(OpId(p)).type == OpType::MatMul ? drivers : epilogue;
                    if (std::ranges::find(list, p) == list.end())
                        list.push_back(p);
                }
            for (const std::uint32_t d : drivers)
                sink.reduction = std::max(sink.reduction, m_problem.reductionSize(OpId(d)));
            for (const std::uint32_t d : drivers) {
                if (std::ranges::find(m_accumulators, d) != m_accumulators.end())
                    m_sharedDrivers = true;
                m_accumulators.push_back(d);
            }
            // Depth first, as R6.6 orders requests. The epilogue runs in the completing step only; its
            // drivers' results are then at hand.
            const std::uint64_t completing = causeBit(out.height, out.width, sink.reduction, true);
            runEpilogue(o, out, completing);
        }
        sink.accCount = static_cast<std::uint32_t>(m_accumulators.size()) - sink.accFirst;
        m_sinks.push_back(sink);
    }
}

void CostModel::compileRange(std::span<const OpId> ops)
{
    m_range = {};
    m_widths.clear();
    m_heights.clear();
    m_reductions.clear();
    for (const Sink& s : m_sinks) {
        m_widths.push_back(s.width);
        m_heights.push_back(s.height);
    }
    for (const Run& r : m_runs)
        if (r.split)
            m_reductions.push_back(r.reduction);
    for (auto* v : {&m_widths, &m_heights, &m_reductions}) {
        std::ranges::sort(*v);
        v->erase(std::unique(v->begin(), v->end()), v->end());
    }
    bool matmul = false;
    std::int64_t smallestK = kMaxDimension;
    for (const OpId o : ops) {
        const Op& op = m_problem.op(o);
        if (op.type != OpType::MatMul)
            continue;
        matmul = true;
        const std::int64_t k = m_problem.reductionSize(o);
        smallestK = std::min(smallestK, k);
        if (m_rules.prologue == Rules::Prologue::Off)
            continue;
        const auto fromPointwise = [&](TensorId t) {
            return m_producedHere[t.value] == m_stamp &&
                   m_problem.op(*m_problem.producer(t)).type == OpType::Pointwise;
        };
        if (fromPointwise(op.inputs[0]))
            m_range.minW = std::max(m_range.minW, k);
        if (fromPointwise(op.inputs[1]))
            m_range.minH = std::max(m_range.minH, k);
    }
    const bool limited = m_rules.superNative == Rules::SuperNative::Error;
    m_range.maxK = !matmul ? 1 : limited ? std::min(m_nativeK, smallestK) : smallestK;
    m_range.maxW = std::max(m_range.minW, m_widths.back());
    m_range.maxH = std::max(m_range.minH, m_heights.back());
    if (limited) {
        m_range.maxW = std::min(m_nativeW, m_range.maxW);
        m_range.maxH = std::min(m_nativeH, m_range.maxH);
    }
}

bool CostModel::compile(std::span<const OpId> ops, const Memory& memory)
{
    ++m_stamp;
    m_planned = false;
    m_prepared = {0, 0, 0};
    m_overflow = false;
    m_sharedDrivers = false;
    m_causes.clear();
    m_sinks.clear();
    m_requests.clear();
    m_runs.clear();
    m_reserved = 0;
    for (const OpId o : ops) {
        const Op& op = m_problem.op(o);
        m_inside[o.value] = m_stamp;
        m_producedHere[op.output.value] = m_stamp;
        for (const TensorId t : op.inputs)
            m_consumedHere[t.value] = m_stamp;
    }
    for (const TensorId t : memory.resident) {
        m_residentHere[t.value] = m_stamp;
        m_reserved += m_problem.tensor(t).elements();
    }
    for (const TensorId t : memory.retained) {
        m_retainedHere[t.value] = m_stamp;
        if (m_residentHere[t.value] != m_stamp)
            m_reserved += m_problem.tensor(t).elements();
    }
    m_ops.assign(ops.begin(), ops.end());
    m_resident.assign(memory.resident.begin(), memory.resident.end());
    m_retained.assign(memory.retained.begin(), memory.retained.end());
    compileSinks(ops);
    compileRange(ops);
    std::ranges::stable_sort(m_requests, {}, &Request::tensor);
    compileBound();
    return !m_overflow;
}

} // namespace tilewright
