// SPDX-License-Identifier: GPL-3.0-or-later
// Subgraphs as areas with their tabs; lines, arrow heads and traffic labels.
#include "theme/icon.h"
#include "views/graph/graph_paint.h"

#include <QFontMetricsF>

#include <cmath>
#include <vector>

namespace tilewright::ui {

namespace {

constexpr double kSmallestTag =
    26; // length in screen pixels of the smallest side of an area that shows its number at low zoom

class HullPainting : public GraphPainting
{
public:
    explicit HullPainting(const GraphPainting& painting) : GraphPainting(painting) {}

    [[nodiscard]] bool isSelected(const GraphHull& hull) const
    {
        return m_marks.subgraphs.count(hull.subgraph) > 0;
    }

    /// True if a drop on this subgraph would be refused.
    [[nodiscard]] bool isRefused(const GraphHull& hull) const
    {
        const auto verdict = m_marks.verdicts.find(hull.subgraph);
        return verdict != m_marks.verdicts.end() && verdict->second.kind == GraphVerdict::Kind::Refused;
    }

    void paintHull(const GraphHull& hull)
    {
        const bool target = m_marks.dragging && m_marks.target == hull.subgraph;
        const bool hot = m_marks.hoverSubgraph == hull.subgraph || target;
        const bool neutral = hull.fill.role == GraphFill::Role::Neutral;
        const QColor base = fillColour(hull.fill, m_theme);
        QColor border = hullBorder(hull.fill, m_theme);
        double width = 1.2;
        if (!hull.error.isEmpty()) {
            border = m_theme.error;
            width = 1.6;
        }
        if (isSelected(hull)) {
            border = m_theme.accent;
            width = 2.6;
        }
        if (m_marks.dragging) {
            const auto verdict = m_marks.verdicts.find(hull.subgraph);
            if (isRefused(hull) && !target) {
                // Pale, so that good targets stand out.
                border = Theme::mix(m_theme.canvas, m_theme.outline, 0.5);
                width = 1;
            } else if (verdict != m_marks.verdicts.end() &&
                       verdict->second.kind != GraphVerdict::Kind::Unknown) {
                border = verdictColour(verdict->second.kind, m_theme);
                width = target ? 3.2 : 2.2;
            }
        }
        QPen pen(border, std::max(width, width * 0.85 / m_scale));
        if (!hull.error.isEmpty() && !isSelected(hull))
            pen.setDashPattern({6, 3});
        m_p.setPen(pen);
        m_p.setBrush(hullColour(hull.fill, m_theme, hot));
        if (m_deviceScale < kGraphBlocksBelow && hull.isBox && pen.style() == Qt::SolidLine)
            paintFarBox(hull.path.controlPointRect(), pen.color(), pen.widthF(), m_p.brush().color());
        else
            m_p.drawPath(hull.path);
        // A double border, like the double line of a retained tensor.
        if (m_marks.holding.count(hull.subgraph) > 0) {
            const double wide = std::max(5.0, 4.0 / m_scale);
            m_p.setPen(QPen(m_theme.accent, wide));
            m_p.drawPath(hull.path);
            m_p.setPen(QPen(m_theme.canvas, wide * 0.4));
            m_p.setBrush(Qt::NoBrush);
            m_p.drawPath(hull.path);
        }
        if (hull.satellites.isEmpty())
            return;
        QColor tint = neutral ? m_theme.muted : base;
        tint.setAlphaF(0.35F);
        m_p.setPen(Qt::NoPen);
        m_p.setBrush(tint);
        m_p.drawPath(hull.satellites);
        pen.setStyle(Qt::DashLine);
        pen.setWidthF(std::max(1.2, 1.0 / m_scale));
        m_p.setPen(pen);
        m_p.setBrush(Qt::NoBrush);
        m_p.drawPath(hull.satelliteOutline);
    }

    /// At low zoom most areas are small boxes. Filled rectangles without their corner pixels look like
    /// outlines with round corners and are much faster to paint.
    void paintFarBox(const QRectF& box, const QColor& border, double width, const QColor& fill)
    {
        const double half = width / 2, corner = 1.2 / m_scale;
        const QRectF outer = box.adjusted(-half, -half, half, half);
        m_p.fillRect(outer.adjusted(corner, 0, -corner, 0), border);
        m_p.fillRect(QRectF(outer.left(), outer.top() + corner, corner, outer.height() - 2 * corner), border);
        m_p.fillRect(
            QRectF(outer.right() - corner, outer.top() + corner, corner, outer.height() - 2 * corner),
            border);
        m_p.fillRect(box.adjusted(half, half, -half, -half), fill);
    }

    /// Paints number, granularity and latency on the upper edge of the area; at low zoom only the number, in
    /// screen size.
    void paintTab(const GraphHull& hull)
    {
        if (!m_titleVisible)
            return paintFarTag(hull);
        const auto verdict = m_marks.verdicts.find(hull.subgraph);
        const bool quiet = m_marks.dragging && isRefused(hull) && m_marks.target != hull.subgraph;
        const bool judged = m_marks.dragging && !quiet && verdict != m_marks.verdicts.end() &&
                            verdict->second.kind != GraphVerdict::Kind::Unknown;
        const auto holding = m_marks.holding.find(hull.subgraph);
        const bool holds = !m_marks.dragging && holding != m_marks.holding.end();
        if (hull.collapsed && !judged && !holds) { // the card shows the other texts
            if (hull.locked && m_detailVisible) {
                const QRectF& card = m_model.nodes[hull.nodes.front()].rect;
                const double side = m_model.geometry->metrics.line;
                paintIcon(m_p, QStringLiteral("lock"), {card.right() - side - 5, card.top() + 4, side, side},
                          m_theme.inkOn(fillColour(hull.fill, m_theme)));
            }
            return;
        }
        m_p.setFont(m_tagFont);
        const QFontMetricsF tag(m_tagFont), detail(m_detailFont);
        const QString numberText = QString::number(hull.subgraph.value);
        const double height = tag.height() * 0.98;
        const QPointF at = hull.tab + QPointF(m_model.geometry->metrics.padding() * 0.9, -height / 2);
        const double lock = hull.locked ? height * 0.9 : 0;
        QRectF badge(at,
                     QSizeF(std::max(height * 1.15, tag.horizontalAdvance(numberText) + 10) + lock, height));

        // The texts that fit between the badge and the right end of the outline.
        QStringList texts;
        if (judged) {
            texts = {verdict->second.text};
        } else if (holds) {
            texts = {holding->second};
        } else if (!quiet) {
            QString all = hull.granularity;
            if (!hull.error.isEmpty())
                all = hull.error;
            else if (!hull.latency.isEmpty())
                all += QStringLiteral("  ") + hull.latency +
                       (hull.change.isEmpty() ? QString() : QStringLiteral(" (%1)").arg(hull.change));
            const QString mark = hull.mark.isEmpty() ? QString() : QStringLiteral("  ") + hull.mark;
            texts = {all + mark, hull.error.isEmpty() ? hull.latency + mark : hull.error,
                     hull.error.isEmpty() ? hull.mark : hull.error};
        }
        const double room = hull.tabRoom - badge.width() - 2 * m_model.geometry->metrics.padding() * 0.9 - 8;
        QString text;
        for (const QString& candidate : texts)
            if (detail.horizontalAdvance(candidate) <= room || judged || holds) {
                text = candidate;
                break;
            }
        const QColor fill =
            hull.fill.role == GraphFill::Role::Neutral ? m_theme.raised : fillColour(hull.fill, m_theme);
        QColor border =
            hull.fill.role == GraphFill::Role::Neutral ? m_theme.outline : borderColour(hull.fill, m_theme);
        QColor textColour = hull.error.isEmpty() ? m_theme.text : m_theme.error;
        if (isSelected(hull))
            border = m_theme.accent;
        if (holds)
            textColour = border = m_theme.accent;
        if (judged) {
            textColour = border = verdictColour(verdict->second.kind, m_theme);
            // If the upper edge of the target is not visible, its verdict is painted in the visible part of
            // the area.
            const QSizeF size(badge.width() + detail.horizontalAdvance(text) + 12, height);
            badge.moveLeft(
                std::max(m_seen.left() + 2, std::min(badge.left(), m_seen.right() - size.width() - 2)));
            badge.moveTop(std::max(m_seen.top() + 2, badge.top()));
        }
        if (!text.isEmpty()) {
            const QRectF strip(badge.left(), badge.top(), badge.width() + detail.horizontalAdvance(text) + 12,
                               height);
            m_p.setPen(QPen(border, hairline()));
            m_p.setBrush(m_theme.raised);
            m_p.drawRoundedRect(strip, 4, 4);
            m_p.setPen(textColour);
            m_p.setFont(m_detailFont);
            m_p.drawText(strip.adjusted(badge.width() + 5, 0, 8, 0), Qt::AlignVCenter | Qt::AlignLeft, text);
        }
        m_p.setPen(QPen(border, isSelected(hull) ? 2 : hairline()));
        m_p.setBrush(fill);
        m_p.drawRoundedRect(badge, 4, 4);
        m_p.setFont(m_tagFont);
        const QColor ink = hull.fill.role == GraphFill::Role::Neutral ? m_theme.text : m_theme.inkOn(fill);
        m_p.setPen(ink);
        m_p.drawText(badge.adjusted(0, 0, -lock, 0), Qt::AlignCenter, numberText);
        if (hull.locked)
            paintIcon(m_p, QStringLiteral("lock"),
                      {badge.right() - lock - 3, badge.center().y() - lock / 2, lock, lock}, ink);
    }

    void paintFarTag(const GraphHull& hull)
    {
        const QRectF onScreen(m_viewport.toScreen(hull.bounds));
        const auto verdict = m_marks.verdicts.find(hull.subgraph);
        // During a drag, every target with a gain shows the change of the total.
        const bool known = m_marks.dragging && verdict != m_marks.verdicts.end();
        const bool judged =
            known && (m_marks.target == hull.subgraph || verdict->second.kind == GraphVerdict::Kind::Better ||
                      verdict->second.kind == GraphVerdict::Kind::Worse);
        if (hull.collapsed && !judged && m_farText)
            return;
        if (!judged && (onScreen.width() < kSmallestTag || onScreen.height() < kSmallestTag * 0.55))
            return;
        m_p.save();
        m_p.setTransform(m_viewport.transform().inverted(), true);
        m_p.setFont(m_tagFont);
        const QFontMetricsF metrics(m_tagFont);
        const QString text = judged ? verdict->second.text : QString::number(hull.subgraph.value);
        const double lock = hull.locked && !judged ? metrics.height() * 0.8 : 0;
        const QSizeF size(metrics.horizontalAdvance(text) + 8 + lock, metrics.height());
        // The number is in the middle of the area or, if the middle is outside of the area, on its first op.
        const QPointF middle = hull.path.contains(hull.bounds.center()) || hull.nodes.empty()
                                   ? onScreen.center()
                                   : m_viewport.toScreen(m_model.nodes[hull.nodes.front()].rect.center());
        QRectF tag(middle - QPointF(size.width() / 2, size.height() / 2), size);
        if (m_farText) { // on the upper edge, so that it does not cover the names of the ops
            const double room = m_model.geometry->metrics.padding() * m_scale;
            tag.moveTopLeft(m_viewport.toScreen(hull.tab) + QPointF(3, std::min(room, 8.0) - size.height()));
            // A recomputed op is in several areas whose tags would cover its name, so the tags are side by
            // side.
            for (const std::size_t node : hull.nodes)
                if (const QRectF op(m_viewport.toScreen(m_model.nodes[node].rect));
                    m_model.recomputes && tag.intersects(op.adjusted(0, 4, 0, 0)))
                    tag.moveBottom(op.top() + 2);
            for (const QRectF& other : m_farTags)
                if (m_model.recomputes && tag.intersects(other))
                    tag.moveLeft(other.right() + 2);
            m_farTags.push_back(tag);
        }
        if (judged) {
            const QRectF seen = m_viewport.toScreen(m_seen).adjusted(2, 2, -2, -2);
            tag.moveLeft(std::max(seen.left(), std::min(tag.left(), seen.right() - size.width())));
            tag.moveTop(std::max(seen.top(), std::min(tag.top(), seen.bottom() - size.height())));
        }
        const bool neutral = hull.fill.role == GraphFill::Role::Neutral;
        m_p.setPen(QPen(isSelected(hull)        ? m_theme.accent
                        : !hull.error.isEmpty() ? m_theme.error
                        : neutral               ? m_theme.outline
                                                : borderColour(hull.fill, m_theme),
                        isSelected(hull) ? 2 : 1));
        m_p.setBrush(judged ? m_theme.raised : neutral ? m_theme.raised : fillColour(hull.fill, m_theme));
        m_p.drawRoundedRect(tag, 4, 4);
        const QColor ink = judged    ? verdictColour(verdict->second.kind, m_theme)
                           : neutral ? m_theme.text
                                     : m_theme.inkOn(fillColour(hull.fill, m_theme));
        m_p.setPen(ink);
        m_p.drawText(tag.adjusted(0, 0, -lock, 0), Qt::AlignCenter, text);
        if (lock > 0)
            paintIcon(m_p, QStringLiteral("lock"),
                      {tag.right() - lock - 2, tag.center().y() - lock / 2, lock, lock}, ink);
        m_p.restore();
    }

    std::vector<QRectF> m_farTags; ///< tags painted so far, in screen pixels
};

} // namespace

void GraphPainting::paintHulls()
{
    HullPainting painting(*this);
    for (const GraphHull& hull : m_model.hulls)
        if (!hull.collapsed && hull.bounds.intersects(m_visible))
            painting.paintHull(hull);
}

void GraphPainting::paintTabs()
{
    HullPainting painting(*this);
    for (const GraphHull& hull : m_model.hulls)
        if (hull.bounds.intersects(m_visible))
            painting.paintTab(hull);
}

namespace {

class LinePainting : public GraphPainting
{
public:
    explicit LinePainting(const GraphPainting& painting) : GraphPainting(painting) {}

    void lines()
    {
        const QColor colour = m_marks.searching ? m_roles.lineBehind : m_roles.line;
        if (m_deviceScale < kGraphBlocksBelow) {
            // At low zoom there may be thousands of lines: they are straight, without antialiasing, and
            // painted in one call per style.
            std::vector<QLineF> lines;
            for (const GraphStroke& stroke : m_model.strokes)
                if (stroke.bounds.intersects(m_visible))
                    for (std::size_t i = 0; i + 1 < stroke.points.size(); ++i)
                        lines.emplace_back(stroke.points[i], stroke.points[i + 1]);
            QPen pen(m_marks.searching                 ? m_roles.lineBehind
                     : m_deviceScale < kGraphDotsBelow ? m_roles.densestLine
                                                       : m_roles.farLine,
                     1);
            pen.setCosmetic(true);
            m_p.setPen(pen);
            m_p.setRenderHint(QPainter::Antialiasing, false);
            m_p.drawLines(lines.data(), static_cast<int>(lines.size()));
            m_p.setRenderHint(QPainter::Antialiasing, true);
            return;
        }
        m_p.setBrush(Qt::NoBrush);
        for (const GraphStroke& stroke : m_model.strokes)
            if (stroke.bounds.intersects(m_visible))
                paintStroke(stroke.path, stroke.style, colour, 1.5);
        if (m_deviceScale < kGraphArrowsFrom)
            return;
        m_p.setPen(Qt::NoPen);
        m_p.setBrush(colour);
        for (const GraphEdge& edge : m_model.edges)
            if (m_visible.contains(edge.end))
                paintArrow(edge);
    }

    void paintStroke(const QPainterPath& path, EdgeStyle style, const QColor& colour, double width)
    {
        width = visible(width);
        QPen pen(colour, width);
        pen.setCapStyle(Qt::FlatCap);
        switch (style) {
        case EdgeStyle::Interior:
            pen.setDashPattern({4, 2.5});
            m_p.setPen(pen);
            m_p.drawPath(path);
            break;
        case EdgeStyle::Retained:
            pen.setWidthF(4.2 * width); // thick, because the line of a retained tensor is usually short
            m_p.setPen(pen);
            m_p.drawPath(path);
            m_p.setPen(QPen(m_theme.canvas, 2 * width));
            m_p.drawPath(path);
            break;
        case EdgeStyle::Spilled:
            m_p.setPen(pen);
            m_p.drawPath(path);
            break;
        }
    }

    void paintArrow(const GraphEdge& edge)
    {
        const QPointF d = edge.end - edge.beforeEnd;
        const double length = std::hypot(d.x(), d.y());
        if (length < 1e-6)
            return;
        const QPointF u = d / length, n(-u.y(), u.x());
        const QPointF back = edge.end - u * 8;
        const QPointF points[] = {edge.end, back + n * 3.6, back - n * 3.6};
        m_p.drawPolygon(points, 3);
    }

    /// Paints the lines of the selected tensor, and the lines that enter or leave selected or hovered ops.
    void highlights()
    {
        const auto nodeOf = [&](const std::optional<OpId>& op) {
            return op ? m_model.geometry->nodeOf(*op) : std::nullopt;
        };
        std::set<std::size_t> near;
        if (m_marks.ops.size() <= 24)
            for (OpId op : m_marks.ops)
                if (const auto v = nodeOf(op))
                    near.insert(*v);
        const auto hover = nodeOf(m_marks.hoverOp);
        const bool any = m_marks.tensor || m_marks.hoverTensor || hover || !near.empty();
        if (!any || m_marks.dragging)
            return;
        for (const GraphEdge& edge : m_model.edges) {
            if (!edge.bounds.intersects(m_visible) && !edge.bounds.isEmpty())
                continue;
            const bool strong =
                edge.carries(m_marks.tensor) || near.count(edge.from) > 0 || near.count(edge.to) > 0;
            const bool weak = edge.carries(m_marks.hoverTensor) || hover == edge.from || hover == edge.to;
            if (!strong && !weak)
                continue;
            m_p.setBrush(Qt::NoBrush);
            const QColor colour = strong ? m_theme.accent : Theme::mix(m_theme.canvas, m_theme.accent, 0.75);
            paintStroke(edge.path, edge.style, colour, edge.carries(m_marks.tensor) ? 2.6 : 2.0);
            if (m_deviceScale >= kGraphArrowsFrom) {
                m_p.setPen(Qt::NoPen);
                m_p.setBrush(colour);
                paintArrow(edge);
            }
        }
    }

    /// Paints the marks of views with a dashed outline, so that they can be recognised without colour.
    void slabs()
    {
        if (!m_model.hasViews || m_deviceScale < kGraphBlocksBelow)
            return;
        const bool names = labelsArePainted(m_deviceScale);
        m_p.setFont(m_detailFont);
        for (const GraphEdge& edge : m_model.edges) {
            const QRectF box = slabOf(edge, names);
            if (box.isEmpty() || !box.intersects(m_visible))
                continue;
            const bool marked = edge.carries(m_marks.tensor) || edge.carries(m_marks.hoverTensor);
            paintViewSlab(m_p, box,
                          marked              ? m_theme.accent
                          : m_marks.searching ? m_roles.lineBehind
                                              : m_roles.line,
                          m_theme, visible(1.3));
            if (!names || edge.namedSlab.isEmpty())
                continue;
            m_p.setPen(marked ? m_theme.accent : m_roles.figure);
            m_p.drawText(box, Qt::AlignCenter | Qt::TextDontClip, edge.slabText);
        }
    }

    void labels()
    {
        m_p.setFont(m_detailFont);
        for (const GraphEdge& edge : m_model.edges) {
            if (edge.label.isEmpty() || !edge.labelRect.intersects(m_visible))
                continue;
            QColor back = m_theme.canvas;
            back.setAlphaF(0.88F);
            m_p.setPen(Qt::NoPen);
            m_p.setBrush(back);
            m_p.drawRoundedRect(edge.labelRect, 4, 4);
            const bool marked = edge.carries(m_marks.tensor) || edge.carries(m_marks.hoverTensor);
            m_p.setPen(marked ? m_theme.accent : m_roles.figure);
            m_p.drawText(edge.labelRect, Qt::AlignCenter | Qt::TextDontClip, edge.label);
        }
    }
};

} // namespace

void GraphPainting::paintLines()
{
    LinePainting(*this).lines();
}

void GraphPainting::paintHighlights()
{
    LinePainting(*this).highlights();
}

void GraphPainting::paintSlabs()
{
    LinePainting(*this).slabs();
}

QRectF slabOf(const GraphEdge& edge, bool named)
{
    return named && !edge.namedSlab.isEmpty() ? edge.namedSlab : edge.slab;
}

void paintViewSlab(QPainter& painter, const QRectF& box, const QColor& colour, const Theme& theme,
                   double width)
{
    QPen pen(colour, width);
    pen.setDashPattern({2.5, 1.8});
    painter.setPen(pen);
    painter.setBrush(theme.canvas);
    painter.drawRect(box);
}

bool labelsArePainted(double deviceScale)
{
    return deviceScale >= kGraphLabelsFrom;
}

void GraphPainting::paintLabels()
{
    if (labelsArePainted(m_deviceScale))
        LinePainting(*this).labels();
}

} // namespace tilewright::ui
