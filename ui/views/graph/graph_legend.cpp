// SPDX-License-Identifier: GPL-3.0-or-later
// Key and overview of the graph.
#include "views/graph/graph_paint.h"
#include "views/graph/graph_shapes.h"

#include <QCoreApplication>
#include <QFontMetricsF>
#include <QPainter>

namespace tilewright::ui {

namespace {

QString tr(const char* text)
{
    return QCoreApplication::translate("Graph", text);
}

struct Entry
{
    QString text;
    std::function<void(QPainter&, const QRectF&)> sample;
};

void sampleLine(QPainter& p, const QRectF& box, EdgeStyle style, const Theme& theme)
{
    const double y = box.center().y();
    const QLineF line(box.left(), y, box.right(), y);
    QPen pen(theme.muted, 1.5);
    if (style == EdgeStyle::Ephemeral)
        pen.setDashPattern({4, 2.5});
    if (style == EdgeStyle::Retained)
        pen.setWidthF(4.8);
    p.setPen(pen);
    p.drawLine(line);
    if (style == EdgeStyle::Retained) {
        p.setPen(QPen(theme.canvas, 2));
        p.drawLine(line);
    }
}

std::vector<Entry> entriesOf(const GraphModel& model, const Theme& theme)
{
    const auto shape = [&theme](QPainterPath (*make)(const QRectF&), const QColor& fill) {
        return [make, fill, &theme](QPainter& p, const QRectF& box) {
            p.setPen(QPen(theme.outline, 1.2));
            p.setBrush(fill);
            p.drawPath(make(box));
        };
    };
    const auto line = [&theme](EdgeStyle style) {
        return [style, &theme](QPainter& p, const QRectF& box) { sampleLine(p, box, style, theme); };
    };
    std::vector<Entry> entries{{tr("MatMul"), shape(&matMulShape, theme.raised)},
                               {tr("Pointwise"), shape(&pointwiseShape, theme.raised)},
                               {tr("through slow memory"), line(EdgeStyle::Spilled)},
                               {tr("retained"), line(EdgeStyle::Retained)},
                               {tr("inside a subgraph"), line(EdgeStyle::Ephemeral)}};
    for (const auto& [fill, text] : model.legend.entries)
        entries.push_back({text, [fill = fill, &theme](QPainter& p, const QRectF& box) {
                               p.setPen(QPen(theme.outline, 1));
                               p.setBrush(fillColour(fill, theme));
                               p.drawRoundedRect(box, 3, 3);
                           }});
    return entries;
}

} // namespace

QRectF paintGraphLegend(QPainter& painter, const GraphModel& model, const QRectF& area, const Theme& theme)
{
    const QFont font = uiFont(0.85);
    const QFontMetricsF metrics(font);
    const double line = metrics.height() * 1.25, sample = 24, gap = 8, padding = 7;
    const std::vector<Entry> entries = entriesOf(model, theme);
    const bool ramp = !model.legend.low.isEmpty();

    // One row when there is room, else a column.
    const double rampWidth =
        ramp ? metrics.horizontalAdvance(model.legend.title + model.legend.low + model.legend.high) + 110 +
                   4 * gap
             : 0;
    double row = rampWidth;
    double widest = rampWidth;
    for (const Entry& entry : entries) {
        const double width = sample + gap / 2 + metrics.horizontalAdvance(entry.text) + 2 * gap;
        row += width;
        widest = std::max(widest, width);
    }
    const bool inRow = row + 2 * padding < area.width() * 0.72;
    const double rows = inRow ? 1 : static_cast<double>(entries.size()) + (ramp ? 1 : 0);
    const QSizeF size((inRow ? row : widest) + 2 * padding - gap, rows * line + padding);
    if (size.width() + 16 > area.width() * 0.9 || size.height() + 16 > area.height() * 0.45)
        return {};
    const QRectF box(area.left() + 10, area.bottom() - 10 - size.height(), size.width(), size.height());
    painter.save();
    painter.setFont(font);
    QColor back = theme.panel;
    back.setAlphaF(0.94F);
    painter.setPen(QPen(theme.grid, 1));
    painter.setBrush(back);
    painter.drawRoundedRect(box, 6, 6);
    QPointF at(box.left() + padding, box.top() + padding / 2);
    for (const Entry& entry : entries) {
        const QRectF cell(at.x(), at.y() + line * 0.2, sample, line * 0.6);
        painter.setBrush(Qt::NoBrush);
        entry.sample(painter, cell);
        painter.setPen(theme.text);
        const double width = metrics.horizontalAdvance(entry.text);
        painter.drawText(QRectF(cell.right() + gap / 2, at.y(), width + 4, line), Qt::AlignVCenter,
                         entry.text);
        if (inRow)
            at.rx() += sample + gap / 2 + width + 2 * gap;
        else
            at.ry() += line;
    }
    if (ramp) {
        painter.setPen(theme.text);
        const auto write = [&](const QString& text) {
            const double width = metrics.horizontalAdvance(text);
            painter.drawText(QRectF(at.x(), at.y(), width + 4, line), Qt::AlignVCenter, text);
            at.rx() += width + gap;
        };
        write(model.legend.title);
        write(model.legend.low);
        const QRectF bar(at.x(), at.y() + line * 0.25, 100, line * 0.5);
        QLinearGradient gradient(bar.topLeft(), bar.topRight());
        for (int i = 0; i <= 8; ++i)
            gradient.setColorAt(i / 8.0, theme.ramp(i / 8.0));
        painter.setPen(QPen(theme.outline, 1));
        painter.setBrush(gradient);
        painter.drawRect(bar);
        at.rx() = bar.right() + gap;
        painter.setPen(theme.text);
        write(model.legend.high);
    }
    painter.restore();
    return box;
}

void paintGraphOverview(QPainter& painter, const GraphModel& model, const QRectF& area, const Theme& theme)
{
    const Viewport viewport = Viewport::fit(model.bounds, area, 4, 1);
    painter.save();
    painter.setClipRect(area, Qt::IntersectClip);
    painter.setTransform(viewport.transform(), true);
    painter.setPen(Qt::NoPen);
    for (const GraphHull& hull : model.hulls) {
        const bool neutral = hull.fill.role == GraphFill::Role::Neutral;
        painter.setBrush(Theme::mix(theme.canvas, neutral ? theme.muted : fillColour(hull.fill, theme),
                                    neutral ? 0.2 : 0.45));
        painter.drawPath(hull.path);
    }
    for (const GraphNode& node : model.nodes)
        painter.fillRect(node.rect, node.badges.empty() ? Theme::mix(theme.canvas, theme.outline, 0.5)
                                                        : fillColour(node.badges.front().fill, theme));
    painter.restore();
}

} // namespace tilewright::ui
