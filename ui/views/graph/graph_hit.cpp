// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/graph/graph_hit.h"

#include "views/graph/graph_paint.h"
#include "views/graph/graph_shapes.h"

#include <QLineF>

#include <algorithm>
#include <limits>

namespace tilewright::ui {

namespace {

constexpr double kHandPixels = 6; // maximum distance from a line for a hit

double distance(const QPainterPath& path, QPointF p)
{
    double best = std::numeric_limits<double>::max();
    for (const QPolygonF& polygon : path.toSubpathPolygons())
        for (qsizetype i = 0; i + 1 < polygon.size(); ++i) {
            const QPointF a = polygon[i], d = polygon[i + 1] - a;
            const double length = QPointF::dotProduct(d, d);
            const double t = length > 0 ? std::clamp(QPointF::dotProduct(p - a, d) / length, 0.0, 1.0) : 0;
            best = std::min(best, QLineF(p, a + d * t).length());
        }
    return best;
}

/// The smallest area that contains the point.
std::optional<SubgraphId> areaAt(const GraphModel& model, QPointF scene)
{
    std::optional<SubgraphId> best;
    double bestArea = std::numeric_limits<double>::max();
    for (const GraphHull& hull : model.hulls) {
        if (!hull.bounds.contains(scene) || !(hull.path.contains(scene) || hull.satellites.contains(scene)))
            continue;
        const double area = hull.bounds.width() * hull.bounds.height();
        if (area < bestArea) {
            best = hull.subgraph;
            bestArea = area;
        }
    }
    return best;
}

/// False for cards and for subgraphs that the neighbourhood filter hides.
bool hasTab(const GraphHull& hull)
{
    return !hull.collapsed && !hull.bounds.isEmpty();
}

std::optional<std::size_t> nodeAt(const GraphModel& model, QPointF scene)
{
    for (std::size_t v = 0; v < model.nodes.size(); ++v)
        if (model.nodes[v].rect.contains(scene) && nodeShape(model.nodes[v]).contains(scene))
            return v;
    return std::nullopt;
}

} // namespace

std::optional<SubgraphId> subgraphOf(const GraphModel& model, std::size_t node)
{
    const int group = model.geometry->groupOf[node];
    if (group < 0 || static_cast<std::size_t>(group) >= model.hulls.size())
        return std::nullopt;
    return SubgraphId(static_cast<std::size_t>(group));
}

QRectF tabRect(const GraphModel& model, const GraphHull& hull)
{
    const double line = model.geometry->metrics.line;
    const double padding = model.geometry->metrics.padding();
    return {hull.tab.x() + padding * 0.9, hull.tab.y() - line * 0.55,
            std::max(line * 1.2, std::min(hull.tabRoom - 1.8 * padding, model.geometry->metrics.em * 20)),
            line * 1.1};
}

GraphHit hitTest(const GraphModel& model, const Viewport& viewport, QPointF position)
{
    return hitTest(model, viewport.toScene(position), kHandPixels / viewport.scale);
}

QRectF boundsOf(const GraphModel& model, const std::set<OpId>& ops)
{
    QRectF bounds;
    for (OpId op : ops)
        if (const auto v = model.geometry->nodeOf(op))
            bounds |= model.nodes[*v].rect;
    return bounds;
}

GraphHit hitOfNode(const GraphModel& model, std::size_t node)
{
    GraphHit hit;
    hit.node = node;
    const GraphKey& key = model.nodes[node].key;
    switch (key.kind) {
    case GraphKey::Kind::Op:
        hit.op = OpId(key.id);
        hit.subgraph = subgraphOf(model, node);
        break;
    case GraphKey::Kind::Card:
        hit.subgraph = subgraphOf(model, node);
        hit.onHandle = true;
        break;
    case GraphKey::Kind::Section:
        hit.isSection = true;
        break;
    case GraphKey::Kind::Input:
    case GraphKey::Kind::Output:
        hit.tensor = TensorId(key.id);
        break;
    }
    return hit;
}

GraphHit hitTest(const GraphModel& model, QPointF scene, double tolerance)
{
    GraphHit hit;
    if (const auto node = nodeAt(model, scene))
        return hitOfNode(model, *node);
    for (const GraphHull& hull : model.hulls)
        if (hasTab(hull) && tabRect(model, hull).contains(scene)) {
            hit.subgraph = hull.subgraph;
            hit.onHandle = true;
            return hit;
        }
    // The tolerance in scene units gives the zoom.
    const bool named = labelsArePainted(kHandPixels / tolerance);
    for (std::size_t e = 0; model.hasViews && e < model.edges.size(); ++e)
        if (slabOf(model.edges[e], named).contains(scene)) {
            hit.tensor = model.edges[e].tensor;
            hit.line = e;
            hit.subgraph = areaAt(model, scene);
            return hit;
        }
    double nearest = tolerance;
    for (std::size_t e = 0; e < model.edges.size(); ++e) {
        const GraphEdge& edge = model.edges[e];
        if (edge.bounds.adjusted(-tolerance, -tolerance, tolerance, tolerance).contains(scene))
            if (const double d = distance(edge.path, scene); d <= nearest) {
                nearest = d;
                hit.tensor = edge.tensor;
                hit.line = e;
            }
    }
    hit.subgraph = areaAt(model, scene);
    return hit;
}

GraphDropTarget dropTarget(const GraphModel& model, QPointF scene)
{
    if (const auto node = nodeAt(model, scene)) {
        if (const auto subgraph = subgraphOf(model, *node))
            return {false, subgraph};
        if (model.nodes[*node].key.kind == GraphKey::Kind::Section)
            return {true, std::nullopt};
    }
    for (const GraphHull& hull : model.hulls)
        if (hasTab(hull) && tabRect(model, hull).contains(scene))
            return {false, hull.subgraph};
    return {false, areaAt(model, scene)};
}

} // namespace tilewright::ui
