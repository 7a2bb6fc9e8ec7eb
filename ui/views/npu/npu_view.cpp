// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/npu/npu_view.h"

#include "theme/icon.h"
#include "theme/number.h"
#include "views/npu/npu_controls.h"
#include "views/npu/npu_side.h"
#include "views/npu/npu_text.h"

#include <QApplication>
#include <QPainter>
#include <QScrollBar>
#include <QToolButton>

#include <algorithm>
#include <cmath>

namespace tilewright::ui {

namespace {
constexpr double kShortestRange = 16; // cycles: a handful of bursts
} // namespace

NpuView::NpuView(const ViewContext& context, QWidget* parent)
    : TimeCanvas(context, QStringLiteral("npu"), tr("NPU"), parent), m_state(NpuState::of(context))
{
    m_controls = new NpuControls(m_state, m_options, this);
    m_side = new NpuSide(context, m_state, this);
    m_scroll = new QScrollBar(Qt::Vertical, this);
    m_scroll->setAccessibleName(tr("Scroll the lanes"));
    connect(m_scroll, &QScrollBar::valueChanged, this, qOverload<>(&QWidget::update));
    const auto toggle = [&](const QString& name, const QString& iconName, const QString& tip) {
        auto* button = new QToolButton(this);
        button->setObjectName(name);
        button->setIcon(icon(iconName));
        button->setIconSize({18, 18});
        button->setCheckable(true);
        button->setChecked(true);
        button->setAutoRaise(true);
        button->setToolTip(tip);
        button->setAccessibleName(tip);
        connect(button, &QToolButton::toggled, this, &NpuView::place);
        return button;
    };
    m_toggleControls =
        toggle(QStringLiteral("npu.toggleControls"), QStringLiteral("settings"), tr("Show the settings"));
    m_toggleSide = toggle(QStringLiteral("npu.toggleSide"), QStringLiteral("bars"),
                          tr("Show stalls, node, instructions and checks"));
    connect(m_controls, &NpuControls::optionsChanged, this, [this] {
        place();
        update();
    });
    connect(&m_state, &NpuState::resultChanged, this, &NpuView::rebuild);
    connect(&m_state, &NpuState::busyChanged, this, [this] {
        m_model.busy = m_state.isBusy();
        update();
    });
    connect(&m_state, &NpuState::cursorChanged, this, qOverload<>(&QWidget::update));
    connect(&m_state, &NpuState::nodeChanged, this, qOverload<>(&QWidget::update));
    addOwnKeys();
    rebuild();
}

void NpuView::settle()
{
    m_state.settle();
    m_side->settle();
    rebuild();
}

QSize NpuView::exportSize() const
{
    return {1280, std::max(480, static_cast<int>(std::ceil(npuNaturalHeight(m_model, m_options))))};
}

QString NpuView::copyText() const
{
    return m_model.result ? NpuSide::stallsAsText(*m_model.result) : QString();
}

void NpuView::rebuild()
{
    m_model = buildNpuChart(m_state);
    if (m_model.result)
        setTotal(m_model.total);
    setAccessibleDescription(!m_model.hint.isEmpty()
                                 ? m_model.hint
                                 : m_model.header + QStringLiteral(". ") + m_model.result->sentence);
    place();
    update();
}

QRectF NpuView::content() const
{
    double left = 0;
    double right = width();
    if (m_controls && m_controls->isVisibleTo(this))
        left = m_controls->geometry().right() + 1;
    if (m_side && m_side->isVisibleTo(this))
        right = m_side->geometry().left();
    if (m_scroll && m_scroll->isVisibleTo(this))
        right -= m_scroll->sizeHint().width();
    return {left, 0, std::max(10.0, right - left), static_cast<double>(height())};
}

void NpuView::place()
{
    const int em = fontMetrics().horizontalAdvance(QLatin1Char('m'));
    const int controls = std::max(200, 20 * em);
    const int side = std::max(260, 25 * em);
    // The chart comes first: lists and settings go when the pane is narrow.
    const bool showControls = m_toggleControls->isChecked() && width() > controls + 320;
    const bool showSide = m_toggleSide->isChecked() && width() > (showControls ? controls : 0) + side + 520;
    m_controls->setVisible(showControls);
    m_controls->setGeometry(0, 0, controls, height());
    m_side->setVisible(showSide);
    m_side->setGeometry(width() - side, 0, side, height());
    m_scroll->hide();
    if (m_model.result) {
        NpuPlaces p = npuPlaces(content(), m_model, m_options, 0, false);
        const double hidden = p.contentHeight - p.plot.height();
        if (hidden > 1) {
            m_scroll->show();
            m_scroll->setRange(0, static_cast<int>(std::ceil(hidden)));
            m_scroll->setPageStep(static_cast<int>(p.plot.height()));
            m_scroll->setSingleStep(24);
            const QRectF area = content();
            m_scroll->setGeometry(static_cast<int>(area.right()), static_cast<int>(p.plot.top()),
                                  m_scroll->sizeHint().width(), static_cast<int>(p.plot.height()));
        } else {
            m_scroll->setRange(0, 0);
        }
    }
    const QRectF area = content();
    const QSize b = m_toggleSide->sizeHint();
    m_toggleSide->setGeometry(static_cast<int>(area.right()) - b.width() - 4, 4, b.width(), b.height());
    m_toggleControls->setGeometry(m_toggleSide->x() - b.width() - 2, 4, b.width(), b.height());
    m_toggleControls->raise();
    m_toggleSide->raise();
    update();
}

NpuPlaces NpuView::places() const
{
    NpuPlaces p =
        npuPlaces(content(), m_model, m_options, m_scroll->isVisibleTo(this) ? m_scroll->value() : 0, false);
    p.title.setRight(std::min(p.title.right(), static_cast<double>(m_toggleControls->x()) - 6));
    return p;
}

TimeCanvas::Places NpuView::timePlaces() const
{
    if (!m_model.result)
        return {};
    const NpuPlaces p = places();
    return {p.plot, p.overview};
}

double NpuView::shortestRange() const
{
    return kShortestRange;
}

std::optional<double> NpuView::pinnedTime() const
{
    const auto cursor = m_state.cursor();
    return cursor ? std::optional(static_cast<double>(*cursor)) : std::nullopt;
}

void NpuView::paint(QPainter& painter, const QRectF& area, const Theme& theme, bool exporting)
{
    const QRectF inside = exporting ? area : content();
    if (!m_model.hint.isEmpty()) {
        paintEmptyHint(painter, inside, m_model.hint, theme);
        return;
    }
    const NpuPlaces p = exporting ? npuPlaces(inside, m_model, m_options, 0, true) : places();
    const Axis time = exporting && isFitted()
                          ? Axis{0, m_model.total, p.plot.left(), p.plot.right()}
                          : Axis{visibleRange().first, visibleRange().second, p.plot.left(), p.plot.right()};
    const int width = static_cast<int>(p.plot.width());
    if (m_cache.result != m_model.result || m_cache.ghost != m_model.ghost || m_cache.from != time.v0 ||
        m_cache.to != time.v1 || m_cache.width != width) {
        m_cache = {m_model.result, m_model.ghost, time.v0, time.v1, width, {}};
        m_cache.visible.current = NpuColumns::of(*m_model.result, *m_model.noc, time.v0, time.v1, width);
        if (m_model.ghost)
            m_cache.visible.ghost =
                NpuColumns::of(*m_model.ghost, *m_model.ghostNoc, time.v0, time.v1, width);
        m_cache.visible.overview = overallStates(
            *m_model.result,
            static_cast<int>(p.overview.width() * static_cast<double>(m_model.result->run->makespan) /
                             m_model.total));
    }
    NpuOverlay overlay;
    overlay.cursor = m_state.cursor();
    overlay.node = m_state.node();
    if (!exporting) {
        overlay.hover = hoverTime();
        overlay.measured = measured();
        overlay.hoverNode = m_state.hoverNode();
        overlay.readout = m_readout;
    }
    if (overlay.readout.isEmpty() && (!exporting || overlay.cursor))
        overlay.readout = cursorReadout();
    paintNpu(painter, m_model, p, m_options, time, m_cache.visible, theme, overlay);
}

QString NpuView::cursorReadout() const
{
    if (!m_state.cursor())
        return tr("Point at the chart: what a core does or waits for stands here.");
    const npu::Cycle t = *m_state.cursor();
    QStringList parts;
    const npu::NpuRun& run = *m_model.result->run;
    for (std::size_t c = 0; c < run.cores.size(); ++c)
        if (const npu::StateSpan* s = run.stateAt(c, t))
            parts << tr("%1: %2%3")
                         .arg(c)
                         .arg(stateName(s->state),
                              s->node == npu::kNone
                                  ? QString()
                                  : QStringLiteral(" ") + nodeText(*m_model.result->graph, s->node));
    return tr("Cycle %1 · ").arg(number(t)) + parts.join(QStringLiteral(" · "));
}

// -- navigation ------------------------------------------------------------------------------------------

void NpuView::panBy(QPointF pixels)
{
    TimeCanvas::panBy(pixels);
    m_scroll->setValue(m_scroll->value() - static_cast<int>(std::round(pixels.y())));
}

void NpuView::fitSelection()
{
    if (!m_model.result || fitMeasured())
        return;
    if (const auto node = m_state.node()) {
        const double from = static_cast<double>(m_model.result->chosenAt[*node]);
        const double to = static_cast<double>(m_model.result->run->storedAt[*node]);
        const double margin = std::max(8.0, (to - from) * 0.15);
        setRange(from - margin, to + margin);
    } else {
        fitAll();
    }
}

QRectF NpuView::selectedPart() const
{
    if (!m_model.result || measured())
        return {}; // what was measured is wanted large at once
    const auto node = m_state.node();
    if (!node)
        return {};
    const double from = static_cast<double>(m_model.result->chosenAt[*node]);
    return {from, 0, static_cast<double>(m_model.result->run->storedAt[*node]) - from, 1};
}

QPointF NpuView::focusPoint() const
{
    if (!m_model.result || !m_state.cursor())
        return TimeCanvas::focusPoint();
    return pointAt(NpuLaneKind::State, m_lastCore,
                   std::clamp(static_cast<double>(*m_state.cursor()) + 0.5, visibleRange().first,
                              visibleRange().second));
}

QPointF NpuView::pointAt(NpuLaneKind kind, std::size_t core, double time) const
{
    const NpuPlaces p = places();
    for (const NpuLane& lane : p.lanes)
        if (lane.kind == kind && lane.core == core)
            return {timeAxis().toPixel(time), lane.rect.top() + lane.rect.height() * 0.3};
    return {};
}

// -- what is where ---------------------------------------------------------------------------------------

namespace {

template <typename Span> const Span* spanAt(const std::vector<Span>& spans, npu::Cycle time, double slack)
{
    auto it = std::partition_point(spans.begin(), spans.end(), [&](const Span& s) {
        return static_cast<double>(s.end) + slack <= static_cast<double>(time);
    });
    return it != spans.end() && static_cast<double>(it->start) - slack <= static_cast<double>(time) ? &*it
                                                                                                    : nullptr;
}

} // namespace

std::optional<std::uint32_t> NpuView::nodeAt(QPointF position) const
{
    if (!m_model.result)
        return std::nullopt;
    const NpuPlaces p = places();
    const NpuLane* lane = p.laneAt(position);
    if (!lane || position.x() < p.plot.left() || position.x() >= p.plot.right())
        return std::nullopt;
    const Axis axis = timeAxis();
    const auto t = static_cast<npu::Cycle>(std::floor(axis.toValue(position.x())));
    const double slack = (visibleRange().second - visibleRange().first) / p.plot.width();
    const npu::NpuRun& run = *m_model.result->run;
    const bool upper = position.y() < lane->rect.center().y();
    std::uint32_t node = npu::kNone;
    switch (lane->kind) {
    case NpuLaneKind::State:
        if (const npu::StateSpan* s = run.stateAt(lane->core, t))
            node = s->node;
        break;
    case NpuLaneKind::Engines:
        if (const auto* s =
                spanAt(upper ? run.cores[lane->core].tensor : run.cores[lane->core].vector, t, slack))
            node = s->node;
        break;
    case NpuLaneKind::Dma:
        if (const auto* s =
                spanAt(upper ? run.cores[lane->core].loads : run.cores[lane->core].stores, t, slack))
            node = s->node;
        break;
    default:
        break;
    }
    if (node == npu::kNone)
        return std::nullopt;
    return node;
}

QString NpuView::readoutAt(QPointF position) const
{
    if (!m_model.result)
        return {};
    const NpuPlaces p = places();
    const NpuLane* lane = p.laneAt(position);
    if (!lane || position.x() < p.plot.left() || position.x() >= p.plot.right())
        return {};
    const NpuResult& r = *m_model.result;
    const npu::NpuRun& run = *r.run;
    const double at = timeAxis().toValue(position.x());
    const auto t = static_cast<npu::Cycle>(std::floor(at));
    if (t >= run.makespan)
        return tr("The run is over at cycle %1.").arg(number(run.makespan));
    const double slack = (visibleRange().second - visibleRange().first) / p.plot.width();
    const bool upper = position.y() < lane->rect.center().y();
    const auto x = static_cast<std::size_t>(position.x() - p.plot.left());
    const NpuColumns& columns = m_cache.visible.current;
    const bool cached =
        columns.width > 0 && x < static_cast<std::size_t>(columns.width) && m_cache.result == m_model.result;
    const auto transfer = [&](const npu::TransferSpan& s, const QString& what) {
        return tr("core %1 · %2 tile %3 for %4 · %5 · cycles %6 – %7")
            .arg(QString::number(lane->core), what, tileText(*r.graph, s.tile), nodeText(*r.graph, s.node),
                 byteText(r.graph->tiles[s.tile].alignedBytes), number(s.start), number(s.end));
    };
    switch (lane->kind) {
    case NpuLaneKind::State:
        if (const npu::StateSpan* s = run.stateAt(lane->core, t))
            return spanText(r, lane->core, *s);
        break;
    case NpuLaneKind::Engines: {
        const npu::CoreRun& core = run.cores[lane->core];
        if (const auto* s = spanAt(upper ? core.tensor : core.vector, t, slack))
            return tr("core %1 · %2 engine · %3 · cycles %4 – %5 (%6)")
                .arg(QString::number(lane->core), upper ? tr("tensor") : tr("vector"),
                     nodeText(*r.graph, s->node), number(s->start), number(s->end),
                     number(s->end - s->start));
        return tr("core %1 · %2 engine idle at cycle %3")
            .arg(QString::number(lane->core), upper ? tr("tensor") : tr("vector"), number(t));
    }
    case NpuLaneKind::Dma: {
        const npu::CoreRun& core = run.cores[lane->core];
        if (const auto* s = spanAt(upper ? core.loads : core.stores, t, slack))
            return transfer(*s, upper ? tr("loads") : tr("stores"));
        return tr("core %1 · no %2 at cycle %3")
            .arg(QString::number(lane->core), upper ? tr("load") : tr("store"), number(t));
    }
    case NpuLaneKind::Spm:
        return tr("core %1 · SPM %2 of %3 at cycle %4")
            .arg(QString::number(lane->core), byteText(stepAt(run.cores[lane->core].spm, t)),
                 byteText(r.settings.hardware.spmBytes), number(t));
    case NpuLaneKind::Dram:
        if (cached)
            return tr("DRAM %1 of %2 bytes a cycle at cycle %3")
                .arg(number(static_cast<double>(columns.dram[x])),
                     number(r.settings.hardware.dram.bytesPerCycle * r.settings.hardware.dram.channels),
                     number(t));
        break;
    case NpuLaneKind::Banks: {
        const npu::DramHardware& dram = r.settings.hardware.dram;
        const int rows = dram.channels * dram.banks;
        const int row = std::clamp(
            static_cast<int>((position.y() - lane->rect.top()) / lane->rect.height() * rows), 0, rows - 1);
        const QString where = tr("channel %1, bank %2").arg(row / dram.banks).arg(row % dram.banks);
        // A single event when they can be told apart.
        const npu::DramEvent* hit = nullptr;
        auto it = std::upper_bound(run.dramEvents.begin(), run.dramEvents.end(), t,
                                   [](npu::Cycle c, const npu::DramEvent& e) { return c < e.start; });
        for (int back = 0; it != run.dramEvents.begin() && back < 8 * dram.channels; ++back) {
            --it;
            if (it->channel == row / dram.banks && it->bank == row % dram.banks && it->end > t) {
                hit = &*it;
                break;
            }
        }
        if (hit)
            return tr("%1 · %2 %3 · %4 bursts of %5 at address %6 · row %7 · cycles %8 – %9")
                .arg(where, hit->isStore ? tr("stores") : tr("loads"), tileText(*r.graph, hit->tile),
                     QString::number(hit->bursts), byteText(dram.burstBytes),
                     QStringLiteral("0x") + QString::number(hit->address, 16),
                     hit->rowHit ? tr("hit") : tr("miss"), number(hit->start), number(hit->end));
        if (cached) {
            const BankCell& cell =
                columns.banks[static_cast<std::size_t>(row) * static_cast<std::size_t>(columns.width) + x];
            if (cell.bytesPerCycle > 0)
                return tr("%1 · %2 bytes a cycle · %3 row misses at cycle %4")
                    .arg(where, number(static_cast<double>(cell.bytesPerCycle)),
                         percent(static_cast<double>(cell.missShare)), number(t));
        }
        return tr("%1 · nothing at cycle %2").arg(where, number(t));
    }
    case NpuLaneKind::Noc:
        return tr("NoC %1 of %2 bytes a cycle at cycle %3 (every transfer at its mean rate)")
            .arg(number(m_model.noc->rateAt(at)), number(r.settings.hardware.trunkBytesPerCycle), number(t));
    case NpuLaneKind::Ready:
        return tr("%1 ready at cycle %2")
            .arg(counted(stepAt(run.readySet, t), tr("unit"), tr("units")), number(t));
    }
    return {};
}

QString NpuView::tooltipAt(QPointF position) const
{
    if (!m_model.result)
        return {};
    const NpuPlaces p = places();
    if (p.title.contains(position))
        return m_model.result->sentence.toHtmlEscaped();
    const NpuLane* lane = p.laneAt(position);
    if (!lane)
        return {};
    if (p.facts.contains(position) && lane->kind == NpuLaneKind::State) {
        QString text = QStringLiteral("<b>%1</b>").arg(tr("Core %1").arg(lane->core));
        for (std::size_t s = 0; s < npu::kCoreStates; ++s)
            text +=
                QStringLiteral("<br>") + tr("%1: %2 cycles")
                                             .arg(stateName(static_cast<npu::CoreState>(s)),
                                                  number(m_model.result->run->cores[lane->core].cycles[s]));
        return text;
    }
    const double at = timeAxis().toValue(position.x());
    if (lane->kind == NpuLaneKind::State && position.x() >= p.plot.left() && position.x() < p.plot.right())
        if (const npu::StateSpan* s =
                m_model.result->run->stateAt(lane->core, static_cast<npu::Cycle>(std::floor(at)))) {
            QString text = spanTooltip(*m_model.result, lane->core, *s);
            if (s->node != npu::kNone)
                text += QStringLiteral("<hr>") + nodeTooltip(*m_model.result, s->node);
            return text;
        }
    return readoutAt(position).toHtmlEscaped();
}

void NpuView::hovered(QPointF position)
{
    m_readout = hoverTime() ? readoutAt(position) : QString();
    m_state.setHoverNode(hoverTime() ? nodeAt(position) : std::nullopt);
    update();
}

void NpuView::measuredChanged()
{
    m_readout =
        measured()
            ? tr("%1 selected; F zooms there")
                  .arg(counted(static_cast<std::int64_t>(std::round(measured()->second - measured()->first)),
                               tr("cycle"), tr("cycles")))
            : QString();
}

} // namespace tilewright::ui
