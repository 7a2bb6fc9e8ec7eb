// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/graph/graph_transition.h"

#include <map>
#include <tuple>

namespace tilewright::ui {

namespace {

QPointF mixed(QPointF a, QPointF b, double t)
{
    return a + (b - a) * t;
}

/// Point by point where both paths are built alike, else the new one.
QPainterPath mixed(const QPainterPath& a, const QPainterPath& b, double t)
{
    if (a.elementCount() != b.elementCount())
        return b;
    QPainterPath out = b;
    for (int i = 0; i < b.elementCount(); ++i) {
        const QPainterPath::Element& ea = a.elementAt(i);
        const QPainterPath::Element& eb = b.elementAt(i);
        if (ea.type != eb.type)
            return b;
        const QPointF p = mixed(QPointF(ea), QPointF(eb), t);
        out.setElementPositionAt(i, p.x(), p.y());
    }
    return out;
}

/// The corners of a line: where its curves meet.
std::vector<QPointF> cornersOf(const QPainterPath& path)
{
    std::vector<QPointF> out;
    for (int i = 0; i < path.elementCount(); ++i) {
        if (path.elementAt(i).isCurveTo())
            i += 2; // two controls, then the end
        if (i < path.elementCount())
            out.push_back(path.elementAt(i));
    }
    return out;
}

} // namespace

GraphModel between(const GraphModel& from, const GraphModel& to, double t)
{
    GraphModel out = to;
    for (GraphNode& node : out.nodes)
        if (const auto old = from.geometry->index.find(node.key); old != from.geometry->index.end())
            node.rect.moveCenter(mixed(from.nodes[old->second].rect.center(), node.rect.center(), t));

    // Lines bend with their nodes; what they share is painted by each for the moment.
    using Name = std::tuple<GraphKey, GraphKey, TensorId>;
    std::map<Name, std::size_t> lines;
    for (std::size_t e = 0; e < from.edges.size(); ++e)
        lines.emplace(
            Name{from.nodes[from.edges[e].from].key, from.nodes[from.edges[e].to].key, from.edges[e].tensor},
            e);
    out.strokes.clear();
    for (GraphEdge& edge : out.edges) {
        const auto old = lines.find(Name{out.nodes[edge.from].key, out.nodes[edge.to].key, edge.tensor});
        if (old != lines.end()) {
            const GraphEdge& before = from.edges[old->second];
            edge.path = mixed(before.path, edge.path, t);
            edge.bounds = edge.path.boundingRect().adjusted(-1, -1, 1, 1);
            edge.end = mixed(before.end, edge.end, t);
            edge.beforeEnd = mixed(before.beforeEnd, edge.beforeEnd, t);
            for (QRectF* slab : {&edge.slab, &edge.namedSlab})
                slab->moveCenter(mixed(before.slab.center(), slab->center(), t));
        }
        edge.label.clear();
        out.strokes.push_back({edge.tensor, edge.style, edge.path, edge.bounds, cornersOf(edge.path)});
    }
    std::map<std::vector<OpId>, std::size_t> areas;
    const auto isDrawn = [](const GraphHull& hull) {
        return !hull.path.isEmpty() || !hull.satellites.isEmpty();
    };
    for (std::size_t s = 0; s < from.hulls.size(); ++s)
        if (isDrawn(from.hulls[s]))
            areas.emplace(from.geometry->members[s], s);
    for (GraphHull& hull : out.hulls) {
        if (!isDrawn(hull))
            continue;
        const auto old = areas.find(to.geometry->members[hull.subgraph.index()]);
        if (old == areas.end())
            continue;
        const GraphHull& before = from.hulls[old->second];
        hull.path = mixed(before.path, hull.path, t);
        hull.isBox = hull.isBox && before.isBox;
        if (!hull.satellites.isEmpty()) {
            hull.satellites = mixed(before.satellites, hull.satellites, t);
            hull.satelliteOutline = hull.satellites.simplified();
        }
        hull.tab = mixed(before.tab, hull.tab, t);
        hull.bounds = hull.path.boundingRect() | hull.satellites.boundingRect();
    }
    return out;
}

} // namespace tilewright::ui
