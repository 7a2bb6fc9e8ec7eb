// SPDX-License-Identifier: GPL-3.0-or-later
#include "theme/text.h"
#include "theme/text_metrics.h"
#include "views/npu/npu_graph_view.h"
#include "views/npu/npu_text.h"

#include <QPainter>
#include <QPainterPath>

#include <algorithm>
#include <cmath>

namespace tilewright::ui {

namespace {

constexpr double kLargestText = 3; ///< largest zoom up to which titles grow with the zoom

QColor stateFill(NodeState state, const Theme& theme)
{
    switch (state) {
    case NodeState::Blocked:
        return Theme::mix(theme.raised, theme.muted, 0.28);
    case NodeState::Ready:
        return theme.category(6);
    case NodeState::Loading:
        return theme.loadTime;
    case NodeState::Running:
        return theme.computeTime;
    case NodeState::Done:
        return Theme::mix(theme.canvas, theme.category(1), 0.75);
    }
    return theme.canvas;
}

/// Returns a letter for each state, so that states can be recognised without colour.
QString stateLetter(NodeState state)
{
    switch (state) {
    case NodeState::Blocked:
        return {};
    case NodeState::Ready:
        return QStringLiteral("?");
    case NodeState::Loading:
        return QStringLiteral("L");
    case NodeState::Running:
        return QStringLiteral("R");
    case NodeState::Done:
        return QStringLiteral("✓");
    }
    return {};
}

QColor classColour(NpuGraphColour colour, std::size_t index, const Theme& theme)
{
    switch (colour) {
    case NpuGraphColour::Core:
        return theme.category(index);
    case NpuGraphColour::State:
        return stateFill(static_cast<NodeState>(index), theme);
    case NpuGraphColour::Criticality:
        return index == 1 ? theme.error : Theme::mix(theme.canvas, theme.muted, 0.25);
    }
    return theme.canvas;
}

QPainterPath pathOf(const LayoutRoute& route)
{
    QPainterPath path;
    if (route.empty())
        return path;
    const auto p = [](const LayoutPoint& q) { return QPointF(q.x, q.y); };
    path.moveTo(p(route[0]));
    for (std::size_t i = 1; i + 2 < route.size(); i += 3)
        path.cubicTo(p(route[i]), p(route[i + 1]), p(route[i + 2]));
    return path;
}

void arrowHead(QPainter& painter, const LayoutRoute& route, const QColor& colour)
{
    const LayoutPoint& tip = route.back();
    const LayoutPoint& before = route[route.size() - 2];
    const double a = std::atan2(tip.y - before.y, tip.x - before.x);
    const QPointF t(tip.x, tip.y);
    const auto wing = [&](double turn) { return t - QPointF(std::cos(a + turn), std::sin(a + turn)) * 7; };
    painter.setPen(Qt::NoPen);
    painter.setBrush(colour);
    painter.drawPolygon(QPolygonF{t, wing(0.42), wing(-0.42)});
}

void paintClosed(QPainter& painter, const NpuGraphModel& m, const NpuGraphGroup& g,
                 const NpuGraphPicture& picture, const Theme& theme)
{
    const QRectF bar = npuGroupBar(g);
    const auto counts = classCounts(m, g, picture.colour, picture.time);
    double x = bar.left();
    painter.setPen(Qt::NoPen);
    for (std::size_t i = 0; i < counts.size(); ++i) {
        const double w = bar.width() * static_cast<double>(counts[i]) / static_cast<double>(g.nodes.size());
        painter.fillRect(QRectF(x, bar.top(), w, bar.height()), classColour(picture.colour, i, theme));
        x += w;
    }
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(theme.outline, 1));
    painter.drawRect(bar);
}

/// Paints the nodes of a closed group in its bar, if they are large enough to distinguish.
void paintBarCells(QPainter& painter, const NpuGraphModel& m, const NpuGraphGroup& g,
                   const NpuGraphPicture& picture, const QRectF& visible, const Theme& theme)
{
    const NpuResult& r = *m.result;
    const QRectF first = npuBarCell(g, 0);
    const double gap = 0.12 * std::min(first.width(), first.height());
    for (std::size_t i = 0; i < g.nodes.size(); ++i) {
        const QRectF cell = npuBarCell(g, i);
        if (!visible.intersects(cell))
            continue;
        QColor colour = npuCellColour(r, g.nodes[i], picture, theme);
        if (picture.found && !picture.found->nodes[g.nodes[i]])
            colour = Theme::mix(theme.raised, colour, 0.25);
        const QRectF fill = cell.adjusted(gap / 2, gap / 2, -gap / 2, -gap / 2);
        painter.fillRect(fill, colour);
        if (r.isCritical[g.nodes[i]]) {
            painter.setBrush(Qt::NoBrush);
            painter.setPen(QPen(theme.error, gap));
            painter.drawRect(fill);
        }
    }
}

void paintCells(QPainter& painter, const NpuGraphModel& m, const NpuGraphGroup& g,
                const NpuGraphPicture& picture, const QRectF& visible, double scale, const Theme& theme)
{
    const NpuResult& r = *m.result;
    const npu::NpuGraph& graph = *r.graph;
    const bool letters = g.cell * scale >= 14;
    painter.setFont(uiFont(0.75));
    QFont font = painter.font();
    font.setPointSizeF(font.pointSizeF() / std::max(1.0, scale));
    for (std::size_t i = 0; i < g.nodes.size(); ++i) {
        const std::uint32_t n = g.nodes[i];
        const QRectF cell = m.cellOf(n);
        if (!visible.intersects(cell))
            continue;
        // Cells of the nodes of a chain touch; there is a gap between chains.
        const bool joins = i + 1 < g.nodes.size() && graph.nodes[g.nodes[i + 1]].unit == graph.nodes[n].unit;
        const double gap = g.cell >= 10 ? 1.5 : 0.7;
        const QRectF fill = cell.adjusted(0, gap / 2, joins ? -0.4 : -gap * 1.6, -gap / 2);
        QColor colour = npuCellColour(r, n, picture, theme);
        if (picture.found && !picture.found->nodes[n])
            colour = Theme::mix(theme.raised, colour, 0.25);
        painter.fillRect(fill, colour);
        if (letters) {
            QString text;
            if (picture.colour == NpuGraphColour::Core)
                text = QString::number(r.run->coreOf[n]);
            else if (picture.colour == NpuGraphColour::State)
                text = stateLetter(nodeStateAt(r, n, picture.time));
            if (!text.isEmpty()) {
                painter.setPen(theme.inkOn(colour));
                painter.drawText(fill, Qt::AlignCenter, text);
            }
        }
        if (r.isCritical[n]) {
            painter.setBrush(Qt::NoBrush);
            painter.setPen(QPen(theme.error, g.cell >= 10 ? 2 : 1));
            painter.drawRect(fill.adjusted(1, 1, -1, -1));
        }
    }
}

/// Paints curves from the predecessors of a node to it, and from it to its successors.
void paintDependencies(QPainter& painter, const NpuGraphModel& m, std::uint32_t node, const Theme& theme)
{
    constexpr std::size_t kMost = 300; // maximum number of curves; more could not be distinguished
    const npu::NpuGraph& graph = *m.result->graph;
    const QRectF here = m.cellOf(node);
    const auto draw = [&](std::span<const std::uint32_t> others, bool incoming) {
        // Positions of closed groups that have a curve, because each gets only one.
        std::set<std::pair<double, double>> drawn;
        std::size_t count = 0;
        painter.setPen(
            QPen(incoming ? theme.accent : theme.warning, 1.6, incoming ? Qt::SolidLine : Qt::DashLine));
        painter.setBrush(Qt::NoBrush);
        for (const std::uint32_t o : others) {
            const QRectF there = m.cellOf(o);
            if (there == here || !drawn.emplace(there.left(), there.top()).second || ++count > kMost)
                continue;
            const QPointF a = incoming ? there.center() : here.center();
            const QPointF b = incoming ? here.center() : there.center();
            QPainterPath path(a);
            const double bend = std::max(14.0, std::abs(b.y() - a.y()) * 0.4);
            path.cubicTo(a + QPointF(0, bend), b - QPointF(0, bend), b);
            painter.drawPath(path);
        }
    };
    draw(graph.deps.of(node), true);
    draw(graph.successors.of(node), false);
}

} // namespace

QColor npuCellColour(const NpuResult& r, std::uint32_t node, const NpuGraphPicture& picture,
                     const Theme& theme)
{
    switch (picture.colour) {
    case NpuGraphColour::Core:
        return theme.category(r.run->coreOf[node]);
    case NpuGraphColour::State:
        return stateFill(nodeStateAt(r, node, picture.time), theme);
    case NpuGraphColour::Criticality: {
        // Length of the longest path through the node as a share of the critical path.
        const double most =
            static_cast<double>(r.critical.empty() ? 1 : std::max<npu::Cycle>(1, r.cp[r.critical.front()]));
        return theme.ramp(0.1 + 0.9 * static_cast<double>(r.cp[node]) / most);
    }
    }
    return theme.canvas;
}

std::vector<ChartKey> npuGraphKeys(const NpuGraphModel& m, const NpuGraphPicture& picture, const Theme& theme)
{
    std::vector<ChartKey> keys;
    const NpuResult& r = *m.result;
    switch (picture.colour) {
    case NpuGraphColour::Core:
        for (std::size_t c = 0; c < r.run->cores.size(); ++c)
            keys.push_back(patchKey(tr("core %1").arg(c), theme.category(c), theme));
        break;
    case NpuGraphColour::State: {
        std::array<std::int64_t, 5> counts{};
        for (std::uint32_t n = 0; n < r.graph->nodes.size(); ++n)
            ++counts[static_cast<std::size_t>(nodeStateAt(r, n, picture.time))];
        for (std::size_t s = 0; s < 5; ++s) {
            const auto state = static_cast<NodeState>(s);
            keys.push_back(patchKey(QStringLiteral("%1 %2 %3")
                                        .arg(stateLetter(state), nodeStateName(state), number(counts[s]))
                                        .trimmed(),
                                    stateFill(state, theme), theme));
        }
        keys.push_back({tr("at cycle %1").arg(number(picture.time))});
        break;
    }
    case NpuGraphColour::Criticality:
        keys.push_back(patchKey(tr("near the end"), theme.ramp(0.1), theme));
        keys.push_back(patchKey(
            tr("%1 to go")
                .arg(counted(r.critical.empty() ? 0 : r.cp[r.critical.front()], tr("cycle"), tr("cycles"))),
            theme.ramp(1.0), theme));
        break;
    }
    keys.push_back({tr("critical path: %1")
                        .arg(counted(static_cast<std::int64_t>(r.critical.size()), tr("node"), tr("nodes"))),
                    [colour = theme.error](QPainter& painter, const QRectF& box) {
                        painter.setBrush(Qt::NoBrush);
                        painter.setPen(QPen(colour, 2));
                        painter.drawRect(box);
                    }});
    return keys;
}

void paintNpuGraph(QPainter& painter, const NpuGraphModel& m, const QRectF& area, const Viewport& viewport,
                   const NpuGraphPicture& picture, const Theme& theme)
{
    painter.save();
    painter.setClipRect(area, Qt::IntersectClip);
    painter.setTransform(viewport.transform(), true);
    const QRectF visible = viewport.toScene(area);
    const double opacity = painter.opacity();
    for (const bool critical : {false, true})
        for (const NpuGraphLink& link : m.links) {
            if (link.critical != critical || link.route.size() < 4)
                continue;
            const QColor colour = critical ? theme.error : theme.outline;
            // The width of a link grows with the number of its dependencies.
            const double width =
                critical ? 2.6 : std::min(3.0, 0.9 + 0.25 * std::log2(static_cast<double>(link.edges)));
            painter.setPen(QPen(colour, width));
            painter.setBrush(Qt::NoBrush);
            painter.drawPath(pathOf(link.route));
            arrowHead(painter, link.route, colour);
        }
    for (std::size_t i = 0; i < m.groups.size(); ++i) {
        const NpuGraphGroup& g = m.groups[i];
        if (!visible.intersects(g.rect))
            continue;
        painter.setOpacity(picture.found && !picture.found->groups[i] ? 0.35 * opacity : opacity);
        painter.setBrush(theme.raised);
        painter.setPen(QPen(picture.group == i ? theme.accent : theme.outline, picture.group == i ? 2 : 1));
        painter.drawRoundedRect(g.rect, 5, 5);
        if (g.critical > 0) // a band on the left marks groups on the critical path
            painter.fillRect(QRectF(g.rect.left() + 1, g.rect.top() + 5, 4, g.rect.height() - 10),
                             theme.error);
        // At low zoom titles keep a readable size; their details are left out first.
        const double zoom = viewport.scale;
        const QRectF text = g.rect.adjusted(9, 5, -8, 0);
        QFont title = uiFont(0.95, QFont::DemiBold);
        if (zoom < 0.8)
            title.setPointSizeF(uiFont(0.8).pointSizeF() / zoom);
        else if (zoom > kLargestText) // beyond this zoom titles do not grow
            title.setPointSizeF(title.pointSizeF() * kLargestText / zoom);
        const QFontMetricsF fm(title);
        const QString sign = g.open ? QStringLiteral("▾ ") : QStringLiteral("▸ ");
        const QString name = sign + fittingName(g.name, fm, text.width() - fm.horizontalAdvance(sign));
        if (fm.ascent() < npuGroupTitleHeight() && name.size() >= 3) {
            painter.setFont(title);
            painter.setPen(theme.text);
            painter.drawText(
                QPointF(text.left(),
                        zoom < 0.8 ? g.rect.top() + (npuGroupTitleHeight() + fm.ascent() - fm.descent()) / 2
                                   : text.top() + fm.ascent()),
                name);
        }
        QFont detail = uiFont(0.85);
        if (zoom > kLargestText)
            detail.setPointSizeF(detail.pointSizeF() * kLargestText / zoom);
        if (zoom >= 0.8)
            writeLine(painter, text.topLeft() + QPointF(0, fm.height()), text.width(), g.detail, detail,
                      theme.muted);
        if (g.open)
            paintCells(painter, m, g, picture, visible, viewport.scale, theme);
        else if (barShowsNodes(g, viewport.scale))
            paintBarCells(painter, m, g, picture, visible, theme);
        else
            paintClosed(painter, m, g, picture, theme);
    }
    painter.setOpacity(opacity);
    for (const auto& node : {picture.hoverNode, picture.node})
        if (node && *node < m.groupOf.size()) {
            paintDependencies(painter, m, *node, theme);
            painter.setBrush(Qt::NoBrush);
            const double thin = std::max(1.0, viewport.scale / kLargestText);
            painter.setPen(QPen(theme.accent, 3 / thin));
            painter.drawRect(
                m.cellOf(*node, viewport.scale).adjusted(-1 / thin, -1 / thin, 1 / thin, 1 / thin));
        }
    painter.restore();
}

} // namespace tilewright::ui
