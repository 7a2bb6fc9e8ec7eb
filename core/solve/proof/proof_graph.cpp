// SPDX-License-Identifier: GPL-3.0-or-later
#include "solve/proof/proof_graph.h"

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

} // namespace tilewright
