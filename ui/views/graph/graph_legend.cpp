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

namespace {

constexpr double kSample = 24, kGap = 8, kPadding = 7, kMargin = 10;

/// Entries in as many rows as the width asks for.
struct LegendLayout
{
    QFont font = uiFont(0.85);
    std::vector<Entry> entries;
    std::vector<QRectF> cells; ///< relative to the box; one more for the ramp
    double line = 0;
    QSizeF size;
};

LegendLayout layOutLegend(const GraphModel& model, double width, const Theme& theme)
{
    LegendLayout out;
    const QFontMetricsF metrics(out.font);
    out.line = metrics.height() * 1.25;
    out.entries = entriesOf(model, theme);
    std::vector<double> widths;
    for (const Entry& entry : out.entries)
        widths.push_back(kSample + kGap / 2 + metrics.horizontalAdvance(entry.text) + 2 * kGap);
    if (!model.legend.low.isEmpty())
        widths.push_back(
            metrics.horizontalAdvance(model.legend.title + model.legend.low + model.legend.high) + 100 +
            5 * kGap);
    const double limit = width - 2 * kMargin - 2 * kPadding;
    double x = 0, y = 0, widest = 0;
    for (double w : widths) {
        if (x > 0 && x + w > limit) {
            x = 0;
            y += out.line;
        }
        out.cells.emplace_back(kPadding + x, kPadding / 2 + y, w, out.line);
        x += w;
        widest = std::max(widest, x);
    }
    out.size = QSizeF(widest + 2 * kPadding - kGap, y + out.line + kPadding);
    return out;
}

} // namespace

double graphLegendHeight(const GraphModel& model, const QRectF& area)
{
    const LegendLayout layout = layOutLegend(model, area.width(), Theme::light());
    return layout.size.height() > area.height() * 0.3 ? 0 : layout.size.height() + kMargin;
}

void paintGraphLegend(QPainter& painter, const GraphModel& model, const QRectF& area, const Theme& theme)
{
    if (graphLegendHeight(model, area) == 0)
        return;
    const LegendLayout layout = layOutLegend(model, area.width(), theme);
    const QRectF box(QPointF(area.left() + kMargin, area.bottom() - kMargin - layout.size.height()),
                     layout.size);
    painter.save();
    painter.setFont(layout.font);
    QColor back = theme.panel;
    back.setAlphaF(0.94F);
    painter.setPen(QPen(theme.grid, 1));
    painter.setBrush(back);
    painter.drawRoundedRect(box, 6, 6);
    for (std::size_t i = 0; i < layout.entries.size(); ++i) {
        const QRectF cell = layout.cells[i].translated(box.topLeft());
        painter.setBrush(Qt::NoBrush);
        layout.entries[i].sample(
            painter, QRectF(cell.left(), cell.top() + layout.line * 0.2, kSample, layout.line * 0.6));
        painter.setPen(theme.text);
        painter.drawText(cell.adjusted(kSample + kGap / 2, 0, 0, 0), Qt::AlignVCenter,
                         layout.entries[i].text);
    }
    if (!model.legend.low.isEmpty()) {
        const QFontMetricsF metrics(layout.font);
        QRectF rest = layout.cells.back().translated(box.topLeft());
        const auto write = [&](const QString& text) {
            painter.setPen(theme.text);
            painter.drawText(rest, Qt::AlignVCenter, text);
            rest.setLeft(rest.left() + metrics.horizontalAdvance(text) + kGap);
        };
        write(model.legend.title);
        write(model.legend.low);
        const QRectF bar(rest.left(), rest.top() + layout.line * 0.25, 100, layout.line * 0.5);
        QLinearGradient gradient(bar.topLeft(), bar.topRight());
        for (int i = 0; i <= 8; ++i)
            gradient.setColorAt(i / 8.0, theme.ramp(i / 8.0));
        painter.setPen(QPen(theme.outline, 1));
        painter.setBrush(gradient);
        painter.drawRect(bar);
        rest.setLeft(bar.right() + kGap);
        write(model.legend.high);
    }
    painter.restore();
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
