// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/latency/latency_view.h"

#include "theme/text.h"

#include <QComboBox>
#include <QMouseEvent>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace tilewright::ui {

LatencyView::LatencyView(const ViewContext& context, QWidget* parent)
    : LaneChart(context, QStringLiteral("latency"), tr("Latency"), Dragging::Measures, parent),
      m_overlay(std::make_shared<LatencyOverlay>())
{
    m_sort = bar().addChoice(
        tr("Sort by"), {tr("order"), tr("latency"), tr("change")},
        tr("In execution order, slowest first, or largest change against the baseline first."));
    m_colour = bar().addChoice(tr("Colour"), {tr("parts"), tr("bound"), tr("subgraph"), tr("energy")},
                               tr("Meaning of a bar's colour: compute, load and store; the bound; the "
                                  "subgraph as in the graph; or the energy, compared with the subgraph "
                                  "that takes most."));
    m_beside =
        bar().addChoice(tr("Beside"), {tr("the run"), tr("nothing")},
                        tr("The run: the time that each subgraph takes where loads, array, vector unit and "
                           "stores work side by side (the Run view), and why it differs."));
    for (QComboBox* box : {m_sort, m_colour})
        connect(box, &QComboBox::currentIndexChanged, this, &LatencyView::rebuild);
    connect(m_beside, &QComboBox::currentIndexChanged, this, &LatencyView::outdate);
    connect(&workspace().run(), &LiveRun::changed, this, [this] {
        if (showsRun())
            outdate();
    });
    document().whenChanged(this, Part::Problem | Part::Snapshot | Part::Baseline, &LatencyView::outdate);
    document().whenChanged(this, Part::Problem, [this] {
        setMeasured(std::nullopt);
        fitAll();
    });
    connect(&selection(), &Selection::changed, this, qOverload<>(&QWidget::update));
    connect(&selection(), &Selection::hoverChanged, this, qOverload<>(&QWidget::update));
    addKeys("previous", tr("Previous bar"), {QKeySequence(Qt::Key_Comma)},
            tr("Select the subgraph of the previous bar."), [this] { move(-1); });
    addKeys("next", tr("Next bar"), {QKeySequence(Qt::Key_Period)},
            tr("Select the subgraph of the next bar."), [this] { move(1); });
    addKeys("letGo", tr("Clear measurement"), {QKeySequence(Qt::Key_Escape)}, tr("End the measured range."),
            [this] { setMeasured(std::nullopt); });
    rebuild();
    outdate();
}

bool LatencyView::showsRun() const
{
    return m_beside->currentIndex() == 0;
}

void LatencyView::bringUpToDate()
{
    if (showsRun())
        workspace().run().need();
    rebuild();
}

void LatencyView::settle()
{
    document().waitForSnapshot();
    if (showsRun())
        workspace().run().settle();
    rebuild();
}

void LatencyView::rebuild()
{
    const SnapshotPtr baseline = document().baseline();
    const LiveRun& run = workspace().run();
    // A run of an earlier schedule is not shown beside the bars; the run of this schedule follows when it is
    // ready.
    const LiveRunPtr shown = showsRun() && run.isCurrent() ? run.result() : nullptr;
    m_model = buildLatency(document().snapshot().get(), baseline.get(), document().colours(),
                           {static_cast<LatencySort>(m_sort->currentIndex()),
                            static_cast<LatencyColour>(m_colour->currentIndex())},
                           shown);
    setLanes(latencyLanes(std::make_shared<const LatencyModel>(m_model), m_overlay));
    setAccessibleDescription(m_model.hint.isEmpty() ? m_model.title : m_model.hint);
    update();
}

void LatencyView::paintContent(QPainter& painter, const QRectF& area, const Theme& theme, bool exporting)
{
    m_overlay->selected = selection().state().subgraphs;
    m_overlay->current = selection().state().subgraph;
    m_overlay->hover = exporting ? std::nullopt : selection().hover().subgraph;
    LaneChart::paintContent(painter, area, theme, exporting);
}

QString LatencyView::measuredText() const
{
    if (!measured())
        return {};
    const auto from = static_cast<std::size_t>(std::max(0.0, std::floor(measured()->first)));
    const auto to = std::min(m_model.bars.size(), static_cast<std::size_t>(std::ceil(measured()->second)));
    double sum = 0;
    for (std::size_t i = from; i < to; ++i)
        sum += m_model.bars[i].latency;
    return tr("%1 · latency %2 (%3)")
        .arg(counted(static_cast<std::int64_t>(to - std::min(from, to)), tr("subgraph"), tr("subgraphs")),
             number(sum), percent(m_model.total > 0 ? sum / m_model.total : 0));
}

// -- the bars --------------------------------------------------------------------------------------------

std::optional<std::size_t> LatencyView::indexOf(std::optional<SubgraphId> id) const
{
    for (std::size_t i = 0; i < m_model.bars.size(); ++i)
        if (m_model.bars[i].id == id)
            return i;
    return std::nullopt;
}

void LatencyView::fitSelection()
{
    std::optional<Range> range;
    for (std::size_t i = 0; i < m_model.bars.size(); ++i) {
        const SubgraphId id = m_model.bars[i].id;
        if (!selection().state().subgraphs.count(id) && selection().state().subgraph != id)
            continue;
        const auto at = static_cast<double>(i);
        range = Range{range ? range->first : at, at};
    }
    if (fitMeasured())
        return;
    if (range)
        setRange(range->first - 4, range->second + 5);
    else
        fitAll();
}

std::optional<TimeCanvas::Range> LatencyView::selectedRange() const
{
    const auto at = indexOf(selection().state().subgraph);
    return at ? std::optional(Range{static_cast<double>(*at), static_cast<double>(*at) + 1}) : std::nullopt;
}

QPointF LatencyView::focusPoint() const
{
    const auto current = selection().state().subgraph;
    return indexOf(current) ? barFoot(*current) : contentArea().center();
}

QPointF LatencyView::barFoot(SubgraphId id) const
{
    const auto at = indexOf(id);
    if (!at)
        return {};
    return {timeAxis().toPixel(static_cast<double>(*at) + 0.5), places().lanes[1].rect.bottom() - 3};
}

// -- mouse and keys --------------------------------------------------------------------------------------

void LatencyView::mousePressEvent(QMouseEvent* event)
{
    m_extends = event->modifiers() & Qt::ControlModifier;
    LaneChart::mousePressEvent(event);
}

void LatencyView::clicked(QPointF position, double)
{
    const auto mark = markAt(position);
    if (!mark)
        return;
    const SubgraphId id(*mark);
    if (m_extends) {
        SelectionState next = selection().state();
        if (next.subgraphs.erase(id) == 0)
            next.subgraphs.insert(id);
        selection().set(next);
    } else {
        selection().selectSubgraph(id);
    }
}

void LatencyView::hovered(QPointF position)
{
    LaneChart::hovered(position);
    HoverState hover;
    if (const auto mark = markAt(position))
        hover.subgraph = SubgraphId(*mark);
    selection().setHover(hover);
}

void LatencyView::leaveEvent(QEvent* event)
{
    selection().setHover({});
    LaneChart::leaveEvent(event);
}

void LatencyView::move(int by)
{
    if (m_model.bars.empty())
        return;
    std::size_t at = 0;
    if (const auto here = indexOf(selection().state().subgraph))
        at = by < 0 ? (*here == 0 ? 0 : *here - 1) : std::min(*here + 1, m_model.bars.size() - 1);
    selection().selectSubgraph(m_model.bars[at].id);
    reveal(static_cast<double>(at) + (by < 0 ? 0 : 1));
}

QStringList LatencyView::keysOf(const LaneHit& hit) const
{
    return hit.marks ? QStringList{keyOf(m_model.bars[hit.mark].id)} : QStringList();
}

} // namespace tilewright::ui
