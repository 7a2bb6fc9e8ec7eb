// SPDX-License-Identifier: GPL-3.0-or-later
#include "chart/roofline_view.h"

#include "canvas/bound_mark.h"

#include <QMouseEvent>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace tilewright::ui {

RooflineView::RooflineView(const ViewContext& context, QWidget* parent)
    : Canvas(context, QStringLiteral("roofline"), tr("Roofline"), parent)
{
    for (auto signal : {&Document::problemChanged, &Document::snapshotChanged, &Document::baselineChanged})
        connect(&document(), signal, this, &RooflineView::outdate);
    connect(&document(), &Document::problemChanged, this, &RooflineView::fitAll);
    connect(&selection(), &Selection::changed, this, qOverload<>(&QWidget::update));
    connect(&selection(), &Selection::hoverChanged, this, qOverload<>(&QWidget::update));
    addKeys("previous", tr("Previous subgraph"), {QKeySequence(Qt::Key_Comma)},
            tr("Select the one executed before."), [this] { move(-1); });
    addKeys("next", tr("Next subgraph"), {QKeySequence(Qt::Key_Period)}, tr("Select the one executed after."),
            [this] { move(1); });
    rebuild();
}

RooflineView::~RooflineView() = default;

void RooflineView::rebuild()
{
    const SnapshotPtr baseline = document().baseline();
    m_model = buildRoofline(document().snapshot().get(), baseline.get());
    if (m_fitted)
        m_range = whole();
    setAccessibleDescription(m_model.hint.isEmpty() ? m_model.title : m_model.hint);
    update();
}

RooflineRange RooflineView::whole() const
{
    return {m_model.xLow, m_model.xHigh, m_model.yLow, m_model.yHigh};
}

QRectF RooflineView::chartArea(const QRectF& area) const
{
    const double title = QFontMetricsF(uiFont(1.0, QFont::DemiBold)).height();
    const double legend = QFontMetricsF(uiFont(0.9)).height();
    return area.adjusted(0, std::ceil(title + legend + 14), 0, 0);
}

void RooflineView::paintHeader(QPainter& painter, const QRectF& area, const Theme& theme) const
{
    painter.setFont(uiFont(1.0, QFont::DemiBold));
    QFontMetricsF fm(painter.font());
    painter.setPen(theme.text);
    painter.drawText(QPointF(area.left() + 8, area.top() + 5 + fm.ascent()),
                     fm.elidedText(m_model.title, Qt::ElideRight, area.width() - 16));
    const double top = area.top() + 9 + fm.height();
    painter.setFont(uiFont(0.9));
    fm = QFontMetricsF(painter.font());
    double x = area.left() + 8;
    const double baseline = top + fm.ascent();
    const double mark = fm.ascent() * 0.55; // half a side
    const auto text = [&](const QString& s, double gap) {
        if (x + fm.horizontalAdvance(s) > area.right() - 4)
            return false;
        painter.setPen(theme.muted);
        painter.drawText(QPointF(x, baseline), s);
        x += fm.horizontalAdvance(s) + gap;
        return true;
    };
    for (const Bound bound : {Bound::Compute, Bound::Memory, Bound::Balanced}) {
        if (x + 3 * mark + fm.horizontalAdvance(boundText(bound)) > area.right())
            return;
        paintBoundMark(painter, QPointF(x + mark, baseline - fm.ascent() / 2 + 1), mark, bound,
                       boundColour(bound, theme));
        x += 2.8 * mark;
        text(boundText(bound), 14);
    }
    if (!text(tr("area: latency"), 14) || !m_model.hasBaseline)
        return;
    text(tr("hollow, dashed: baseline"), 14);
}

void RooflineView::paint(QPainter& painter, const QRectF& area, const Theme& theme, bool exporting)
{
    if (!m_model.hint.isEmpty()) {
        paintEmptyHint(painter, area, m_model.hint, theme);
        return;
    }
    const QRectF chart = chartArea(area);
    const RooflineRange range = exporting ? whole() : m_range;
    m_plot.paint(painter, m_model, chart, range,
                 {selection().state().subgraph, selection().state().subgraphs}, theme);
    paintHeader(painter, area, theme);
    if (exporting || !selection().hover().subgraph)
        return;
    const QRectF plot = RooflinePlot::plotRect(chart);
    for (const RooflineDot& d : m_model.dots)
        if (d.point.subgraph == *selection().hover().subgraph) {
            const QPointF at = RooflinePlot::toPixel(plot, range, d.x, d.y);
            if (!plot.contains(at))
                continue;
            const double r = RooflinePlot::dotRadius(m_model, d) + 4;
            painter.setBrush(Qt::NoBrush);
            painter.setPen(QPen(theme.text, 1.5));
            painter.drawEllipse(at, r, r);
        }
}

// -- navigation ------------------------------------------------------------------------------------------

void RooflineView::zoomBy(double factor, QPointF anchor)
{
    const QRectF plot = RooflinePlot::plotRect(chartArea(rect()));
    if (plot.isEmpty() || !m_model.hint.isEmpty())
        return;
    const RooflineRange all = whole();
    const auto zoom = [factor](double& low, double& high, double at, double limit) {
        const double l = std::log(low);
        const double h = std::log(high);
        const double a = l + (h - l) * std::clamp(at, 0.0, 1.0);
        const double span = std::clamp((h - l) / factor, 0.05, limit);
        const double from = a - span * std::clamp(at, 0.0, 1.0);
        low = std::exp(from);
        high = std::exp(from + span);
    };
    zoom(m_range.x0, m_range.x1, (anchor.x() - plot.left()) / plot.width(), 3 * std::log(all.x1 / all.x0));
    zoom(m_range.y0, m_range.y1, (plot.bottom() - anchor.y()) / plot.height(), 3 * std::log(all.y1 / all.y0));
    m_fitted = false;
    update();
}

void RooflineView::panBy(QPointF pixels)
{
    const QRectF plot = RooflinePlot::plotRect(chartArea(rect()));
    if (plot.isEmpty() || !m_model.hint.isEmpty())
        return;
    const RooflineRange all = whole();
    const auto pan = [](double& low, double& high, double by, double least, double most) {
        const double span = std::log(high / low);
        // At least the border of what there is stays in sight.
        const double shift = std::clamp(by * span, std::log(least / high), std::log(most / low));
        low *= std::exp(shift);
        high *= std::exp(shift);
    };
    pan(m_range.x0, m_range.x1, -pixels.x() / plot.width(), all.x0, all.x1);
    pan(m_range.y0, m_range.y1, pixels.y() / plot.height(), all.y0, all.y1);
    m_fitted = false;
    update();
}

void RooflineView::fitAll()
{
    m_fitted = true;
    m_range = whole();
    update();
}

void RooflineView::fitSelection()
{
    for (const RooflineDot& d : m_model.dots)
        if (d.point.subgraph == selection().state().subgraph) {
            m_range = {d.x / 4, d.x * 4, d.y / 4, d.y * 4};
            m_fitted = false;
            update();
            return;
        }
    fitAll();
}

std::optional<QRectF> RooflineView::shownPart() const
{
    if (!m_model.hint.isEmpty())
        return std::nullopt;
    if (m_fitted)
        return QRectF();
    return QRectF(QPointF(std::log10(m_range.x0), std::log10(m_range.y0)),
                  QPointF(std::log10(m_range.x1), std::log10(m_range.y1)));
}

void RooflineView::showPart(const QRectF& part)
{
    if (part.isEmpty()) {
        fitAll();
        return;
    }
    m_range = {std::pow(10, part.left()), std::pow(10, part.right()), std::pow(10, part.top()),
               std::pow(10, part.bottom())};
    m_fitted = false;
    panBy({}); // keeps the border of what there is in sight
}

QRectF RooflineView::selectedPart() const
{
    for (const RooflineDot& d : m_model.dots)
        if (d.point.subgraph == selection().state().subgraph)
            return {std::log10(d.x) - 0.1, std::log10(d.y) - 0.1, 0.2, 0.2};
    return {};
}

QPointF RooflineView::focusPoint() const
{
    return selectedPart().isEmpty() ? Canvas::focusPoint() : dotCentre(*selection().state().subgraph);
}

QPointF RooflineView::dotCentre(SubgraphId id) const
{
    for (const RooflineDot& d : m_model.dots)
        if (d.point.subgraph == id)
            return RooflinePlot::toPixel(RooflinePlot::plotRect(chartArea(rect())), m_range, d.x, d.y);
    return {};
}

const RooflineDot* RooflineView::dotAt(QPointF position, const std::vector<RooflineDot>& dots) const
{
    const QRectF plot = RooflinePlot::plotRect(chartArea(rect()));
    if (!plot.contains(position))
        return nullptr;
    const RooflineDot* found = nullptr; // the last one that is hit lies on top
    for (const RooflineDot& d : dots) {
        const QPointF away = RooflinePlot::toPixel(plot, m_range, d.x, d.y) - position;
        if (std::hypot(away.x(), away.y()) <= std::max(6.0, RooflinePlot::dotRadius(m_model, d)))
            found = &d;
    }
    return found;
}

// -- mouse and keys --------------------------------------------------------------------------------------

QString RooflineView::tooltipAt(QPointF position) const
{
    if (const RooflineDot* d = dotAt(position, m_model.dots))
        return rooflineTooltip(m_model, *d, false);
    if (const RooflineDot* g = dotAt(position, m_model.ghosts))
        return rooflineTooltip(m_model, *g, true);
    return {};
}

void RooflineView::mousePressEvent(QMouseEvent* event)
{
    Canvas::mousePressEvent(event);
    if (event->button() != Qt::LeftButton)
        return;
    const RooflineDot* d = dotAt(event->position(), m_model.dots);
    if (!d)
        return;
    if (event->modifiers() & Qt::ControlModifier) {
        SelectionState next = selection().state();
        if (next.subgraphs.erase(d->point.subgraph) == 0)
            next.subgraphs.insert(d->point.subgraph);
        selection().set(next);
    } else {
        selection().selectSubgraph(d->point.subgraph);
    }
}

void RooflineView::mouseMoveEvent(QMouseEvent* event)
{
    Canvas::mouseMoveEvent(event);
    if (isPanning())
        return;
    HoverState hover;
    if (const RooflineDot* d = dotAt(event->position(), m_model.dots))
        hover.subgraph = d->point.subgraph;
    setCursor(hover.subgraph ? Qt::PointingHandCursor : Qt::ArrowCursor);
    selection().setHover(hover);
}

void RooflineView::leaveEvent(QEvent* event)
{
    selection().setHover({});
    Canvas::leaveEvent(event);
}

void RooflineView::move(int by)
{
    const auto& points = m_model.roofs.points; // in the order of the schedule
    if (points.empty())
        return;
    std::size_t at = 0;
    for (std::size_t i = 0; i < points.size(); ++i)
        if (points[i].subgraph == selection().state().subgraph)
            at = static_cast<std::size_t>(
                std::clamp<std::ptrdiff_t>(static_cast<std::ptrdiff_t>(i) + by, 0, std::ssize(points) - 1));
    selection().selectSubgraph(points[at].subgraph);
}

} // namespace tilewright::ui
