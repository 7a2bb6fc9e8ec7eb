// SPDX-License-Identifier: GPL-3.0-or-later
#include "solve/proof/state_search.h"

#include <algorithm>

namespace tilewright {

ProofGraph::ProofGraph(const Problem& p, std::vector<OpId> list)
    : problem(p), ops(std::move(list)), inputs(ops.size()), readers(ops.size()), bases(ops.size()),
      m_place(p.opCount(), kMostOps)
{
    for (std::size_t i = 0; i < ops.size(); ++i)
        m_place[ops[i].index()] = static_cast<std::uint8_t>(i);
    for (std::size_t i = 0; i < ops.size(); ++i) {
        for (const TensorId t : p.op(ops[i]).inputs) {
            for (const TensorId base : p.bases(t))
                bases[i] |= producerOf(base);
            inputs[i] |= producerOf(t);
        }
        forEachBit(inputs[i], [&](std::size_t from) { readers[from] |= bit(i); });
        if (p.isGraphOutput(output(i)))
            outputs |= bit(i);
    }
}

OpMask ProofGraph::producerOf(TensorId t) const
{
    const auto producer = problem.producer(t);
    return producer && m_place[producer->index()] < kMostOps ? bit(m_place[producer->index()]) : 0;
}

OpMask ProofGraph::maskOf(const std::vector<TensorId>& tensors) const
{
    OpMask out = 0;
    for (const TensorId t : tensors)
        out |= producerOf(t);
    return out;
}

std::vector<OpId> ProofGraph::opsOf(OpMask mask) const
{
    std::vector<OpId> out;
    forEachBit(mask, [&](std::size_t i) { out.push_back(ops[i]); });
    return out;
}

std::vector<TensorId> ProofGraph::outputsOf(OpMask mask) const
{
    std::vector<TensorId> out;
    forEachBit(mask, [&](std::size_t i) { out.push_back(output(i)); });
    return out;
}

std::int64_t ProofGraph::elementsOf(OpMask mask) const
{
    std::int64_t sum = 0;
    forEachBit(mask, [&](std::size_t i) { sum += problem.tensor(output(i)).elements(); });
    return sum;
}

OpMask ProofGraph::neededBy(OpMask set) const
{
    OpMask out = 0;
    forEachBit(set, [&](std::size_t i) { out |= inputs[i]; });
    return out & ~set;
}

OpMask ProofGraph::basesOf(OpMask set) const
{
    OpMask out = 0;
    forEachBit(set, [&](std::size_t i) { out |= bases[i]; });
    return out;
}

OpMask ProofGraph::sinksOf(OpMask set) const
{
    OpMask out = set;
    forEachBit(set, [&](std::size_t i) { out &= ~inputs[i]; });
    return out;
}

RetainId StateSearch::retainId(OpMask mask)
{
    const auto [it, isNew] = m_retainIds.try_emplace(mask, 0);
    if (isNew)
        it->second = m_pool.internRetain(tensorsOf(mask));
    return it->second;
}

bool StateSearch::isBeaten(const State& state, double cost)
{
    const auto [it, isNew] = m_best.try_emplace(state, cost);
    if (!isNew && cost >= it->second)
        return true;
    it->second = cost;
    return false;
}

double StateSearch::remainingBelowLimit(const State& next, double cost) const
{
    constexpr double kNone = std::numeric_limits<double>::infinity();
    if (const auto it = m_best.find(next); it != m_best.end() && it->second <= cost)
        return kNone;
    const double rest = remaining(next);
    return cost + rest < m_limit ? rest : kNone;
}

void StateSearch::open(const Node& node, double remaining)
{
    if (!(node.cost + remaining < m_limit) || (node.exact && isBeaten(node.state, node.cost)))
        return;
    m_nodes.push_back(node);
    m_queue.push({node.cost + remaining, static_cast<std::uint32_t>(m_nodes.size() - 1)});
}

bool StateSearch::computeExactLatency(std::uint32_t at)
{
    const Node node = m_nodes[at];
    const double rest = remaining(node.state);
    const double cutoff = m_limit - node.before - rest;
    const std::optional<double> exact =
        latency({setOf(node.choice), residentAt(node.parent), retainId(node.state.resident)}, cutoff);
    if (!exact)
        return false;
    // A latency at or above the cut-off is only a lower bound.
    const double cost = node.before + *exact;
    if (*exact >= cutoff || isBeaten(node.state, cost))
        return true;
    m_nodes[at].cost = cost;
    m_nodes[at].exact = true;
    if (cost + rest < m_limit)
        m_queue.push({cost + rest, at});
    return true;
}

std::vector<CostedSet> StateSearch::entriesTo(std::uint32_t last)
{
    std::vector<CostedSet> out;
    for (std::uint32_t i = last; i != 0; i = m_nodes[i].parent) {
        const Node& at = m_nodes[i];
        out.push_back(
            {{setOf(at.choice), residentAt(at.parent), retainId(at.state.resident)}, at.cost - at.before});
    }
    std::ranges::reverse(out);
    return out;
}

StateSearch::Outcome StateSearch::search(const State& start)
{
    constexpr double kReported = 1 + 1e-4;
    Outcome out;
    // The first state may have tensors from outside in fast memory. No later state equals it, so it is not
    // stored.
    m_nodes.push_back({start, 0, 0, 0, 0, 0, true});
    m_queue.push({remaining(start), 0});
    double reported = 0;
    while (!m_queue.empty()) {
        const Queued top = m_queue.top();
        if (top.estimate >= m_limit)
            break;
        out.bound = std::max(out.bound, top.estimate); // every better plan passes through an open node
        if (m_limits.onBound && out.bound > reported * kReported) {
            reported = out.bound;
            m_limits.onBound(reported);
        }
        if (hasTooManyNodes() || !m_limits.keepGoing())
            return out;
        m_queue.pop();
        const Node& node = m_nodes[top.node];
        if (!node.exact) {
            if (!computeExactLatency(top.node))
                return out;
            continue;
        }
        if (const auto it = m_best.find(node.state);
            top.node != 0 && it != m_best.end() && it->second < node.cost)
            continue;
        ++out.states;
        if (isGoal(top.node)) {
            out.finished = true;
            out.goal = top.node;
            out.bound = node.cost;
            return out;
        }
        if (!expand(top.node))
            return out;
    }
    out.finished = true;
    out.bound = m_limits.upperBound;
    return out;
}

} // namespace tilewright
