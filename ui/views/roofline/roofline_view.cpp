// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/roofline/roofline_view.h"

#include <algorithm>
#include <cmath>

namespace tilewright::ui {

RooflineView::RooflineView(const ViewContext& context, QWidget* parent)
    : PlotCanvas(context, QStringLiteral("roofline"), tr("Roofline"), parent)
{
    document().whenChanged(this, Part::Problem | Part::Snapshot | Part::Baseline, &RooflineView::outdate);
    document().whenChanged(this, Part::Problem | Part::Machine, &RooflineView::fitAll);
    connect(&selection(), &Selection::changed, this, &RooflineView::outdatePlots);
    connect(&selection(), &Selection::hoverChanged, this, qOverload<>(&QWidget::update));
    addKeys("previous", tr("Previous subgraph"), {QKeySequence(Qt::Key_Comma)},
            tr("Select the subgraph executed before the selected one."), [this] { move(-1); });
    addKeys("next", tr("Next subgraph"), {QKeySequence(Qt::Key_Period)},
            tr("Select the subgraph executed after the selected one."), [this] { move(1); });
    rebuild();
}

void RooflineView::rebuild()
{
    const SnapshotPtr baseline = document().baseline();
    m_model = buildRoofline(document().snapshot().get(), baseline.get());
    setAccessibleDescription(m_model.hint.isEmpty() ? m_model.title : m_model.hint);
    outdatePlots();
}

std::vector<PlotModel> RooflineView::buildPlots(const Theme& theme) const
{
    return {rooflinePlot(m_model, {selection().state().subgraph, selection().state().subgraphs}, theme)};
}

const RooflineDot* RooflineView::dotOf(std::optional<SubgraphId> id) const
{
    const auto it = std::find_if(m_model.dots.begin(), m_model.dots.end(),
                                 [id](const RooflineDot& d) { return d.point.subgraph == id; });
    return it == m_model.dots.end() ? nullptr : &*it;
}

const RooflineDot* RooflineView::dotOf(const PlotMark* mark) const
{
    const auto i = static_cast<std::size_t>(mark ? mark->id : -1);
    return i < m_model.dots.size() ? &m_model.dots[i] : nullptr;
}

QRectF RooflineView::chosenPart() const
{
    const RooflineDot* d = dotOf(selection().state().subgraph);
    const double around = std::log10(4.0);
    return d ? QRectF(std::log10(d->x) - around, std::log10(d->y) - around, 2 * around, 2 * around)
             : QRectF();
}

QPointF RooflineView::dotCentre(SubgraphId id) const
{
    const RooflineDot* d = dotOf(id);
    return d ? frame().toPixel(d->x, d->y) : QPointF();
}

QPointF RooflineView::focusPoint() const
{
    return dotOf(selection().state().subgraph) ? dotCentre(*selection().state().subgraph)
                                               : PlotCanvas::focusPoint();
}

QString RooflineView::markTooltip(const PlotMark& mark) const
{
    if (const RooflineDot* d = dotOf(&mark))
        return rooflineTooltip(m_model, *d, false);
    return rooflineTooltip(m_model, m_model.ghosts[static_cast<std::size_t>(mark.id) - m_model.dots.size()],
                           true);
}

QStringList RooflineView::keysOf(const PlotMark& mark) const
{
    const RooflineDot* d = dotOf(&mark);
    return d ? QStringList{keyOf(d->point.subgraph)} : QStringList();
}

std::optional<int> RooflineView::hoveredMark() const
{
    const RooflineDot* d = dotOf(selection().hover().subgraph);
    return d && selection().hover().subgraph ? std::optional(static_cast<int>(d - m_model.dots.data()))
                                             : std::nullopt;
}

void RooflineView::markHovered(QPointF, const PlotMark* mark)
{
    HoverState hover;
    if (const RooflineDot* d = dotOf(mark))
        hover.subgraph = d->point.subgraph;
    selection().setHover(hover);
}

void RooflineView::markClicked(QPointF, const PlotMark* mark, Qt::KeyboardModifiers modifiers)
{
    const RooflineDot* d = dotOf(mark);
    if (!d)
        return;
    if (modifiers & Qt::ControlModifier) {
        SelectionState next = selection().state();
        if (next.subgraphs.erase(d->point.subgraph) == 0)
            next.subgraphs.insert(d->point.subgraph);
        selection().set(next);
    } else {
        selection().selectSubgraph(d->point.subgraph);
    }
}

void RooflineView::move(int by)
{
    const auto& points = m_model.roofs.points; // in execution order
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
