// SPDX-License-Identifier: GPL-3.0-or-later
#include "solve/cost/op_lists.h"

namespace tilewright {

std::vector<OpId> without(const std::vector<OpId>& ops, const std::vector<OpId>& removed)
{
    std::vector<OpId> out;
    for (const OpId o : ops)
        if (!isIn(o, removed))
            out.push_back(o);
    return out;
}

std::vector<OpId> united(const std::vector<OpId>& ops, const std::vector<OpId>& added)
{
    std::vector<OpId> out = ops;
    for (const OpId o : added)
        if (!isIn(o, ops))
            out.push_back(o);
    return out;
}

std::vector<OpId> cone(const Problem& problem, const std::vector<OpId>& ops, OpId o, bool down)
{
    std::vector<OpId> out{o};
    for (std::size_t i = 0; i < out.size(); ++i)
        for (const OpId p : ops) {
            const OpId from = down ? out[i] : p;
            const OpId to = down ? p : out[i];
            if (isIn(problem.op(from).output, problem.op(to).inputs) && !isIn(p, out))
                out.push_back(p);
        }
    return out;
}

/// Colour refinement: in each of `radius` rounds the colour of an op is combined with those of its
/// neighbours.
std::vector<std::uint32_t> opClasses(const Problem& problem, int radius)
{
    std::vector<std::uint32_t> out(problem.opCount(), 0);
    std::vector<Digest> colours(problem.opCount());
    std::vector<std::uint64_t> readers;
    for (int round = 0; round <= radius; ++round) {
        std::unordered_map<Digest, std::uint32_t, DigestHash> numbers;
        for (std::uint32_t i = 0; i < out.size(); ++i) {
            const Op& op = problem.op(OpId(i));
            Digest d;
            d.add(static_cast<std::uint64_t>(op.type));
            d.add(static_cast<std::uint64_t>(op.baseCost));
            const auto tensor = [&](TensorId t) {
                d.add(static_cast<std::uint64_t>(problem.tensor(t).width));
                d.add(static_cast<std::uint64_t>(problem.tensor(t).height));
                d.add((problem.isView(t) ? 1U : 0U) | (problem.isGraphOutput(t) ? 2U : 0U) |
                      (problem.viewsOf(t).empty() ? 0U : 4U));
                readers.clear();
                for (const OpId c : problem.consumers(t))
                    readers.push_back(out[c.index()]);
                std::ranges::sort(readers);
                d.add(readers.size());
                for (const std::uint64_t reader : readers)
                    d.add(reader);
            };
            for (const TensorId t : op.inputs) {
                const auto producer = problem.producer(t);
                d.add(producer ? out[producer->index()] + 1 : 0);
                tensor(t);
            }
            tensor(op.output);
            colours[i] = d;
        }
        for (std::uint32_t i = 0; i < out.size(); ++i)
            out[i] =
                numbers.try_emplace(colours[i], static_cast<std::uint32_t>(numbers.size())).first->second;
    }
    return out;
}

} // namespace tilewright
