// SPDX-License-Identifier: GPL-3.0-or-later
#include "solve/cost/op_classes.h"

#include "base/digest.h"

#include <algorithm>
#include <unordered_map>

namespace tilewright {

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
