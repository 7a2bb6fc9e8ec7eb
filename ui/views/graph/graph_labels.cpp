// SPDX-License-Identifier: GPL-3.0-or-later
// The traffic written on the lines of the graph.
#include "theme/number.h"
#include "views/graph/graph_hit.h"
#include "views/graph/graph_model.h"
#include "views/graph/graph_shapes.h"

#include <QCoreApplication>
#include <QHash>

#include <algorithm>
#include <cmath>
#include <set>

namespace tilewright::ui {

namespace {

/// Finds places for labels that cover neither nodes nor tabs nor other labels.
class Placer
{
public:
    explicit Placer(const GraphModel& model)
    {
        for (const GraphNode& node : model.nodes)
            add(node.rect.adjusted(-2, -2, 2, 2));
        for (const GraphHull& hull : model.hulls)
            if (!hull.collapsed && !hull.bounds.isEmpty())
                add(tabRect(model, hull));
    }

    /// Tries the given parts of the last curve of the route, which the line shares with no other.
    std::optional<QRectF> place(const LayoutRoute& route, const QSizeF& size,
                                std::initializer_list<double> at)
    {
        // A short straight piece may lead from the curve into the node.
        std::size_t first = route.size() - 4;
        if (first >= 3 &&
            std::abs(route[first].y - route[first + 3].y) < std::abs(route[first - 3].y - route[first].y))
            first -= 3;
        for (double t : at) {
            const double u = 1 - t;
            const QPointF p = u * u * u * toPoint(route[first]) + 3 * u * u * t * toPoint(route[first + 1]) +
                              3 * u * t * t * toPoint(route[first + 2]) +
                              t * t * t * toPoint(route[first + 3]);
            const QRectF rect(p.x() - size.width() / 2, p.y() - size.height() / 2, size.width(),
                              size.height());
            if (!isFree(rect))
                continue;
            add(rect);
            return rect;
        }
        return std::nullopt;
    }

private:
    static constexpr double kCell = 128;

    template <typename F> static void forCells(const QRectF& rect, F&& f)
    {
        const int x1 = static_cast<int>(std::floor(rect.right() / kCell));
        const int y1 = static_cast<int>(std::floor(rect.bottom() / kCell));
        for (int x = static_cast<int>(std::floor(rect.left() / kCell)); x <= x1; ++x)
            for (int y = static_cast<int>(std::floor(rect.top() / kCell)); y <= y1; ++y)
                f((static_cast<quint64>(static_cast<quint32>(x)) << 32) | static_cast<quint32>(y));
    }
    void add(const QRectF& rect)
    {
        forCells(rect, [&](quint64 cell) { m_cells[cell].push_back(rect); });
    }
    [[nodiscard]] bool isFree(const QRectF& rect) const
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

    QHash<quint64, std::vector<QRectF>> m_cells;
};

} // namespace

void labelEdges(GraphModel& model, const GraphTraffic& traffic)
{
    const GraphGeometry& geometry = *model.geometry;
    const Problem& problem = *model.snapshot->problem;
    Placer placer(model);
    std::set<std::pair<std::uint32_t, std::uint32_t>> told; // (subgraph, tensor): loaded once, told once
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
        // Stored by every subgraph that makes it, loaded by every one that runs the consumer.
        if (output)
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
        const auto rect = output ? placer.place(route, size, {0.5, 0.7, 0.3})
                                 : placer.place(route, size, {0.62, 0.75, 0.5, 0.85, 0.4});
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
