// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/graph/graph_geometry.h"

#include <algorithm>

namespace tilewright::ui {

namespace {

constexpr double kAspect = 1.6;

/// Makes the nodes and edges of the picture from problem, schedule and shape.
class Builder
{
public:
    Builder(const ProblemPtr& problem, const Schedule& schedule, const GraphShape& shape,
            const GraphMetrics& metrics)
        : m_problem(*problem), m_schedule(schedule), m_shape(shape), m_metrics(metrics)
    {
        m_out.problem = problem;
        m_out.shape = shape;
        m_out.metrics = metrics;
        m_out.nodeOfOp.resize(m_problem.opCount());
    }

    GraphGeometry build()
    {
        for (const SubgraphPtr& subgraph : m_schedule.subgraphs)
            m_out.members.push_back(subgraph->ops);
        if (m_shape.hops > 0 && !m_shape.focus.empty())
            m_visible = neighbourhood(m_problem, m_shape.focus, m_shape.hops);
        addOps();
        addTensors();
        return std::move(m_out);
    }
    LayoutGraph graph;

private:
    std::size_t addNode(GraphKey key, double width, double height, int group)
    {
        const std::size_t node = m_out.keys.size();
        m_out.keys.push_back(key);
        m_out.groupOf.push_back(group);
        m_out.index.emplace(key, node);
        graph.nodes.push_back({width, height, group});
        return node;
    }
    void addEdge(std::size_t from, std::size_t to, TensorId tensor, std::optional<OpId> consumer)
    {
        if (from == to)
            return;
        m_out.edges.push_back({from, to, tensor, consumer});
        graph.edges.push_back({static_cast<std::uint32_t>(from), static_cast<std::uint32_t>(to),
                               static_cast<std::int32_t>(tensor.value)});
    }
    [[nodiscard]] bool isVisible(OpId op) const { return !m_visible || m_visible->count(op) > 0; }

    void addOps()
    {
        std::vector<char> collapsed(m_schedule.size(), 0);
        std::vector<std::vector<int>> holders(m_problem.opCount());
        for (std::size_t s = 0; s < m_schedule.size(); ++s)
            for (OpId op : m_schedule.subgraphs[s]->ops)
                if (op.index() < m_problem.opCount()) {
                    holders[op.index()].push_back(static_cast<int>(s));
                    collapsed[s] |= m_shape.collapsed.count(op) > 0 ? 1 : 0;
                }
        std::vector<std::optional<std::size_t>> card(m_schedule.size());
        for (OpId op : m_problem.topologicalOrder()) {
            if (!isVisible(op)) {
                ++m_out.hiddenOps;
                continue;
            }
            // Recomputed ops stand with the first of their subgraphs that is drawn open.
            const auto& in = holders[op.index()];
            const auto open = std::find_if(in.begin(), in.end(), [&](int s) { return !collapsed[s]; });
            if (open != in.end() || in.empty()) {
                m_out.nodeOfOp[op.index()] =
                    addNode({GraphKey::Kind::Op, op.value}, m_metrics.nodeWidth(m_problem.opName(op).size()),
                            m_metrics.nodeHeight(), in.empty() ? -1 : *open);
                continue;
            }
            auto& node = card[in.front()];
            if (!node)
                node = addNode({GraphKey::Kind::Card, op.value}, m_metrics.cardWidth(),
                               m_metrics.cardHeight(), in.front());
            m_out.nodeOfOp[op.index()] = node;
        }
    }

    void addTensors()
    {
        for (std::size_t i = 0; i < m_problem.tensorCount(); ++i) {
            const TensorId tensor(i);
            const auto producer = m_problem.producer(tensor);
            std::optional<std::size_t> from = producer ? m_out.nodeOfOp[producer->index()] : std::nullopt;
            if (!producer &&
                std::none_of(m_problem.consumers(tensor).begin(), m_problem.consumers(tensor).end(),
                             [&](OpId c) { return m_out.nodeOfOp[c.index()].has_value(); }))
                continue;
            if (!producer)
                from = addNode({GraphKey::Kind::Input, tensor.value},
                               m_metrics.tensorWidth(m_problem.tensorName(tensor).size()),
                               m_metrics.tensorHeight(), -1);
            if (!from)
                continue;
            std::set<std::size_t> cards; // one edge a card, however many of its ops read the tensor
            for (OpId consumer : m_problem.consumers(tensor)) {
                const auto to = m_out.nodeOfOp[consumer.index()];
                if (!to)
                    continue;
                const bool isCard = m_out.keys[*to].kind == GraphKey::Kind::Card;
                if (isCard && !cards.insert(*to).second)
                    continue;
                addEdge(*from, *to, tensor, isCard ? std::nullopt : std::optional(consumer));
            }
            if (m_problem.isGraphOutput(tensor))
                addEdge(*from,
                        addNode({GraphKey::Kind::Output, tensor.value},
                                m_metrics.tensorWidth(m_problem.tensorName(tensor).size()),
                                m_metrics.tensorHeight(), -1),
                        tensor, std::nullopt);
        }
    }

    const Problem& m_problem;
    const Schedule& m_schedule;
    const GraphShape& m_shape;
    const GraphMetrics& m_metrics;
    std::optional<std::set<OpId>> m_visible;
    GraphGeometry m_out;
};

using EdgeName = std::tuple<GraphKey, GraphKey, std::uint32_t>;

EdgeName nameOf(const GraphGeometry& geometry, std::size_t edge)
{
    const GraphEdgeKey& e = geometry.edges[edge];
    return {geometry.keys[e.from], geometry.keys[e.to], e.tensor.value};
}

void keepPlaces(LayoutGraph& graph, const GraphGeometry& next, const GraphGeometry& previous)
{
    for (std::size_t v = 0; v < next.keys.size(); ++v)
        if (const auto old = previous.index.find(next.keys[v]); old != previous.index.end())
            graph.nodes[v].previous = previous.layout.anchors[old->second];
    std::map<EdgeName, std::size_t> lines;
    for (std::size_t e = 0; e < previous.edges.size(); ++e)
        lines.emplace(nameOf(previous, e), e);
    for (std::size_t e = 0; e < next.edges.size(); ++e)
        if (const auto old = lines.find(nameOf(next, e)); old != lines.end())
            graph.edges[e].previous = previous.layout.edgeAnchors[old->second];
}

/// Whether so many ops changed their company (a solver's result, another file) that the old picture helps
/// nobody: it is then drawn anew, and better.
bool isAnotherSchedule(const GraphGeometry& previous, const GraphGeometry& next)
{
    const std::set<std::vector<OpId>> before(previous.members.begin(), previous.members.end());
    std::size_t moved = 0, all = 0;
    for (const std::vector<OpId>& ops : next.members) {
        all += ops.size();
        moved += before.count(ops) > 0 ? 0 : ops.size();
    }
    return moved > 12 && 3 * moved > all;
}

} // namespace

std::optional<std::size_t> GraphGeometry::nodeOf(OpId op) const
{
    return op.index() < nodeOfOp.size() ? nodeOfOp[op.index()] : std::nullopt;
}

std::set<OpId> neighbourhood(const Problem& problem, const std::set<OpId>& focus, int hops)
{
    std::set<OpId> seen, edge;
    for (OpId op : focus)
        if (op.index() < problem.opCount())
            edge.insert(op);
    seen = edge;
    for (int hop = 0; hop < hops && !edge.empty(); ++hop) {
        std::set<OpId> next;
        for (OpId op : edge) {
            for (TensorId input : problem.op(op).inputs)
                if (const auto producer = problem.producer(input); producer && seen.insert(*producer).second)
                    next.insert(*producer);
            for (OpId consumer : problem.consumers(problem.op(op).output))
                if (seen.insert(consumer).second)
                    next.insert(consumer);
        }
        edge = std::move(next);
    }
    return seen;
}

bool fits(const GraphGeometry& geometry, const ProblemPtr& problem, const Schedule& schedule,
          const GraphShape& shape, const GraphMetrics& metrics)
{
    if (geometry.problem != problem || geometry.shape != shape || geometry.metrics != metrics ||
        geometry.members.size() != schedule.size())
        return false;
    for (std::size_t s = 0; s < schedule.size(); ++s)
        if (geometry.members[s] != schedule.subgraphs[s]->ops)
            return false;
    return true;
}

std::optional<GraphGeometry> layOutGraph(const ProblemPtr& problem, const Schedule& schedule,
                                         const GraphShape& shape, const GraphMetrics& metrics,
                                         const GraphGeometry* previous, const Progress& progress)
{
    Builder builder(problem, schedule, shape, metrics);
    GraphGeometry geometry = builder.build();
    LayoutOptions options;
    options.orientation =
        shape.leftToRight ? LayoutOptions::Orientation::LeftToRight : LayoutOptions::Orientation::TopToBottom;
    options.aspect = shape.columns ? kAspect : 0;
    options.groupPadding = metrics.padding();
    options.nodeGap = 1.5 * metrics.line;
    // Room for an arrow, a label and the padding of two areas; labels are wider than high.
    options.layerGap = shape.leftToRight ? 4.5 * metrics.line + 7 * metrics.em : 4.0 * metrics.line;
    const bool sameKind = previous && previous->problem == problem &&
                          previous->shape.leftToRight == shape.leftToRight && previous->metrics == metrics;
    if (sameKind && !isAnotherSchedule(*previous, geometry)) {
        keepPlaces(builder.graph, geometry, *previous);
        if (previous->shape == shape)
            options.columns = previous->layout.columns;
    }
    auto layout = layeredLayout(builder.graph, options, progress);
    if (!layout)
        return std::nullopt;
    geometry.layout = std::move(*layout);
    geometry.layout.groups.resize(schedule.size());
    return geometry;
}

} // namespace tilewright::ui
