// SPDX-License-Identifier: GPL-3.0-or-later
#include "npu/static_schedule.h"

#include "base/integer.h"

#include <algorithm>
#include <queue>

namespace tilewright::npu {

std::string_view toString(Assignment assignment) noexcept
{
    switch (assignment) {
    case Assignment::RoundRobin:
        return "round_robin";
    case Assignment::CostAware:
        return "cost_aware";
    case Assignment::HeadParallel:
        return "head_parallel";
    }
    return "";
}

std::optional<Assignment> assignmentFromText(std::string_view text) noexcept
{
    for (const Assignment a : {Assignment::RoundRobin, Assignment::CostAware, Assignment::HeadParallel})
        if (toString(a) == text)
            return a;
    return std::nullopt;
}

Cycle nodeCost(const NpuGraph& graph, const NpuHardware& hardware, std::size_t node) noexcept
{
    const TileNode& n = graph.nodes[node];
    return std::max(n.computeCycles, ceilDiv(n.memBytes, hardware.bandwidthAlone()));
}

std::vector<Cycle> criticalPaths(const NpuGraph& graph, const NpuHardware& hardware, bool computeOnly)
{
    std::vector<Cycle> cp(graph.nodes.size(), 0);
    // A node's dependencies have smaller ids, so that descending ids visit successors first.
    for (std::size_t i = graph.nodes.size(); i-- > 0;) {
        Cycle longest = 0;
        for (const std::uint32_t s : graph.successors.of(i))
            longest = std::max(longest, cp[s]);
        cp[i] = longest + (computeOnly ? graph.nodes[i].computeCycles : nodeCost(graph, hardware, i));
    }
    return cp;
}

std::vector<std::uint32_t> longestPath(const NpuGraph& graph, const std::vector<Cycle>& cp)
{
    std::vector<std::uint32_t> path;
    std::uint32_t at = kNone;
    for (std::uint32_t i = 0; i < cp.size(); ++i)
        if (graph.deps.of(i).empty() && (at == kNone || cp[i] > cp[at]))
            at = i;
    while (at != kNone) {
        path.push_back(at);
        std::uint32_t next = kNone;
        for (const std::uint32_t s : graph.successors.of(at))
            if (next == kNone || cp[s] > cp[next])
                next = s;
        at = next;
    }
    return path;
}

std::vector<std::uint32_t> topologicalOrder(const NpuGraph& graph)
{
    std::vector<std::uint32_t> waiting(graph.nodes.size());
    std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, std::greater<>> ready;
    for (std::uint32_t i = 0; i < waiting.size(); ++i) {
        waiting[i] = static_cast<std::uint32_t>(graph.deps.of(i).size());
        if (waiting[i] == 0)
            ready.push(i);
    }
    std::vector<std::uint32_t> order;
    order.reserve(waiting.size());
    while (!ready.empty()) {
        const std::uint32_t i = ready.top();
        ready.pop();
        order.push_back(i);
        for (const std::uint32_t s : graph.successors.of(i))
            if (--waiting[s] == 0)
                ready.push(s);
    }
    return order;
}

StaticSchedule makeStaticSchedule(const NpuGraph& graph, const NpuHardware& hw, Assignment assignment)
{
    StaticSchedule out;
    out.assignment = assignment;
    out.cp = criticalPaths(graph, hw);
    out.order.resize(static_cast<std::size_t>(hw.cores));
    out.coreOf.resize(graph.nodes.size(), 0);
    out.finish.resize(graph.nodes.size(), 0);
    std::vector<Cycle> coreFree(out.order.size(), 0);
    std::vector<Cycle> unitReady(graph.units.size(), 0);
    std::vector<std::uint32_t> waiting(graph.units.size(), 0);
    for (std::size_t i = 0; i < graph.nodes.size(); ++i)
        for (const std::uint32_t u : graph.unitSuccessors.of(i))
            ++waiting[u];
    struct Entry
    {
        Cycle cp;
        std::uint32_t node;
        std::uint32_t unit;
        bool operator<(const Entry& o) const { return cp != o.cp ? cp < o.cp : node > o.node; }
    };
    std::priority_queue<Entry> ready;
    const auto push = [&](std::uint32_t u) {
        const std::uint32_t first = graph.nodesOf(u).front();
        ready.push({out.cp[first], first, u});
    };
    for (std::uint32_t u = 0; u < graph.units.size(); ++u)
        if (waiting[u] == 0)
            push(u);
    std::size_t turn = 0;
    while (!ready.empty()) {
        const std::uint32_t u = ready.top().unit;
        ready.pop();
        const auto nodes = graph.nodesOf(u);
        std::size_t core = 0;
        const std::int32_t head = graph.nodes[nodes.front()].head;
        if (assignment == Assignment::RoundRobin)
            core = turn++ % coreFree.size();
        else if (assignment == Assignment::HeadParallel && head >= 0)
            core = static_cast<std::size_t>(coreOfHead(head, hw.cores));
        else // costs are equal on all cores: the earliest start is the earliest end
            for (std::size_t c = 1; c < coreFree.size(); ++c)
                if (std::max(coreFree[c], unitReady[u]) < std::max(coreFree[core], unitReady[u]))
                    core = c;
        Cycle end = std::max(coreFree[core], unitReady[u]);
        for (const std::uint32_t n : nodes) {
            end += nodeCost(graph, hw, n);
            out.order[core].push_back(n);
            out.coreOf[n] = static_cast<std::uint16_t>(core);
            out.finish[n] = end;
        }
        coreFree[core] = end;
        out.estimatedMakespan = std::max(out.estimatedMakespan, end);
        for (const std::uint32_t n : nodes)
            for (const std::uint32_t s : graph.unitSuccessors.of(n)) {
                unitReady[s] = std::max(unitReady[s], end);
                if (--waiting[s] == 0)
                    push(s);
            }
    }
    return out;
}

} // namespace tilewright::npu
