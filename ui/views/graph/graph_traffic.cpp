// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/graph/graph_traffic.h"

#include "theme/number.h"
#include "views/graph/graph_hit.h"
#include "views/graph/graph_model.h"
#include "views/graph/graph_shapes.h"

#include <QCoreApplication>

#include <algorithm>
#include <set>

namespace tilewright::ui {

namespace {
constexpr std::int64_t kMostSteps =
    200'000; // limit for one subgraph; above it, its lines have no traffic labels
}

GraphTraffic TrafficMemory::count(const Snapshot& snapshot, std::stop_token stop)
{
    const auto& subgraphs = snapshot.schedule.subgraphs;
    const Rules& rules = snapshot.evaluation.rules;
    std::unordered_multimap<const Subgraph*, Entry> next;
    GraphTraffic out(subgraphs.size());
    for (std::size_t i = 0; i < subgraphs.size() && !stop.stop_requested(); ++i) {
        const auto resident = snapshot.residentBefore(SubgraphId(i));
        const auto [first, last] = m_entries.equal_range(subgraphs[i].get());
        const auto known = std::find_if(first, last, [&](const auto& item) {
            return item.second.rules == rules && std::ranges::equal(item.second.resident, resident);
        });
        if (known != last) {
            out[i] = known->second.traffic;
            next.insert(m_entries.extract(known));
            continue;
        }
        ++m_counted;
        out[i].emplace();
        const auto& evaluations = snapshot.evaluation.subgraphs;
        if (i < evaluations.size() && evaluations[i].structurallyValid && evaluations[i].steps <= kMostSteps)
            if (auto figures =
                    tensorTraffic(*snapshot.problem, *subgraphs[i], resident, rules, kMostSteps, stop))
                out[i] = std::move(*figures);
        if (!stop.stop_requested())
            next.emplace(subgraphs[i].get(),
                         Entry{subgraphs[i], {resident.begin(), resident.end()}, rules, *out[i]});
    }
    if (stop.stop_requested())
        next.merge(m_entries); // subgraphs that were not counted now may be needed next time
    m_entries = std::move(next);
    return out;
}

std::vector<SubgraphId> readersOf(const GraphModel& model, const GraphEdgeKey& edge, TensorId tensor)
{
    const GraphGeometry& geometry = *model.geometry;
    const GraphNode& to = model.nodes[edge.to];
    if (to.key.kind != GraphKey::Kind::Section) {
        std::vector<SubgraphId> out; // subgraphs that run the op, or the subgraph of the card
        for (const GraphBadge& badge : to.badges)
            out.push_back(badge.subgraph);
        return out;
    }
    std::set<SubgraphId> out;
    const Problem& problem = *geometry.problem;
    const auto consumers = problem.consumers(tensor);
    for (SubgraphId s : geometry.sections.at(edge.to).subgraphs)
        for (OpId op : geometry.members[s.index()])
            if (std::find(consumers.begin(), consumers.end(), op) != consumers.end())
                out.insert(s);
    return {out.begin(), out.end()};
}

EdgeStyle edgeStyle(const Snapshot& snapshot, SubgraphId s, TensorId t)
{
    // R3.1: a tensor that the subgraph produces itself is interior, even if a copy is resident.
    const Problem& problem = *snapshot.problem;
    const Subgraph& subgraph = snapshot.schedule[s];
    if (const auto producer = problem.producer(t))
        if (std::find(subgraph.ops.begin(), subgraph.ops.end(), *producer) != subgraph.ops.end())
            return EdgeStyle::Interior;
    const auto resident = snapshot.residentBefore(s);
    return std::find(resident.begin(), resident.end(), t) != resident.end() ? EdgeStyle::Retained
                                                                            : EdgeStyle::Spilled;
}

namespace {

LabelPlacer placesFor(const GraphModel& model)
{
    LabelPlacer places;
    for (const GraphNode& node : model.nodes)
        places.take(node.rect.adjusted(-2, -2, 2, 2));
    for (const GraphHull& hull : model.hulls)
        if (!hull.collapsed && !hull.bounds.isEmpty())
            places.take(tabRect(model, hull));
    for (const GraphEdge& edge : model.edges)
        if (!edge.slab.isEmpty())
            places.take(edge.slab | edge.namedSlab);
    return places;
}

} // namespace

void labelEdges(GraphModel& model, const GraphTraffic& traffic)
{
    const GraphGeometry& geometry = *model.geometry;
    const Problem& problem = *model.snapshot->problem;
    LabelPlacer places = placesFor(model);
    std::set<std::pair<std::uint32_t, std::uint32_t>> told; // (subgraph, tensor): each load is counted once
    for (std::size_t e = 0; e < model.edges.size(); ++e) {
        GraphEdge& edge = model.edges[e];
        edge.label.clear();
        if (edge.style != EdgeStyle::Spilled || edge.path.isEmpty())
            continue;
        const bool output = model.nodes[edge.to].key.kind == GraphKey::Kind::Output;
        std::int64_t load = 0, store = 0;
        const auto count = [&](SubgraphId s, TensorId tensor) {
            if (s.index() >= traffic.size() || !traffic[s.index()])
                return;
            if (!output && !told.insert({s.value, tensor.value}).second)
                return;
            for (const TensorTraffic& t : *traffic[s.index()])
                if (t.tensor == tensor)
                    (output ? store : load) += output ? t.store : t.load;
        };
        // Stored by every subgraph that produces it, loaded by every one that runs the consumer.
        const auto section = geometry.sections.find(edge.from);
        if (output && section != geometry.sections.end())
            for (const SubgraphId s : section->second.subgraphs)
                count(s, edge.tensor);
        else if (output)
            for (const GraphBadge& badge : model.nodes[edge.from].badges)
                count(badge.subgraph, edge.tensor);
        else if (edge.bundle.empty())
            for (SubgraphId s : readersOf(model, geometry.edges[e], edge.tensor))
                count(s, edge.tensor);
        for (TensorId tensor : edge.bundle)
            for (SubgraphId s : readersOf(model, geometry.edges[e], tensor))
                count(s, tensor);
        if (load + store == 0)
            continue;
        QString text = shortNumber(static_cast<double>(load + store));
        const double reloads =
            static_cast<double>(load) / static_cast<double>(problem.tensor(edge.tensor).elements());
        if (!edge.bundle.empty())
            text = QCoreApplication::translate("Graph", "%1 in %2 tensors").arg(text).arg(edge.bundle.size());
        else if (reloads > 1.005)
            text += QStringLiteral(" (%1×)").arg(significantNumber(reloads));
        const QSizeF size(0.88 * geometry.metrics.em * static_cast<double>(text.size()) + 8,
                          1.1 * geometry.metrics.line);
        const LayoutRoute& route = geometry.layout.edges[e];
        const auto rect = output ? places.place(route, size, {0.5, 0.7, 0.3})
                                 : places.place(route, size, {0.62, 0.75, 0.5, 0.85, 0.4});
        if (rect) {
            edge.label = text;
            edge.labelRect = *rect;
            model.bounds |= *rect;
        }
    }
}

void keepLabels(GraphModel& model, const GraphModel& before)
{
    if (model.geometry != before.geometry)
        return;
    const Schedule &now = model.snapshot->schedule, &then = before.snapshot->schedule;
    std::vector<char> changed(now.size(), 0);
    for (std::size_t s = 0; s < now.size(); ++s)
        if (now.subgraphs[s] != then.subgraphs[s]) {
            changed[s] = 1;
            if (s + 1 < now.size() && now.subgraphs[s]->retain != then.subgraphs[s]->retain)
                changed[s + 1] = 1;
        }
    const auto stays = [&](std::size_t v) {
        const GraphNode& node = model.nodes[v];
        if (node.key.kind == GraphKey::Kind::Input || node.key.kind == GraphKey::Kind::Output)
            return true;
        return !node.badges.empty() &&
               std::none_of(node.badges.begin(), node.badges.end(),
                            [&](const GraphBadge& badge) { return changed[badge.subgraph.index()] != 0; });
    };
    const bool sameRules = model.snapshot->evaluation.rules == before.snapshot->evaluation.rules;
    for (std::size_t e = 0; e < model.edges.size() && sameRules; ++e) {
        const GraphEdge& old = before.edges[e];
        if (old.label.isEmpty() || !stays(old.from) || !stays(old.to))
            continue;
        model.edges[e].label = old.label;
        model.edges[e].labelRect = old.labelRect;
        model.bounds |= old.labelRect;
    }
}

} // namespace tilewright::ui
