// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/latency/latency_view.h"

#include <QComboBox>
#include <QMouseEvent>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace tilewright::ui {

LatencyView::LatencyView(const ViewContext& context, QWidget* parent)
    : ToolCanvas(context, QStringLiteral("latency"), tr("Latency"), parent)
{
    m_sort = bar().addChoice(tr("Sort by"), {tr("order"), tr("latency"), tr("change")},
                             tr("In the order of execution, the longest first, or those first that changed "
                                "most against the baseline."));
    m_colour = bar().addChoice(tr("Colour"), {tr("parts"), tr("bound"), tr("subgraph")},
                               tr("What the colour of a bar tells: compute, load and store; what binds; or "
                                  "the subgraph as in the graph."));
    for (QComboBox* box : {m_sort, m_colour})
        connect(box, &QComboBox::currentIndexChanged, this, &LatencyView::rebuild);
    for (auto signal : {&Document::problemChanged, &Document::snapshotChanged, &Document::baselineChanged})
        connect(&document(), signal, this, &LatencyView::outdate);
    connect(&document(), &Document::problemChanged, this, &LatencyView::fitAll);
    connect(&selection(), &Selection::changed, this, qOverload<>(&QWidget::update));
    connect(&selection(), &Selection::hoverChanged, this, qOverload<>(&QWidget::update));
    addTimeKeys();
    addKeys("previous", tr("Previous bar"), {QKeySequence(Qt::Key_Comma)},
            tr("Select the subgraph of the bar before."), [this] { move(-1); });
    addKeys("next", tr("Next bar"), {QKeySequence(Qt::Key_Period)},
            tr("Select the subgraph of the bar after."), [this] { move(1); });
    rebuild();
}

void LatencyView::rebuild()
{
    const SnapshotPtr baseline = document().baseline();
    m_model = buildLatency(document().snapshot().get(), baseline.get(), document().colours(),
                           {static_cast<LatencySort>(m_sort->currentIndex()),
                            static_cast<LatencyColour>(m_colour->currentIndex())});
    const auto n = static_cast<double>(std::max<std::size_t>(1, m_model.bars.size()));
    m_range.setTotal(n, 4);
    setAccessibleDescription(m_model.hint.isEmpty() ? m_model.title : m_model.hint);
    update();
}

void LatencyView::paintContent(QPainter& painter, const QRectF& area, const Theme& theme, bool exporting)
{
    if (!m_model.hint.isEmpty()) {
        paintEmptyHint(painter, area, m_model.hint, theme);
        return;
    }
    const LatencyPlaces p = latencyPlaces(area, m_model);
    LatencyOverlay overlay;
    overlay.selected = selection().state().subgraphs;
    overlay.current = selection().state().subgraph;
    if (!exporting)
        overlay.hover = selection().hover().subgraph;
    const auto n = static_cast<double>(m_model.bars.size());
    // A few bars are not stretched over the whole width.
    Axis axis{exporting ? 0 : m_range.from(), exporting ? n : m_range.to(), p.plot.left(), p.plot.right()};
    axis.p1 = std::min(axis.p1, axis.p0 + (axis.v1 - axis.v0) * 150);
    paintLatency(painter, m_model, p, axis, theme, overlay);
}

Axis LatencyView::slotAxis() const
{
    const QRectF plot = latencyPlaces(contentArea(), m_model).plot;
    return m_range.axis(plot.left(), std::min(plot.right(), plot.left() + m_range.span() * 150));
}

void LatencyView::zoomBy(double factor, QPointF anchor)
{
    const Axis a = slotAxis();
    m_range.zoom(factor, a.toValue(std::clamp(anchor.x(), a.p0, a.p1)));
    update();
}

void LatencyView::panBy(QPointF pixels)
{
    const Axis a = slotAxis();
    m_range.pan(a.v0 - a.toValue(a.p0 + pixels.x()));
    update();
}

void LatencyView::fitAll()
{
    m_range.fit();
    update();
}

void LatencyView::fitSelection()
{
    double low = 1e18;
    double high = -1;
    for (std::size_t i = 0; i < m_model.bars.size(); ++i)
        if (selection().state().subgraphs.count(m_model.bars[i].id) ||
            selection().state().subgraph == m_model.bars[i].id) {
            low = std::min(low, static_cast<double>(i));
            high = std::max(high, static_cast<double>(i));
        }
    if (high < 0)
        fitAll();
    else
        m_range.set(low - 4, high + 5);
    update();
}

std::optional<QRectF> LatencyView::shownPart() const
{
    if (m_model.bars.empty())
        return std::nullopt;
    return m_range.part();
}

void LatencyView::showPart(const QRectF& part)
{
    m_range.show(part);
    update();
}

QRectF LatencyView::selectedPart() const
{
    for (std::size_t i = 0; i < m_model.bars.size(); ++i)
        if (selection().state().subgraph == m_model.bars[i].id)
            return {static_cast<double>(i), 0, 1, 1};
    return {};
}

QPointF LatencyView::focusPoint() const
{
    const auto current = selection().state().subgraph;
    return current && !selectedPart().isEmpty() ? barFoot(*current) : contentArea().center();
}

void LatencyView::reveal(SubgraphId id)
{
    for (std::size_t i = 0; i < m_model.bars.size(); ++i)
        if (m_model.bars[i].id == id) {
            m_range.reveal(static_cast<double>(i), static_cast<double>(i) + 1);
            update();
        }
}

QPointF LatencyView::barFoot(SubgraphId id) const
{
    const QRectF plot = latencyPlaces(contentArea(), m_model).plot;
    for (std::size_t i = 0; i < m_model.bars.size(); ++i)
        if (m_model.bars[i].id == id)
            return {slotAxis().toPixel(static_cast<double>(i) + 0.5), plot.bottom() - 3};
    return {};
}

const LatencyBar* LatencyView::barAt(QPointF position) const
{
    const LatencyPlaces p = latencyPlaces(contentArea(), m_model);
    if (!p.plot.united(p.labels).contains(position))
        return nullptr;
    const double at = std::floor(slotAxis().toValue(position.x()));
    if (at < 0 || at >= static_cast<double>(m_model.bars.size()))
        return nullptr;
    return &m_model.bars[static_cast<std::size_t>(at)];
}

QString LatencyView::tooltipAt(QPointF position) const
{
    const LatencyBar* b = barAt(position);
    return b ? latencyTooltip(*b) : QString();
}

void LatencyView::mousePressEvent(QMouseEvent* event)
{
    ToolCanvas::mousePressEvent(event);
    const LatencyBar* b = barAt(event->position());
    if (event->button() != Qt::LeftButton || !b)
        return;
    if (event->modifiers() & Qt::ControlModifier) {
        SelectionState next = selection().state();
        if (next.subgraphs.erase(b->id) == 0)
            next.subgraphs.insert(b->id);
        selection().set(next);
    } else {
        selection().selectSubgraph(b->id);
    }
}

void LatencyView::mouseMoveEvent(QMouseEvent* event)
{
    ToolCanvas::mouseMoveEvent(event);
    if (isPanning())
        return;
    HoverState hover;
    if (const LatencyBar* b = barAt(event->position()))
        hover.subgraph = b->id;
    selection().setHover(hover);
}

void LatencyView::leaveEvent(QEvent* event)
{
    selection().setHover({});
    ToolCanvas::leaveEvent(event);
}

void LatencyView::move(int by)
{
    if (m_model.bars.empty())
        return;
    std::size_t at = 0;
    for (std::size_t i = 0; i < m_model.bars.size(); ++i)
        if (m_model.bars[i].id == selection().state().subgraph)
            at = by < 0 ? (i == 0 ? 0 : i - 1) : std::min(i + 1, m_model.bars.size() - 1);
    selection().selectSubgraph(m_model.bars[at].id);
    reveal(m_model.bars[at].id);
}

} // namespace tilewright::ui
