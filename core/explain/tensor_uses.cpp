// SPDX-License-Identifier: GPL-3.0-or-later
#include "explain/tensor_uses.h"

#include <algorithm>
#include <span>

namespace tilewright {

namespace {

bool has(std::span<const TensorId> list, TensorId tensor)
{
    return std::ranges::find(list, tensor) != list.end();
}

/// Returns the use of the tensor by subgraph `at`; its traffic is not set.
TensorUse useOf(const Problem& problem, const Schedule& schedule, std::size_t at, TensorId tensor)
{
    TensorUse out;
    out.subgraph = SubgraphId(at);
    const Subgraph& subgraph = schedule[out.subgraph];
    const Boundary boundary = boundaryOf(problem, subgraph.ops);
    out.interior = has(boundary.interior, tensor);
    out.computed = out.interior || has(boundary.sinks, tensor);
    out.read = has(boundary.inputs, tensor) ||
               std::ranges::any_of(subgraph.ops, [&](OpId op) { return has(problem.op(op).inputs, tensor); });
    out.retained = has(subgraph.retain, tensor);
    out.resident = at > 0 && has(schedule[SubgraphId(at - 1)].retain, tensor);
    return out;
}

} // namespace

std::vector<TensorUse> tensorUses(const Problem& problem, const Schedule& schedule, const Rules& rules,
                                  TensorId tensor, const std::stop_token& stop)
{
    std::vector<TensorUse> out;
    for (std::size_t i = 0; i < schedule.size(); ++i) {
        TensorUse use = useOf(problem, schedule, i, tensor);
        if (!use.computed && !use.read && !use.resident && !use.retained)
            continue;
        const std::span<const TensorId> before =
            i > 0 ? std::span<const TensorId>(schedule[SubgraphId(i - 1)].retain)
                  : std::span<const TensorId>();
        if (!stop.stop_requested())
            if (const auto all =
                    tensorTraffic(problem, schedule[use.subgraph], before, rules, 2'000'000, stop);
                all && (use.interior || !all->empty())) {
                const auto own = std::ranges::find(*all, tensor, &TensorTraffic::tensor);
                use.traffic = own == all->end() ? TensorTraffic{tensor} : *own;
            }
        out.push_back(use);
    }
    return out;
}

std::optional<SubgraphId> retainingSubgraph(const Problem& problem, const Schedule& schedule, TensorId tensor,
                                            std::optional<SubgraphId> preferred)
{
    std::optional<SubgraphId> computing, reading;
    for (std::size_t i = 0; i < schedule.size(); ++i) {
        const TensorUse use = useOf(problem, schedule, i, tensor);
        if (use.subgraph == preferred && (use.computed || use.read || use.resident || use.retained))
            return preferred;
        if (use.computed)
            computing = use.subgraph;
        if (use.read && !reading)
            reading = use.subgraph;
    }
    return computing ? computing : reading;
}

} // namespace tilewright
