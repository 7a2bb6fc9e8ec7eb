// SPDX-License-Identifier: GPL-3.0-or-later
#include "chart/plot_paint.h"

#include "theme/text.h"
#include "theme/text_metrics.h"
#include "theme/theme.h"

#include <qcustomplot.h>

#include <QPicture>

#include <algorithm>
#include <cmath>

namespace tilewright::ui {

namespace {

QPolygonF polygonOf(PlotShape shape, QPointF centre, double r)
{
    QPolygonF out;
    switch (shape) {
    case PlotShape::Square:
        out << QPointF(-0.9, -0.9) << QPointF(0.9, -0.9) << QPointF(0.9, 0.9) << QPointF(-0.9, 0.9);
        break;
    case PlotShape::TriangleUp:
        out << QPointF(-0.95, 0.75) << QPointF(0.95, 0.75) << QPointF(0, -1);
        break;
    case PlotShape::TriangleDown:
        out << QPointF(-0.95, -0.75) << QPointF(0.95, -0.75) << QPointF(0, 1);
        break;
    case PlotShape::TriangleLeft:
        out << QPointF(0.75, -0.95) << QPointF(0.75, 0.95) << QPointF(-1, 0);
        break;
    default:
        out << QPointF(0, -1) << QPointF(1, 0) << QPointF(0, 1) << QPointF(-1, 0);
        break;
    }
    QTransform place;
    place.translate(centre.x(), centre.y());
    place.scale(r, r);
    return place.map(out);
}

void drawShape(QPainter& painter, QPointF at, const PlotMark& mark)
{
    const double r = mark.radius;
    if (mark.shape == PlotShape::Disc)
        painter.drawEllipse(at, r, r);
    else if (mark.shape != PlotShape::Target)
        painter.drawPolygon(polygonOf(mark.shape, at, r));
    else {
        painter.drawEllipse(at, r, r);
        QPen thin = painter.pen();
        thin.setWidthF(thin.widthF() / 2);
        painter.setPen(thin);
        for (const QPointF u : {QPointF(1, 0), QPointF(-1, 0), QPointF(0, 1), QPointF(0, -1)})
            painter.drawLine(at + u * (0.55 * r), at + u * (1.55 * r));
    }
}

/// Marks and arrows as an item of QCustomPlot, drawn in its layer and clipped to the axes.
class MarksItem : public QCPAbstractItem
{
public:
    MarksItem(QCustomPlot* plot, const PlotModel& model) : QCPAbstractItem(plot), m_model(model)
    {
        setSelectable(false);
        setClipToAxisRect(true);
    }
    double selectTest(const QPointF&, bool, QVariant*) const override { return -1; }

protected:
    void draw(QCPPainter* painter) override
    {
        painter->setAntialiasing(true);
        const auto pixel = [&](double x, double y) {
            return QPointF(parentPlot()->xAxis->coordToPixel(x), parentPlot()->yAxis->coordToPixel(y));
        };
        for (const PlotArrow& a : m_model.arrows)
            arrow(*painter, a, pixel(a.from.x(), a.from.y()), pixel(a.to.x(), a.to.y()));
        painter->setFont(uiFont(0.85));
        const QFontMetricsF fm(painter->font());
        const QRectF seen = QRectF(clipRect()).adjusted(-30, -30, 30, 30);
        for (const PlotMark& m : m_model.marks) {
            const QPointF at = pixel(m.x, m.y);
            if (!seen.contains(at))
                continue;
            paintPlotMark(*painter, at, m);
            if (m.name.isEmpty() || !holdsName(m, fm))
                continue;
            const double shift = m.shape == PlotShape::TriangleUp     ? 0.25 * m.radius
                                 : m.shape == PlotShape::TriangleDown ? -0.25 * m.radius
                                                                      : 0;
            painter->setPen(m.ink);
            painter->drawText(at + QPointF(-fm.horizontalAdvance(m.name) / 2, shift + fm.ascent() / 2 - 1),
                              m.name);
        }
    }

private:
    static void arrow(QPainter& painter, const PlotArrow& a, QPointF from, QPointF to)
    {
        const QPointF along = to - from;
        const double length = std::hypot(along.x(), along.y());
        if (length < a.gap + 8)
            return;
        const QPointF u = along / length;
        const QPointF tip = to - u * a.gap;
        const QPointF n(-u.y(), u.x());
        painter.setPen(QPen(a.colour, 1, Qt::DotLine));
        painter.drawLine(QLineF(from, tip));
        painter.setPen(Qt::NoPen);
        painter.setBrush(a.colour);
        painter.drawPolygon(QPolygonF{tip, tip - u * 8 + n * 3.5, tip - u * 8 - n * 3.5});
    }

    const PlotModel& m_model;
};

/// Ticks of an axis. A tick has a text unless the text would overlap another one.
struct Ticks
{
    std::vector<std::pair<double, QString>> ticks;
    std::optional<std::pair<double, QString>>
        current; ///< value of the highlighted tick, which is drawn separately in the accent colour
};

Ticks ticksOf(const PlotAxis& axis, const Axis& shown, bool horizontal, double end)
{
    const TextMetrics fm(uiFont(0.9));
    Ticks out;
    std::vector<double> values = axis.ticks;
    if (values.empty())
        values = shown.ticks(horizontal ? 44 : std::max(36.0, 2.2 * fm.height()));
    double last = -1e9;
    const auto texted = [&](double v, bool current) {
        if (v < shown.v0 || v > shown.v1)
            return;
        QString text = axis.textOf(v);
        if (text.isEmpty())
            return;
        const double half = fm.horizontalAdvance(text) / 2;
        const double at = shown.toPixel(v);
        if (horizontal && !current) {
            const double beside = axis.current ? shown.toPixel(*axis.current) : -1e9;
            const double room = axis.current ? fm.horizontalAdvance(axis.textOf(*axis.current)) / 2 : 0;
            if (at - half < std::max(last + 8, shown.p0 - 20) || at + half > end ||
                std::abs(at - beside) < half + room + 8)
                text.clear();
            else
                last = at + half;
        }
        if (current)
            out.current = {v, text};
        else
            out.ticks.emplace_back(v, text);
    };
    if (axis.current)
        texted(*axis.current, true);
    // The last one of given ticks shows the end of the range, so its text has priority over close ticks
    // before it.
    if (horizontal && !axis.ticks.empty() && values.back() != axis.current) {
        texted(values.back(), false);
        if (!out.ticks.empty() && !out.ticks.back().second.isEmpty()) {
            end = shown.toPixel(values.back()) - fm.horizontalAdvance(out.ticks.back().second) / 2 - 8;
            last = -1e9;
        }
        if (!out.ticks.empty())
            values.pop_back();
    }
    for (const double v : values)
        if (v != axis.current)
            texted(v, false);
    return out;
}

void styleAxis(QCPAxis& axis, const PlotAxis& model, const Axis& shown, const Ticks& ticks,
               const Theme& theme)
{
    axis.setScaleType(model.scale == Scale::Log ? QCPAxis::stLogarithmic : QCPAxis::stLinear);
    axis.setRange(shown.v0, shown.v1);
    axis.setTickLabelFont(uiFont(0.9));
    axis.setTickLabelColor(theme.muted);
    axis.setBasePen(QPen(theme.outline, 1));
    axis.setTickPen(QPen(theme.outline, 1));
    axis.setTickLength(0, 3);
    axis.setTickLabelPadding(3);
    axis.setSubTicks(false);
    axis.grid()->setPen(QPen(theme.grid, 1));
    axis.grid()->setZeroLinePen(Qt::NoPen);
    QSharedPointer<QCPAxisTickerText> ticker(new QCPAxisTickerText);
    for (const auto& [value, text] : ticks.ticks)
        ticker->addTick(value, text);
    axis.setTicker(ticker);
}

void addText(QCustomPlot& plot, QPointF at, Qt::Alignment alignment, const QString& text,
             const QColor& colour)
{
    auto* item = new QCPItemText(&plot); // not a leak: the plot owns the item
    item->setClipToAxisRect(false);
    item->position->setType(QCPItemPosition::ptAbsolute);
    item->position->setCoords(at);
    item->setPositionAlignment(alignment);
    item->setPadding({});
    item->setFont(uiFont(0.9));
    item->setColor(colour);
    item->setText(text);
}

void addLine(QCustomPlot& plot, const PlotLine& line)
{
    QCPGraph* graph = plot.addGraph();
    QVector<double> x, y;
    for (const QPointF& p : line.points) {
        x << p.x();
        y << p.y();
    }
    graph->setData(x, y, true);
    graph->setPen(line.pen);
    graph->setLineStyle(line.steps ? QCPGraph::lsStepLeft : QCPGraph::lsLine);
    graph->setAdaptiveSampling(line.points.size() > 2000);
}

void addRaster(QCustomPlot& plot, const PlotModel& model, const Theme& theme)
{
    const PlotRaster& raster = *model.raster;
    auto* map = new QCPColorMap(plot.xAxis, plot.yAxis);
    // QCustomPlot expects the centres of the outer cells; the cells are equal in the scale of the axes.
    const auto middles = [](const PlotAxis& axis, double low, double high, int cells) {
        const double half = (axis.scaled(high) - axis.scaled(low)) / cells / 2;
        return QCPRange(axis.unscaled(axis.scaled(low) + half), axis.unscaled(axis.scaled(high) - half));
    };
    map->data()->setSize(raster.columns, raster.rows);
    map->data()->setRange(middles(model.x, raster.low.x(), raster.high.x(), raster.columns),
                          middles(model.y, raster.low.y(), raster.high.y(), raster.rows));
    for (int row = 0; row < raster.rows; ++row)
        for (int column = 0; column < raster.columns; ++column) {
            const double share =
                raster.shares[static_cast<std::size_t>(row) * static_cast<std::size_t>(raster.columns) +
                              static_cast<std::size_t>(column)];
            map->data()->setCell(column, row, std::max(0.0, share));
            if (share < 0)
                map->data()->setAlpha(column, row, 0);
        }
    QCPColorGradient gradient;
    gradient.clearColorStops();
    for (int i = 0; i <= 32; ++i)
        gradient.setColorStopAt(i / 32.0, theme.ramp(i / 32.0));
    map->setGradient(gradient);
    map->setDataRange({0, 1});
    map->setInterpolate(false);
    map->setTightBoundary(false);
}

void paintLabels(QPainter& painter, const PlotModel& model, const PlotFrame& frame, const Theme& theme)
{
    const QFont font = uiFont(0.85);
    painter.setFont(font);
    for (const PlacedLabel& l : placePlotLabels(model, frame, QFontMetricsF(font), theme.muted)) {
        painter.save();
        painter.translate(l.centre);
        painter.rotate(l.degrees);
        const QRectF box(QPointF(-l.size.width() / 2, -l.size.height() / 2), l.size);
        if (l.plate) {
            painter.setPen(QPen(theme.outline, 1));
            painter.setBrush(theme.raised);
            painter.drawRoundedRect(box, 3, 3);
        }
        painter.setPen(l.colour);
        painter.drawText(box, Qt::AlignCenter, l.text);
        painter.restore();
    }
}

/// Paints a text on a plate inside `area`.
void paintPlate(QPainter& painter, const QString& text, QPointF centre, const QRectF& area,
                const Theme& theme)
{
    const QFontMetricsF fm(painter.font());
    QRectF box({}, QSizeF(fm.horizontalAdvance(text) + 10, fm.height() + 2));
    box.moveCenter(centre);
    box.moveLeft(std::clamp(box.left(), area.left(), std::max(area.left(), area.right() - box.width())));
    box.moveTop(std::clamp(box.top(), area.top(), std::max(area.top(), area.bottom() - box.height())));
    painter.setPen(QPen(theme.outline, 1));
    painter.setBrush(theme.raised);
    painter.drawRoundedRect(box, 3, 3);
    painter.setPen(theme.text);
    painter.drawText(box, Qt::AlignCenter, text);
}

} // namespace

void paintPlotMark(QPainter& painter, QPointF at, const PlotMark& mark)
{
    if (mark.halo.style() != Qt::NoPen) {
        painter.setPen(mark.halo);
        painter.setBrush(Qt::NoBrush);
        drawShape(painter, at, mark);
    }
    painter.setPen(mark.pen);
    painter.setBrush(mark.brush);
    drawShape(painter, at, mark);
}

ChartKey markKey(const QString& text, const PlotMark& mark)
{
    return {text,
            [mark](QPainter& painter, const QRectF& r) {
                PlotMark small = mark;
                small.radius = std::min(mark.radius, 0.5 * r.height());
                small.halo = Qt::NoPen;
                paintPlotMark(painter, r.center(), small);
            },
            0.9,
            {}};
}

ChartKey lineKey(const QString& text, const QPen& line, const std::optional<PlotMark>& mark)
{
    return {text,
            [line, mark](QPainter& painter, const QRectF& r) {
                painter.setPen(line);
                painter.drawLine(QPointF(r.left(), r.center().y()), QPointF(r.right(), r.center().y()));
                if (mark)
                    paintPlotMark(painter, r.center(), *mark);
            },
            2,
            {}};
}

void paintPlot(QPainter& painter, const PlotModel& model, const PlotFrame& frame, const Theme& theme)
{
    painter.save();
    if (!model.title.isEmpty())
        writeLine(painter, frame.title.topLeft(), frame.title.width(), model.title,
                  uiFont(1.0, QFont::DemiBold), theme.text);
    paintKeys(painter, model.keys, frame.keys, theme);
    const QRectF& rect = frame.plot;
    if (rect.width() < 40 || rect.height() < 30) {
        painter.restore();
        return;
    }

    QCustomPlot plot;
    plot.setLocale(QLocale::c());
    plot.setAntialiasedElements(QCP::aeAll);
    plot.setNotAntialiasedElements(QCP::aeGrid | QCP::aeAxes);
    plot.setBackground(QBrush(Qt::NoBrush));
    // The viewport has the same origin as the painter, so that QCustomPlot and the mouse use the same pixels.
    const QSize size(qCeil(rect.right()) + 20, qCeil(rect.bottom()) + 40);
    plot.axisRect()->setAutoMargins(QCP::msNone);
    plot.plotLayout()->setAutoMargins(QCP::msNone);
    plot.axisRect()->setMargins({qRound(rect.left()), qRound(rect.top()), size.width() - qRound(rect.right()),
                                 size.height() - qRound(rect.bottom())});
    const Ticks xs = ticksOf(model.x, frame.x, true, frame.xTextsEnd);
    styleAxis(*plot.xAxis, model.x, frame.x, xs, theme);
    styleAxis(*plot.yAxis, model.y, frame.y, ticksOf(model.y, frame.y, false, 0), theme);
    if (xs.current) {
        addLine(plot, {{},
                       {{xs.current->first, frame.y.v0}, {xs.current->first, frame.y.v1}},
                       QPen(theme.accent, 1),
                       false});
        addText(plot, {frame.x.toPixel(xs.current->first), rect.bottom() + 4},
                Qt::AlignTop | Qt::AlignHCenter, xs.current->second, theme.accent);
    }
    if (model.raster)
        addRaster(plot, model, theme);
    for (const PlotLine& line : model.lines)
        addLine(plot, line);
    new MarksItem(&plot, model); // not a leak: the plot owns the item

    // QCustomPlot needs a painter of its own class: the plot is recorded into a QPicture, which is then
    // replayed.
    QPicture picture;
    {
        QCPPainter own(&picture);
        plot.toPainter(&own, size.width(), size.height());
    }
    painter.drawPicture(0, 0, picture);
    painter.setFont(uiFont(0.9));
    painter.setPen(theme.muted);
    painter.drawText(frame.xTitle, model.x.title);
    painter.drawText(frame.yTitle, model.y.title);
    paintLabels(painter, model, frame, theme);
    painter.restore();
}

void paintPlotMeasure(QPainter& painter, const PlotModel& model, const PlotFrame& frame, const QRectF& part,
                      const Theme& theme)
{
    const QPointF low(model.x.unscaled(part.left()), model.y.unscaled(part.top()));
    const QPointF high(model.x.unscaled(part.right()), model.y.unscaled(part.bottom()));
    const QRectF box = QRectF(frame.toPixel(low), frame.toPixel(high))
                           .normalized()
                           .intersected(frame.plot.adjusted(-1, -1, 1, 1));
    painter.save();
    QColor fill = theme.accent;
    fill.setAlphaF(0.12F);
    painter.setPen(QPen(theme.accent, 1.2));
    painter.setBrush(fill);
    painter.drawRect(box);
    painter.setFont(uiFont(0.85));
    const auto said = [](const PlotAxis& axis, double from, double to) {
        return (axis.title.isEmpty() ? QString() : axis.title + QLatin1Char(' ')) +
               plotRangeText(axis, from, to);
    };
    const QString text =
        said(model.x, low.x(), high.x()) + QStringLiteral(" · ") + said(model.y, low.y(), high.y());
    const double height = QFontMetricsF(painter.font()).height();
    const bool above = box.top() - height - 8 > frame.plot.top();
    paintPlate(painter, text,
               {box.center().x(), above ? box.top() - height / 2 - 5 : box.bottom() + height / 2 + 5},
               frame.plot, theme);
    painter.restore();
}

void paintPlotReadout(QPainter& painter, const PlotModel& model, const PlotFrame& frame, QPointF at,
                      const Theme& theme)
{
    if (!frame.plot.contains(at))
        return;
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing, false);
    painter.setPen(QPen(theme.muted, 1, Qt::DotLine));
    painter.drawLine(QPointF(at.x(), frame.plot.top()), QPointF(at.x(), frame.plot.bottom()));
    painter.drawLine(QPointF(frame.plot.left(), at.y()), QPointF(frame.plot.right(), at.y()));
    painter.setRenderHint(QPainter::Antialiasing, true);
    painter.setFont(uiFont(0.85));
    const double height = QFontMetricsF(painter.font()).height();
    const auto text = [&](const PlotAxis& axis, const Axis& shown, double pixel) {
        return axis.textOf(shown.toValue(pixel));
    };
    const QRectF area = frame.plot.adjusted(-frame.plot.left(), 0, 14, height + 9);
    if (const QString x = text(model.x, frame.x, at.x()); !x.isEmpty())
        paintPlate(painter, x, {at.x(), frame.plot.bottom() + height / 2 + 4}, area, theme);
    if (const QString y = text(model.y, frame.y, at.y()); !y.isEmpty())
        paintPlate(painter, y, {frame.plot.left() - 22, at.y()}, area, theme);
    painter.restore();
}

} // namespace tilewright::ui
