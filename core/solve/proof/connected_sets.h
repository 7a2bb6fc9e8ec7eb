// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "rules/rules.h"
#include "workload/problem.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace tilewright {

/// Calls visit(mask of the ops) for every connected set of them (R4.5), until it returns false. Returns false
/// then, and for more than 64 ops. Sets that no subgraph has may be left out: with a Pointwise whose result
/// R4.7 forbids as operand of another one of them, or that do not fit in fast memory whatever the tiles
/// (docs/rules/bound.md 7). The ops: a component (componentsOf()), or any in topological order.
[[nodiscard]] bool forEachConnectedSet(const Problem& problem, const Rules& rules,
                                       const std::vector<OpId>& ops,
                                       const std::function<bool(std::uint64_t)>& visit);

/// Calls visit(op), more than once perhaps, for all ops that produce or read a tensor that `o` produces or
/// reads, `o` included.
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
