// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "workload/problem.h"
#include "workload/rules.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace tilewright {

/// Calls visit(mask of the ops) for every connected set of `ops` (R4.5), until visit() returns false. Returns
/// false in this case, and for more than 64 ops. Sets that cannot be a subgraph may be left out: those with a
/// Pointwise whose result R4.7 forbids as operand of another op of the set, and those that fit in fast memory
/// with no tile size (docs/rules/bound.md 7). `ops` is a component (componentsOf()), or any list of ops in
/// topological order.
[[nodiscard]] bool forEachConnectedSet(const Problem& problem, const Rules& rules,
                                       const std::vector<OpId>& ops,
                                       const std::function<bool(std::uint64_t)>& visit);

/// Calls visit(op) for `o` and for all ops that share a tensor with it. An op may be visited more than once.
template <class Visit> void forEachTouching(const Problem& problem, OpId o, Visit&& visit)
{
    const auto touch = [&](TensorId t) {
        if (const auto producer = problem.producer(t))
            visit(*producer);
        for (const OpId c : problem.consumers(t))
            visit(c);
    };
    touch(problem.op(o).output);
    for (const TensorId t : problem.op(o).inputs)
        touch(t);
}

} // namespace tilewright
