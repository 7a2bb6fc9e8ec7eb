// SPDX-License-Identifier: GPL-3.0-or-later
// Lines, arrow heads and traffic labels.
#include "views/graph/graph_painting.h"

#include <cmath>
#include <vector>

namespace tilewright::ui {

namespace {

class LinePainting : public GraphPainting
{
public:
    explicit LinePainting(const GraphPainting& painting) : GraphPainting(painting) {}

    void lines()
    {
        const QColor colour = m_marks.searching ? m_roles.lineBehind : m_roles.line;
        if (m_deviceScale < kGraphBlocksBelow) {
            // Thousands of lines: straight, not antialiased, one call per style.
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
            pen.setWidthF(4.2 * width); // thick, because such a line is usually short
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

    /// Paints the lines of the selected tensor and those that enter and leave selected or hovered ops.
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

    /// Paints the marks of views: a dashed outline, not only a colour.
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
