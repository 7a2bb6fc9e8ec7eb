// SPDX-License-Identifier: GPL-3.0-or-later
#include "chart/roofline_plot.h"

#include "canvas/bound_mark.h"
#include "chart/roofline_labels.h"
#include "theme/number.h"
#include "theme/theme.h"
#include "theme/words.h"

#include <qcustomplot.h>

#include <QPicture>

#include <algorithm>
#include <cmath>

namespace tilewright::ui {

namespace {

constexpr double kLargestRadius = 20;
constexpr double kSmallestRadius = 4;

QPolygonF shapeOf(Bound bound, QPointF centre, double r)
{
    QPolygonF shape;
    if (bound == Bound::Balanced)
        shape << QPointF(0, -1) << QPointF(1, 0) << QPointF(0, 1) << QPointF(-1, 0);
    else
        shape << QPointF(-0.95, 0.75) << QPointF(0.95, 0.75) << QPointF(0, -1);
    QTransform place;
    place.translate(centre.x(), centre.y());
    place.scale(r, bound == Bound::Memory ? -r : r);
    return place.map(shape);
}

/// All dots, ghosts and arrows in one item: QCustomPlot draws it inside the axes, in its layer.
class DotsItem : public QCPAbstractItem
{
public:
    DotsItem(QCustomPlot* plot, const RooflineModel& model, const Theme& theme, const RooflineMarks& marks)
        : QCPAbstractItem(plot), m_model(model), m_theme(theme), m_marks(marks)
    {
        setSelectable(false);
    }
    double selectTest(const QPointF&, bool, QVariant*) const override { return -1; }

protected:
    void draw(QCPPainter* painter) override
    {
        painter->setAntialiasing(true);
        for (const RooflineDot& g : m_model.ghosts) {
            painter->setPen(QPen(Theme::mix(m_theme.canvas, m_theme.text, 0.7), 1.3, Qt::DashLine));
            painter->setBrush(Qt::NoBrush);
            painter->drawPolygon(shapeOf(g.point.bound, pixel(g), RooflinePlot::dotRadius(m_model, g)));
        }
        for (const auto& [ghost, dot] : m_model.moves)
            arrow(painter, pixel(m_model.ghosts[ghost]), pixel(m_model.dots[dot]),
                  RooflinePlot::dotRadius(m_model, m_model.dots[dot]));
        for (const RooflineDot& d : m_model.dots) {
            const bool current =
                m_marks.current == d.point.subgraph || m_marks.selected.count(d.point.subgraph) > 0;
            const QColor& fill = boundColour(d.point.bound, m_theme);
            painter->setPen(current ? QPen(m_theme.accent, 3)
                                    : QPen(Theme::mix(fill, m_theme.dark ? Qt::white : Qt::black, 0.45), 1));
            painter->setBrush(Theme::mix(m_theme.canvas, fill, 0.8));
            const double r = RooflinePlot::dotRadius(m_model, d);
            painter->drawPolygon(shapeOf(d.point.bound, pixel(d), r));
            const QString id = QString::number(d.point.subgraph.index());
            painter->setFont(uiFont(0.85));
            const QFontMetricsF fm(painter->font());
            if (holdsNumber(r, id, fm)) {
                painter->setPen(m_theme.inkOn(Theme::mix(m_theme.canvas, fill, 0.8)));
                const double shift = d.point.bound == Bound::Compute  ? 0.25 * r
                                     : d.point.bound == Bound::Memory ? -0.25 * r
                                                                      : 0;
                const QPointF at =
                    pixel(d) + QPointF(-fm.horizontalAdvance(id) / 2, shift + fm.ascent() / 2 - 1);
                painter->drawText(at, id);
            }
        }
    }

private:
    [[nodiscard]] QPointF pixel(const RooflineDot& d) const
    {
        return {parentPlot()->xAxis->coordToPixel(d.x), parentPlot()->yAxis->coordToPixel(d.y)};
    }
    void arrow(QCPPainter* painter, QPointF from, QPointF to, double radius) const
    {
        const QPointF along = to - from;
        const double length = std::hypot(along.x(), along.y());
        if (length < radius + 10)
            return;
        const QPointF u = along / length;
        const QPointF tip = to - u * (radius + 2);
        const QPointF n(-u.y(), u.x());
        const QColor colour = Theme::mix(m_theme.canvas, m_theme.text, 0.7);
        painter->setPen(QPen(colour, 1, Qt::DotLine));
        painter->drawLine(QLineF(from, tip));
        painter->setPen(Qt::NoPen);
        painter->setBrush(colour);
        painter->drawPolygon(QPolygonF{tip, tip - u * 8 + n * 3.5, tip - u * 8 - n * 3.5});
    }

    const RooflineModel& m_model;
    const Theme& m_theme;
    const RooflineMarks& m_marks;
};

/// 1, 2 and 5 times powers of ten while they are few, else powers of ten alone.
QSharedPointer<QCPAxisTicker> logTicks(double low, double high, bool percents, double pixels)
{
    QSharedPointer<QCPAxisTickerText> ticks(new QCPAxisTickerText);
    const double decades = std::log10(high / low);
    const bool fine = decades * 3 * 46 < pixels;
    const int every = std::max(1, static_cast<int>(std::ceil(decades * 46 / pixels)));
    const int first = static_cast<int>(std::floor(std::log10(low)));
    const int last = static_cast<int>(std::ceil(std::log10(high)));
    for (int e = first; e <= last; ++e)
        for (const double m : {1.0, 2.0, 5.0}) {
            const double v = m * std::pow(10.0, e);
            if (v < low || v > high || (m > 1 && !fine) || (!fine && e % every != 0) ||
                (percents && v > 1.0001))
                continue;
            ticks->addTick(v, percents ? QString::number(v * 100, 'g', 3) + QStringLiteral(" %")
                                       : shortNumber(v));
        }
    return ticks;
}

} // namespace

struct RooflinePlot::Impl
{
    QCustomPlot plot;

    void line(const QVector<double>& x, const QVector<double>& y, const QPen& pen)
    {
        QCPGraph* graph = plot.addGraph();
        graph->setData(x, y, true);
        graph->setPen(pen);
        graph->setAdaptiveSampling(false);
    }

    void style(QCPAxis* axis, const QString& text, const Theme& theme)
    {
        axis->setScaleType(QCPAxis::stLogarithmic);
        axis->setLabel(text);
        axis->setLabelFont(uiFont(0.9));
        axis->setTickLabelFont(uiFont(0.85));
        axis->setLabelColor(theme.muted);
        axis->setTickLabelColor(theme.muted);
        axis->setBasePen(QPen(theme.outline, 1));
        axis->setTickPen(QPen(theme.outline, 1));
        axis->setSubTicks(false);
        axis->grid()->setPen(QPen(theme.grid, 1));
        axis->setNumberFormat(QStringLiteral("gb"));
    }
};

RooflinePlot::RooflinePlot() : m_impl(std::make_unique<Impl>())
{
    m_impl->plot.setLocale(QLocale::c());
    m_impl->plot.setAntialiasedElements(QCP::aeAll);
}

RooflinePlot::~RooflinePlot() = default;

QRectF RooflinePlot::plotRect(const QRectF& area)
{
    const QFontMetricsF ticks(uiFont(0.85));
    const QFontMetricsF label(uiFont(0.9));
    const double left = std::ceil(ticks.horizontalAdvance(QStringLiteral("0.05 %")) + label.height() + 22);
    const double bottom = std::ceil(ticks.height() + label.height() + 18);
    return area.adjusted(left, 6, -14, -bottom);
}

QPointF RooflinePlot::toPixel(const QRectF& plot, const RooflineRange& r, double x, double y)
{
    return {plot.left() + std::log(x / r.x0) / std::log(r.x1 / r.x0) * plot.width(),
            plot.bottom() - std::log(y / r.y0) / std::log(r.y1 / r.y0) * plot.height()};
}

double RooflinePlot::dotRadius(const RooflineModel& model, const RooflineDot& dot)
{
    double most = 0;
    for (const auto* list : {&model.dots, &model.ghosts})
        if (!list->empty()) // largest first
            most = std::max(most, list->front().point.latency);
    return std::max(kSmallestRadius, kLargestRadius * std::sqrt(dot.point.latency / most));
}

namespace {

void paintLabels(QPainter& painter, const RooflineModel& model, const QRectF& plot,
                 const RooflineRange& range, const Theme& theme)
{
    const QFont font = uiFont(0.85);
    const QFontMetricsF fm(font);
    painter.setFont(font);
    for (const RooflineLabel& l : placeRooflineLabels(model, plot, range, fm)) {
        painter.save();
        painter.translate(l.centre);
        painter.rotate(l.degrees);
        painter.setPen(l.kind == RooflineLabel::Kind::PaddingCeiling ? theme.warning
                       : l.kind == RooflineLabel::Kind::Dot          ? theme.muted
                                                                     : theme.text);
        painter.drawText(QRectF(QPointF(-l.size.width() / 2, -l.size.height() / 2), l.size), Qt::AlignCenter,
                         l.text);
        painter.restore();
    }
}

} // namespace

void RooflinePlot::paint(QPainter& painter, const RooflineModel& model, const QRectF& area,
                         const RooflineRange& range, const RooflineMarks& marks, const Theme& theme)
{
    QCustomPlot& plot = m_impl->plot;
    plot.clearGraphs();
    plot.clearItems();
    plot.setBackground(QBrush(theme.canvas));
    const QRectF rect = plotRect(area);
    if (rect.width() < 40 || rect.height() < 40)
        return;
    plot.axisRect()->setAutoMargins(QCP::msNone);
    plot.axisRect()->setMargins(QMargins(qRound(rect.left() - area.left()), qRound(rect.top() - area.top()),
                                         qRound(area.right() - rect.right()),
                                         qRound(area.bottom() - rect.bottom())));
    m_impl->style(plot.xAxis, tr("intensity: work per element moved"), theme);
    // As much of the title as the height holds.
    QString title;
    for (const QString& text : {tr("throughput, of the compute peak"), tr("throughput")})
        if (title.isEmpty() && QFontMetricsF(uiFont(0.9)).horizontalAdvance(text) < rect.height())
            title = text;
    m_impl->style(plot.yAxis, title, theme);
    plot.xAxis->setRange(range.x0, range.x1);
    plot.yAxis->setRange(range.y0, range.y1);
    plot.xAxis->setTicker(logTicks(range.x0, range.x1, false, rect.width()));
    plot.yAxis->setTicker(logTicks(range.y0, range.y1, true, rect.height()));

    // The roofs reach over the whole visible range, whatever part of the plane that is.
    const ScheduleRoofline& roofs = model.roofs;
    const double left = range.x0 / 10;
    const double right = range.x1 * 10;
    const QPen roof(theme.text, 2);
    m_impl->line({std::min(left, roofs.ridge), roofs.ridge},
                 {roofs.bandwidth * std::min(left, roofs.ridge), 1.0}, roof);
    m_impl->line({roofs.ridge, std::max(right, roofs.ridge)}, {1.0, 1.0}, roof);
    const double ceiling = roofs.whole.paddingCeiling;
    if (ceiling > 0 && ceiling < kNoCeiling)
        m_impl->line({ceiling / roofs.bandwidth, std::max(right, roofs.ridge)}, {ceiling, ceiling},
                     QPen(theme.warning, 1.5, Qt::DashLine));
    for (const RooflineDot& d : model.dots)
        if (marks.current == d.point.subgraph && d.point.paddingCeiling < kNoCeiling &&
            d.point.paddingCeiling > 0) {
            // From the dot up to what its own padding allows.
            m_impl->line({d.x, d.x}, {d.y, std::max(d.y, d.point.paddingCeiling)},
                         QPen(theme.accent, 1.2, Qt::DotLine));
            m_impl->line({d.x / 1.25, d.x * 1.25}, {d.point.paddingCeiling, d.point.paddingCeiling},
                         QPen(theme.accent, 2));
        }

    auto* dots = new DotsItem(&plot, model, theme, marks); // owned by the plot
    dots->setClipToAxisRect(true);

    // QCustomPlot wants a painter of its own: it draws into a picture, which is replayed.
    QPicture picture;
    {
        QCPPainter own(&picture);
        plot.toPainter(&own, qRound(area.width()), qRound(area.height()));
    }
    plot.clearItems();
    plot.clearGraphs();
    painter.save();
    painter.setClipRect(area, Qt::IntersectClip);
    painter.drawPicture(area.topLeft(), picture);
    painter.restore();
    paintLabels(painter, model, rect, range, theme);
}

} // namespace tilewright::ui
