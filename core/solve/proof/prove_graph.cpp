// SPDX-License-Identifier: GPL-3.0-or-later
#include "solve/proof/prove_graph.h"

#include "eval/request_kinds.h"

namespace tilewright {

ProofGraph::ProofGraph(const Problem& p, const Rules& rules)
    : problem(p), ops(p.topologicalOrder()), inputs(ops.size()), readers(ops.size()), bases(ops.size()),
      never(ops.size())
{
    std::vector<std::size_t> place(p.opCount());
    for (std::size_t i = 0; i < ops.size(); ++i)
        place[ops[i].index()] = i;
    for (std::size_t i = 0; i < ops.size(); ++i)
        for (const TensorId t : p.op(ops[i]).inputs) {
            for (const TensorId base : p.bases(t))
                if (const auto producer = p.producer(base)) {
                    bases[i] |= bit(place[producer->index()]);
                    written |= bit(place[producer->index()]);
                }
            const auto producer = p.producer(t);
            if (!producer)
                continue;
            const std::size_t from = place[producer->index()];
            inputs[i] |= bit(from);
            readers[from] |= bit(i);
            if (isFusionForbidden(p, rules, t, ops[i]))
                never[from] |= bit(i);
        }
    for (std::size_t i = 0; i < ops.size(); ++i) {
        if (p.isGraphOutput(output(i)))
            outputs |= bit(i);
        // Beside what stays a step needs an element at least, unless an input's memory becomes the output's.
        if (p.tensor(output(i)).elements() + (rules.donation ? 0 : 1) <= p.hardware().fastMemoryCapacity)
            mayStay |= bit(i);
    }
    written |= outputs;
}

std::vector<OpId> ProofGraph::opsOf(ProofMask mask) const
{
    std::vector<OpId> out;
    forEachBit(mask, [&](std::size_t i) { out.push_back(ops[i]); });
    return out;
}

std::vector<TensorId> ProofGraph::outputsOf(ProofMask mask) const
{
    std::vector<TensorId> out;
    forEachBit(mask, [&](std::size_t i) { out.push_back(output(i)); });
    return out;
}

std::int64_t ProofGraph::elementsOf(ProofMask mask) const
{
    std::int64_t sum = 0;
    forEachBit(mask, [&](std::size_t i) { sum += problem.tensor(output(i)).elements(); });
    return sum;
}

ProofMask ProofGraph::neededBy(ProofMask set) const
{
    ProofMask out = 0;
    forEachBit(set, [&](std::size_t i) { out |= inputs[i]; });
    return out & ~set;
}

ProofMask ProofGraph::basesOf(ProofMask set) const
{
    ProofMask out = 0;
    forEachBit(set, [&](std::size_t i) { out |= bases[i]; });
    return out;
}

ProofMask ProofGraph::sinksOf(ProofMask set) const
{
    ProofMask out = set;
    forEachBit(set, [&](std::size_t i) { out &= ~inputs[i]; });
    return out;
}

} // namespace tilewright
