// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/graph/graph_rearrange.h"

#include <QPolygonF>
#include <QRectF>

#include <algorithm>
#include <map>
#include <tuple>

namespace tilewright::ui {

namespace {

using Offsets = std::vector<LayoutPoint>; // displacement of each node

Offsets offsetsOf(const GraphGeometry& geometry, const GraphNudges& nudges)
{
    Offsets by(geometry.keys.size());
    for (std::size_t v = 0; v < by.size(); ++v) {
        const QPointF moved = nudges.value(nudgeName(geometry.keys[v], geometry.shape.leftToRight));
        by[v] = {moved.x(), moved.y()};
    }
    return by;
}

LayoutPoint plus(LayoutPoint p, LayoutPoint by, double share = 1)
{
    return {p.x + share * by.x, p.y + share * by.y};
}

/// Moves the ends of a route with their nodes, and bends the points between them.
void bend(LayoutRoute& route, LayoutPoint from, LayoutPoint to)
{
    const double last = static_cast<double>(route.size()) - 1;
    for (std::size_t i = 0; i < route.size(); ++i) {
        // The first and the last segment keep their direction, because they enter the node.
        const double along = std::clamp((static_cast<double>(i) - 1) / std::max(1.0, last - 2), 0.0, 1.0);
        route[i] = plus(plus(route[i], from, 1 - along), to, along);
    }
}

std::vector<LayoutPoint> corners(const LayoutRect& r, double padding)
{
    const double left = r.x - padding, right = r.right() + padding;
    const double top = r.y - padding, bottom = r.bottom() + padding;
    return {{right, top}, {right, bottom}, {left, bottom}, {left, top}}; // corners in clockwise order
}

/// Convex hull of the points, clockwise on the screen.
std::vector<LayoutPoint> hullOf(std::vector<LayoutPoint> points)
{
    std::ranges::sort(points,
                      [](LayoutPoint a, LayoutPoint b) { return a.x != b.x ? a.x < b.x : a.y < b.y; });
    std::vector<LayoutPoint> hull;
    const auto addSide = [&](auto first, auto last) {
        const std::size_t start = hull.size();
        for (auto p = first; p != last; ++p) {
            const auto turnsAway = [&] {
                const LayoutPoint a = hull[hull.size() - 2], b = hull.back();
                return (b.x - a.x) * (p->y - a.y) - (b.y - a.y) * (p->x - a.x) <= 0;
            };
            while (hull.size() >= start + 2 && turnsAway())
                hull.pop_back();
            hull.push_back(*p);
        }
        hull.pop_back();
    };
    addSide(points.begin(), points.end());
    addSide(points.rbegin(), points.rend());
    return hull;
}

bool covers(const std::vector<LayoutPoint>& outline, const LayoutRect& rect)
{
    QPolygonF polygon;
    for (const LayoutPoint& p : outline)
        polygon << QPointF(p.x, p.y);
    return polygon.intersects(QPolygonF(QRectF(rect.x, rect.y, rect.width, rect.height)));
}

LayoutRect around(const std::vector<std::vector<LayoutPoint>>& outlines)
{
    LayoutPoint low = outlines.front().front(), high = low;
    for (const auto& outline : outlines)
        for (const LayoutPoint& p : outline) {
            low = {std::min(low.x, p.x), std::min(low.y, p.y)};
            high = {std::max(high.x, p.x), std::max(high.y, p.y)};
        }
    return {low.x, low.y, high.x - low.x, high.y - low.y};
}

/// Redraws an area whose nodes have moved. If all moved alike, the area is shifted; otherwise it becomes one
/// hull around all nodes if this covers no other node, or else one hull per node.
void redrawArea(LayoutGroup& group, int which, const GraphGeometry& geometry, const Offsets& by)
{
    std::vector<std::size_t> nodes;
    for (std::size_t v = 0; v < geometry.keys.size(); ++v)
        if (geometry.groupOf[v] == which)
            nodes.push_back(v);
    if (group.outlines.empty() ||
        std::ranges::all_of(nodes, [&](std::size_t v) { return by[v] == LayoutPoint{}; }))
        return;
    if (std::ranges::all_of(nodes, [&](std::size_t v) { return by[v] == by[nodes.front()]; })) {
        for (auto& outline : group.outlines)
            for (LayoutPoint& p : outline)
                p = plus(p, by[nodes.front()]);
    } else {
        std::vector<std::vector<LayoutPoint>> each;
        std::vector<LayoutPoint> all;
        for (const std::size_t v : nodes) {
            each.push_back(corners(geometry.layout.nodes[v], geometry.metrics.padding()));
            all.insert(all.end(), each.back().begin(), each.back().end());
        }
        std::vector<LayoutPoint> hull = hullOf(std::move(all));
        bool isFree = true;
        for (std::size_t v = 0; v < geometry.keys.size() && isFree; ++v)
            isFree = geometry.groupOf[v] == which || !covers(hull, geometry.layout.nodes[v]);
        if (isFree)
            each = {std::move(hull)};
        group.outlines = std::move(each);
    }
    group.bounds = around(group.outlines);
}

} // namespace

QString nudgeName(const GraphKey& key, bool leftToRight)
{
    static constexpr const char* kKinds[] = {"op", "input", "output", "card", "section"};
    return QStringLiteral("%1 %2%3")
        .arg(QLatin1String(kKinds[static_cast<std::size_t>(key.kind)]))
        .arg(key.id)
        .arg(leftToRight ? QStringLiteral(" across") : QString());
}

std::shared_ptr<const GraphGeometry> nudged(const std::shared_ptr<const GraphGeometry>& arranged,
                                            const GraphNudges& nudges)
{
    if (!arranged || nudges.isEmpty())
        return arranged;
    const Offsets by = offsetsOf(*arranged, nudges);
    if (std::ranges::all_of(by, [](const LayoutPoint& p) { return p == LayoutPoint{}; }))
        return arranged;
    auto out = std::make_shared<GraphGeometry>(*arranged);
    LayoutResult& layout = out->layout;
    for (std::size_t v = 0; v < by.size(); ++v) {
        layout.nodes[v].x += by[v].x;
        layout.nodes[v].y += by[v].y;
    }
    for (std::size_t e = 0; e < layout.edges.size(); ++e) {
        const LayoutPoint from = by[out->edges[e].from], to = by[out->edges[e].to];
        if (!(from == LayoutPoint{}) || !(to == LayoutPoint{}))
            bend(layout.edges[e], from, to);
    }
    for (std::size_t g = 0; g < layout.groups.size(); ++g)
        redrawArea(layout.groups[g], static_cast<int>(g), *out, by);
    QRectF bounds(layout.bounds.x, layout.bounds.y, layout.bounds.width, layout.bounds.height);
    for (const LayoutRect& r : layout.nodes)
        bounds |= QRectF(r.x, r.y, r.width, r.height);
    for (const LayoutGroup& g : layout.groups)
        bounds |= QRectF(g.bounds.x, g.bounds.y, g.bounds.width, g.bounds.height);
    layout.bounds = {bounds.x(), bounds.y(), bounds.width(), bounds.height()};
    placeSlabs(*out);
    return out;
}

GraphNudges movedOn(GraphNudges nudges, const std::vector<GraphKey>& nodes, bool leftToRight, QPointF by)
{
    for (const GraphKey& key : nodes) {
        const QString name = nudgeName(key, leftToRight);
        const QPointF now = nudges.value(name) + by;
        if (now.isNull())
            nudges.remove(name);
        else
            nudges.insert(name, now);
    }
    return nudges;
}

namespace {

std::vector<LayoutPoint> rectangle(const LayoutRect& r, double padding)
{
    const double left = r.x - padding, right = r.right() + padding;
    const double top = r.y - padding, bottom = r.bottom() + padding;
    return {{right, top}, {right, bottom}, {left, bottom}, {left, top}}; // corners in clockwise order
}

LayoutRect boundsOf(const LayoutGroup& group)
{
    if (group.outlines.empty())
        return {};
    LayoutPoint low = group.outlines.front().front(), high = low;
    for (const auto& outline : group.outlines)
        for (const LayoutPoint& p : outline) {
            low = {std::min(low.x, p.x), std::min(low.y, p.y)};
            high = {std::max(high.x, p.x), std::max(high.y, p.y)};
        }
    return {low.x, low.y, high.x - low.x, high.y - low.y};
}

} // namespace

std::shared_ptr<const GraphGeometry> regrouped(const GraphGeometry& before, const Schedule& schedule)
{
    const auto isCard = [](const GraphKey& key) {
        return key.kind != GraphKey::Kind::Op && key.kind != GraphKey::Kind::Input &&
               key.kind != GraphKey::Kind::Output;
    };
    if (std::any_of(before.keys.begin(), before.keys.end(), isCard))
        return nullptr;
    auto out = std::make_shared<GraphGeometry>(before);
    out->provisional = true;
    out->members.clear();
    std::fill(out->groupOf.begin(), out->groupOf.end(), -1);
    for (std::size_t s = 0; s < schedule.size(); ++s) {
        const std::vector<OpId>& ops = schedule.subgraphs[s]->ops;
        out->members.push_back(ops);
        for (OpId op : ops) // a recomputed op is placed in the first of its subgraphs
            if (const auto v = before.nodeOf(op); v && out->groupOf[*v] < 0)
                out->groupOf[*v] = static_cast<int>(s);
    }

    // Maps each old area to the new area of its nodes. If its nodes are in several new areas, the old area is
    // dissolved.
    std::vector<std::optional<int>> becomes(before.members.size());
    std::vector<char> dissolved(before.members.size(), 0);
    for (std::size_t v = 0; v < before.keys.size(); ++v) {
        if (before.groupOf[v] < 0)
            continue;
        const auto old = static_cast<std::size_t>(before.groupOf[v]);
        const int now = out->groupOf[v];
        dissolved[old] |= now < 0 || (becomes[old] && *becomes[old] != now) ? 1 : 0;
        becomes[old] = now;
    }
    std::vector<LayoutGroup> groups(schedule.size());
    for (std::size_t old = 0; old < before.members.size() && old < before.layout.groups.size(); ++old)
        if (becomes[old] && !dissolved[old]) {
            auto& outlines = groups[static_cast<std::size_t>(*becomes[old])].outlines;
            const auto& kept = before.layout.groups[old].outlines;
            outlines.insert(outlines.end(), kept.begin(), kept.end());
        }
    for (std::size_t v = 0; v < before.keys.size(); ++v) {
        const int now = out->groupOf[v];
        const bool covered =
            before.groupOf[v] >= 0 && !dissolved[static_cast<std::size_t>(before.groupOf[v])];
        if (now >= 0 && !covered)
            groups[static_cast<std::size_t>(now)].outlines.push_back(
                rectangle(before.layout.nodes[v], before.metrics.padding()));
    }
    for (LayoutGroup& group : groups)
        group.bounds = boundsOf(group);
    out->layout.groups = std::move(groups);
    return out;
}

namespace {

QPointF mixed(QPointF a, QPointF b, double t)
{
    return a + (b - a) * t;
}

/// Interpolates two paths point by point if they have the same structure; otherwise returns the new path.
QPainterPath mixed(const QPainterPath& a, const QPainterPath& b, double t)
{
    if (a.elementCount() != b.elementCount() || a == b)
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

/// Returns the corners of a line, which are the joints of its curves.
std::vector<QPointF> cornersOf(const QPainterPath& path)
{
    std::vector<QPointF> out;
    for (int i = 0; i < path.elementCount(); ++i) {
        if (path.elementAt(i).isCurveTo())
            i += 2; // skip two control points and the end of the curve
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

    // Lines bend with their nodes. During the transition each line paints all of its path, including parts
    // that it shares with other lines.
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
    for (std::size_t s = 0; s < from.hulls.size(); ++s)
        if (from.hulls[s].isDrawn())
            areas.emplace(from.geometry->members[s], s);
    for (GraphHull& hull : out.hulls) {
        if (!hull.isDrawn())
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
