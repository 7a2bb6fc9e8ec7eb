// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/graph/graph_hit.h"

#include "views/graph/graph_paint.h"

#include <QLineF>

#include <algorithm>
#include <cmath>
#include <limits>

namespace tilewright::ui {

QPainterPath curve(const LayoutRoute& route)
{
    QPainterPath path;
    if (route.empty())
        return path;
    path.reserve(static_cast<int>(route.size()));
    path.moveTo(toPoint(route.front()));
    for (std::size_t i = 0; i + 3 < route.size(); i += 3)
        path.cubicTo(toPoint(route[i + 1]), toPoint(route[i + 2]), toPoint(route[i + 3]));
    return path;
}

QPainterPath roundedPolygon(const std::vector<LayoutPoint>& polygon, double radius)
{
    QPainterPath path;
    const std::size_t n = polygon.size();
    if (n < 3)
        return path;
    path.reserve(static_cast<int>(4 * n + 2));
    for (std::size_t i = 0; i < n; ++i) {
        const QPointF before = toPoint(polygon[(i + n - 1) % n]);
        const QPointF corner = toPoint(polygon[i]);
        const QPointF after = toPoint(polygon[(i + 1) % n]);
        const QLineF in(corner, before), out(corner, after);
        const double r = std::min({radius, in.length() / 2, out.length() / 2});
        const QPointF start = in.length() > 0 ? in.pointAt(r / in.length()) : corner;
        const QPointF end = out.length() > 0 ? out.pointAt(r / out.length()) : corner;
        if (i == 0)
            path.moveTo(start);
        else
            path.lineTo(start);
        path.quadTo(corner, end);
    }
    path.closeSubpath();
    return path;
}

bool isBox(const std::vector<LayoutPoint>& polygon)
{
    if (polygon.size() < 4)
        return false;
    // Area of the polygon, compared with the area of its bounding box: both are equal for a rectangle.
    double doubled = 0, left = polygon[0].x, right = left, top = polygon[0].y, bottom = top;
    for (std::size_t i = 0; i < polygon.size(); ++i) {
        const LayoutPoint& a = polygon[i];
        const LayoutPoint& b = polygon[(i + 1) % polygon.size()];
        doubled += a.x * b.y - b.x * a.y;
        left = std::min(left, a.x);
        right = std::max(right, a.x);
        top = std::min(top, a.y);
        bottom = std::max(bottom, a.y);
    }
    const double area = (right - left) * (bottom - top);
    return area > 0 && std::abs(doubled) / 2 >= area * (1 - 1e-9);
}

QRectF upperEdge(const std::vector<LayoutPoint>& polygon)
{
    const auto first =
        std::min_element(polygon.begin(), polygon.end(), [](const LayoutPoint& a, const LayoutPoint& b) {
            return a.y != b.y ? a.y < b.y : a.x < b.x;
        });
    double right = first->x;
    for (const LayoutPoint& p : polygon)
        if (p.y == first->y)
            right = std::max(right, p.x);
    return {first->x, first->y, right - first->x, 0};
}

QPainterPath matMulShape(const QRectF& rect)
{
    const double cut = std::min(rect.height(), rect.width()) * 0.3;
    constexpr double r = 3;
    QPainterPath path;
    path.moveTo(rect.left() + r, rect.top());
    path.lineTo(rect.right() - cut, rect.top());
    path.lineTo(rect.right(), rect.top() + cut);
    path.lineTo(rect.right(), rect.bottom() - r);
    path.quadTo(rect.bottomRight(), {rect.right() - r, rect.bottom()});
    path.lineTo(rect.left() + r, rect.bottom());
    path.quadTo(rect.bottomLeft(), {rect.left(), rect.bottom() - r});
    path.lineTo(rect.left(), rect.top() + r);
    path.quadTo(rect.topLeft(), {rect.left() + r, rect.top()});
    path.closeSubpath();
    return path;
}

QPainterPath pointwiseShape(const QRectF& rect)
{
    QPainterPath path;
    const double r = std::min(rect.height(), rect.width()) / 2;
    path.addRoundedRect(rect, r, r);
    return path;
}

QPainterPath inputShape(const QRectF& rect)
{
    const double slant = std::min(rect.height() * 0.42, rect.width() / 4);
    QPainterPath path;
    path.addPolygon(QPolygonF{rect.topLeft(),
                              rect.topRight(),
                              {rect.right() - slant, rect.bottom()},
                              {rect.left() + slant, rect.bottom()}});
    path.closeSubpath();
    return path;
}

QPainterPath outputShape(const QRectF& rect)
{
    const double slant = std::min(rect.height() * 0.42, rect.width() / 4);
    QPainterPath path;
    path.addPolygon(QPolygonF{{rect.left() + slant, rect.top()},
                              {rect.right() - slant, rect.top()},
                              rect.bottomRight(),
                              rect.bottomLeft()});
    path.closeSubpath();
    return path;
}

QPainterPath cardShape(const QRectF& rect)
{
    QPainterPath path;
    path.addRoundedRect(rect, 8, 8);
    return path;
}

QPainterPath nodeShape(const GraphNode& node)
{
    switch (node.key.kind) {
    case GraphKey::Kind::Input:
        return inputShape(node.rect);
    case GraphKey::Kind::Output:
        return outputShape(node.rect);
    case GraphKey::Kind::Card:
    case GraphKey::Kind::Section:
        return cardShape(node.rect);
    case GraphKey::Kind::Op:
        break;
    }
    return node.type == OpType::MatMul ? matMulShape(node.rect) : pointwiseShape(node.rect);
}

QPainterPath recomputeSign(const QRectF& rect)
{
    QPainterPath path;
    // Clockwise, with the arrow head at the end.
    path.arcMoveTo(rect, 20);
    path.arcTo(rect, 20, -290);
    const QPointF tip = path.currentPosition();
    const double h = rect.width() * 0.36;
    path.moveTo(tip + QPointF(-h, -h * 0.75));
    path.lineTo(tip);
    path.lineTo(tip + QPointF(-h * 0.75, h));
    return path;
}

namespace {

constexpr double kCell = 128;

template <typename F> void forCells(const QRectF& rect, F&& f)
{
    const int x1 = static_cast<int>(std::floor(rect.right() / kCell));
    const int y1 = static_cast<int>(std::floor(rect.bottom() / kCell));
    for (int x = static_cast<int>(std::floor(rect.left() / kCell)); x <= x1; ++x)
        for (int y = static_cast<int>(std::floor(rect.top() / kCell)); y <= y1; ++y)
            f((static_cast<quint64>(static_cast<quint32>(x)) << 32) | static_cast<quint32>(y));
}

} // namespace

void LabelPlacer::take(const QRectF& rect)
{
    forCells(rect, [&](quint64 cell) { m_cells[cell].push_back(rect); });
}

bool LabelPlacer::isFree(const QRectF& rect) const
{
    bool free = true;
    forCells(rect, [&](quint64 cell) {
        const auto it = m_cells.constFind(cell);
        if (it != m_cells.cend())
            free = free && std::none_of(it->begin(), it->end(),
                                        [&](const QRectF& other) { return other.intersects(rect); });
    });
    return free;
}

QRectF LabelPlacer::around(const LayoutRoute& route, const QSizeF& size, double at)
{
    // The curve may be followed by a short straight segment into the node.
    std::size_t first = route.size() - 4;
    if (first >= 3 &&
        std::abs(route[first].y - route[first + 3].y) < std::abs(route[first - 3].y - route[first].y))
        first -= 3;
    const double u = 1 - at;
    const QPointF p = u * u * u * toPoint(route[first]) + 3 * u * u * at * toPoint(route[first + 1]) +
                      3 * u * at * at * toPoint(route[first + 2]) + at * at * at * toPoint(route[first + 3]);
    return {p.x() - size.width() / 2, p.y() - size.height() / 2, size.width(), size.height()};
}

std::optional<QRectF> LabelPlacer::place(const LayoutRoute& route, const QSizeF& size,
                                         std::initializer_list<double> at)
{
    for (const double t : at)
        if (const QRectF rect = around(route, size, t); isFree(rect)) {
            take(rect);
            return rect;
        }
    return std::nullopt;
}

namespace {

constexpr double kHandPixels = 6; // maximum distance in pixels at which a line is hit

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

/// Returns the smallest subgraph area that contains the point.
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

/// True if the area has a tab: not for cards, and not for subgraphs that the neighbourhood filter hides.
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
    // The zoom follows from the tolerance, which is a fixed number of pixels in scene units.
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
