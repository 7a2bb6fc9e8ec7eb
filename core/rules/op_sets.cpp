// SPDX-License-Identifier: GPL-3.0-or-later
#include "rules/op_sets.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <queue>
#include <unordered_map>

namespace tilewright {

std::vector<std::vector<OpId>> connectedGroups(const Problem& problem, std::span<const OpId> ops)
{
    std::vector<std::size_t> parent(ops.size());
    std::iota(parent.begin(), parent.end(), std::size_t{0});
    const auto root = [&](std::size_t i) {
        while (parent[i] != i)
            i = parent[i] = parent[parent[i]];
        return i;
    };
    std::unordered_map<TensorId, std::size_t> toucher;
    const auto touch = [&](TensorId t, std::size_t i) {
        const auto [it, isNew] = toucher.emplace(t, i);
        if (!isNew) {
            // The smaller root becomes the common root, so that the groups are in the order of their first
            // op.
            const std::size_t a = root(it->second);
            const std::size_t b = root(i);
            parent[std::max(a, b)] = std::min(a, b);
        }
    };
    for (std::size_t i = 0; i < ops.size(); ++i) {
        touch(problem.op(ops[i]).output, i);
        for (const TensorId t : problem.op(ops[i]).inputs)
            touch(t, i);
    }
    std::vector<std::vector<OpId>> groups;
    std::vector<std::size_t> groupOf(ops.size());
    for (std::size_t i = 0; i < ops.size(); ++i) {
        const std::size_t r = root(i);
        if (r == i) {
            groupOf[i] = groups.size();
            groups.emplace_back();
        }
        groups[groupOf[r]].push_back(ops[i]);
    }
    return groups;
}

std::vector<OpId> inTopologicalOrder(const Problem& problem, std::span<const OpId> ops)
{
    std::unordered_map<OpId, std::size_t> index;
    for (std::size_t i = 0; i < ops.size(); ++i)
        index.emplace(ops[i], i);
    std::vector<std::size_t> waiting(ops.size(), 0);
    std::vector<std::vector<std::size_t>> readers(ops.size());
    for (std::size_t i = 0; i < ops.size(); ++i)
        for (const TensorId t : problem.op(ops[i]).inputs)
            if (const auto p = problem.producer(t))
                if (const auto it = index.find(*p); it != index.end()) {
                    ++waiting[i];
                    readers[it->second].push_back(i);
                }
    std::priority_queue<std::size_t, std::vector<std::size_t>, std::greater<>> ready;
    for (std::size_t i = 0; i < ops.size(); ++i)
        if (waiting[i] == 0)
            ready.push(i);
    std::vector<OpId> out;
    out.reserve(ops.size());
    while (!ready.empty()) {
        const std::size_t i = ready.top();
        ready.pop();
        out.push_back(ops[i]);
        for (const std::size_t r : readers[i])
            if (--waiting[r] == 0)
                ready.push(r);
    }
    return out;
}

} // namespace tilewright
