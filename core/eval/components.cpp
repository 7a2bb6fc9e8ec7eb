// SPDX-License-Identifier: GPL-3.0-or-later
#include "eval/components.h"

#include "eval/request_kinds.h"

#include <numeric>
#include <unordered_map>

namespace tilewright {

/// Two ops may share a subgraph if they touch a common tensor, unless R4.7 forbids it.
std::vector<std::vector<OpId>> componentsOf(const Problem& problem, const Rules& rules)
{
    std::vector<std::size_t> parent(problem.opCount());
    std::iota(parent.begin(), parent.end(), std::size_t{0});
    const auto root = [&](std::size_t i) {
        while (parent[i] != i)
            i = parent[i] = parent[parent[i]];
        return i;
    };
    for (std::size_t i = 0; i < problem.tensorCount(); ++i) {
        const TensorId t(i);
        const auto consumers = problem.consumers(t);
        const auto producer = problem.producer(t);
        for (const OpId c : consumers) {
            parent[root(c.index())] = root(consumers[0].index());
            if (producer && !isFusionForbidden(problem, rules, t, c))
                parent[root(c.index())] = root(producer->index());
        }
    }
    std::vector<std::vector<OpId>> out;
    std::unordered_map<std::size_t, std::size_t> place; // index of the component of each root
    for (const OpId o : problem.topologicalOrder()) {
        const auto [it, isNew] = place.try_emplace(root(o.index()), out.size());
        if (isNew)
            out.emplace_back();
        out[it->second].push_back(o);
    }
    return out;
}

} // namespace tilewright
