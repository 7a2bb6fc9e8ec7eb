// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/graph/graph_parts.h"

#include <algorithm>
#include <cmath>

namespace tilewright::ui {

namespace {

constexpr double kLineReach = 4;   // pixels beside a line
constexpr double kShortest = 6;    // pieces of a line that can be pointed at
constexpr double kOutlineStep = 3; // pixels between the corners of an outline

/// Every subgraph of its ops, so that each of them is found from elsewhere.
QStringList keysOfNode(const GraphModel& model, std::size_t node)
{
    const GraphNode& n = model.nodes[node];
    QStringList keys;
    switch (n.key.kind) {
    case GraphKey::Kind::Op:
        keys << keyOf(OpId(n.key.id));
        break;
    case GraphKey::Kind::Input:
    case GraphKey::Kind::Output:
        return {keyOf(TensorId(n.key.id))};
    case GraphKey::Kind::Section: {
        const auto section = model.geometry->sections.find(node);
        if (section == model.geometry->sections.end())
            break;
        keys << QStringLiteral("g%1").arg(node); // itself first: what is chosen by it is all that it holds
        for (const SubgraphId s : section->second.subgraphs)
            keys << keyOf(s);
        for (const OpId o : section->second.ops)
            keys << keyOf(o);
        return keys;
    }
    case GraphKey::Kind::Card:
        break;
    }
    for (const GraphBadge& badge : n.badges)
        keys << keyOf(badge.subgraph);
    if (const auto s = subgraphOf(model, node); s && !keys.contains(keyOf(*s)))
        keys << keyOf(*s);
    return keys;
}

QPolygonF outlineOf(const GraphHull& hull, const Viewport& viewport)
{
    QPolygonF out;
    for (const QPointF& p : hull.path.toFillPolygon()) {
        const QPointF at = viewport.toScreen(p);
        if (out.isEmpty() || QLineF(out.back(), at).length() >= kOutlineStep)
            out << at;
    }
    return out;
}

void addLine(const GraphModel& model, std::size_t e, const Viewport& viewport, const QString& tooltip,
             std::vector<PicturePart>& parts)
{
    const GraphEdge& edge = model.edges[e];
    QStringList keys{keyOf(edge.tensor)};
    for (const TensorId t : edge.bundle)
        if (t != edge.tensor)
            keys << keyOf(t);
    for (const QPolygonF& piece : edge.path.toSubpathPolygons())
        for (qsizetype i = 0; i + 1 < piece.size(); ++i) {
            const QPointF a = viewport.toScreen(piece[i]);
            const QPointF b = viewport.toScreen(piece[i + 1]);
            if (QLineF(a, b).length() < kShortest)
                continue;
            PicturePart part{
                QRectF(a, b).normalized().adjusted(-kLineReach, -kLineReach, kLineReach, kLineReach), keys,
                tooltip};
            // Upright and level lines are boxes; others a band along the line.
            if (std::min(std::abs(a.x() - b.x()), std::abs(a.y() - b.y())) > kLineReach) {
                QLineF across(a, b);
                across = across.normalVector();
                across.setLength(kLineReach);
                const QPointF aside = across.p2() - across.p1();
                part.outline = QPolygonF{a + aside, b + aside, b - aside, a - aside};
            }
            parts.push_back(std::move(part));
        }
}

} // namespace

std::vector<PicturePart> graphParts(const GraphModel& model, const Viewport& viewport,
                                    const std::function<QString(const GraphHit&)>& tooltip)
{
    std::vector<PicturePart> parts;
    for (std::size_t v = 0; v < model.nodes.size(); ++v)
        if (!model.nodes[v].rect.isEmpty())
            parts.push_back(
                {viewport.toScreen(model.nodes[v].rect), keysOfNode(model, v), tooltip(hitOfNode(model, v))});
    std::vector<const GraphHull*> hulls;
    for (const GraphHull& hull : model.hulls)
        if (!hull.collapsed && !hull.bounds.isEmpty())
            hulls.push_back(&hull);
    const auto ofSubgraph = [&](const GraphHull& hull) {
        GraphHit hit;
        hit.subgraph = hull.subgraph;
        return tooltip(hit);
    };
    for (const GraphHull* hull : hulls)
        parts.push_back(
            {viewport.toScreen(tabRect(model, *hull)), {keyOf(hull->subgraph)}, ofSubgraph(*hull)});
    for (std::size_t e = 0; e < model.edges.size(); ++e) {
        GraphHit hit;
        hit.line = e;
        hit.tensor = model.edges[e].tensor;
        addLine(model, e, viewport, tooltip(hit), parts);
    }
    // The smallest area that contains a point is meant.
    std::stable_sort(hulls.begin(), hulls.end(), [](const GraphHull* a, const GraphHull* b) {
        return a->bounds.width() * a->bounds.height() < b->bounds.width() * b->bounds.height();
    });
    for (const GraphHull* hull : hulls) {
        PicturePart part{
            viewport.toScreen(hull->path.boundingRect()), {keyOf(hull->subgraph)}, ofSubgraph(*hull)};
        if (!hull->isBox)
            part.outline = outlineOf(*hull, viewport);
        parts.push_back(std::move(part));
    }
    return parts;
}

} // namespace tilewright::ui
