// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/npu/npu_view.h"

#include "theme/icon.h"
#include "theme/number.h"
#include "views/npu/npu_controls.h"
#include "views/npu/npu_side.h"
#include "views/npu/npu_text.h"

#include <QToolButton>

#include <algorithm>
#include <cmath>

namespace tilewright::ui {

NpuView::NpuView(const ViewContext& context, QWidget* parent)
    : LaneChart(context, QStringLiteral("npu"), tr("NPU"), Dragging::Measures, parent),
      m_state(context.workspace.npu())
{
    QAction* follow =
        addFollowCommand(Lens::Npu, tr("Show the open model on the cores of its machine, cut into the tiles "
                                       "of its schedule. Editing the hardware or the tiles here ends it."));
    m_controls = new NpuControls(context.workspace, m_options, follow, this);
    m_side = new NpuSide(context, m_state, this);
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
    connect(m_controls, &NpuControls::optionsChanged, this, &NpuView::rebuild);
    connect(&m_state, &NpuDocument::resultChanged, this, &NpuView::rebuild);
    connect(&m_state, &NpuDocument::busyChanged, this, [this] {
        m_model.busy = m_state.isBusy();
        amend([this](LaneModel& lanes) { lanes.title = npuTitle(m_model); });
    });
    connect(&m_state, &NpuDocument::cursorChanged, this, qOverload<>(&QWidget::update));
    connect(&m_state, &NpuDocument::nodeChanged, this, qOverload<>(&QWidget::update));
    addOwnKeys();
    rebuild();
    followWorkload(Lens::Npu);
}

void NpuView::settle()
{
    m_state.settle();
    m_side->settle();
    rebuild();
}

QSize NpuView::exportSize() const
{
    return {1280, std::max(480, static_cast<int>(std::ceil(naturalHeight(lanes()))))};
}

QString NpuView::copyText() const
{
    return m_model.result ? NpuSide::stallsAsText(*m_model.result) : QString();
}

void NpuView::rebuild()
{
    m_model = buildNpuChart(m_state);
    LaneModel lanes = npuLanes(m_model, m_options);
    lanes.titleSpace = 2 * m_toggleSide->sizeHint().width() + 12;
    setLanes(std::move(lanes));
    setAccessibleDescription(!m_model.hint.isEmpty()
                                 ? m_model.hint
                                 : m_model.header + QStringLiteral(". ") + m_model.result->sentence);
    place();
    update();
}

QRectF NpuView::chartArea(const QRectF& area, bool exporting) const
{
    if (exporting || !m_side)
        return area;
    const double left = m_controls->isVisibleTo(this) ? m_controls->geometry().right() + 1 : 0;
    const double right = m_side->isVisibleTo(this) ? m_side->geometry().left() : width();
    return {left, area.top(), std::max(10.0, right - left), area.height()};
}

void NpuView::place()
{
    const int em = fontMetrics().horizontalAdvance(QLatin1Char('m'));
    const int controls = std::max(200, 20 * em);
    const int side = std::max(260, 25 * em);
    // The chart comes first: in a narrow pane, lists and settings are hidden.
    const bool showControls = m_toggleControls->isChecked() && width() > controls + 320;
    const bool showSide = m_toggleSide->isChecked() && width() > (showControls ? controls : 0) + side + 520;
    m_controls->setVisible(showControls);
    m_controls->setGeometry(0, 0, controls, height());
    m_side->setVisible(showSide);
    m_side->setGeometry(width() - side, 0, side, height());
    placeScroll();
    const QRectF area = chartArea(rect(), false);
    const QSize b = m_toggleSide->sizeHint();
    m_toggleSide->setGeometry(static_cast<int>(area.right()) - b.width() - 4, 4, b.width(), b.height());
    m_toggleControls->setGeometry(m_toggleSide->x() - b.width() - 2, 4, b.width(), b.height());
    m_toggleControls->raise();
    m_toggleSide->raise();
    update();
}

std::optional<double> NpuView::pinnedTime() const
{
    const auto cursor = m_state.cursor();
    return cursor ? std::optional(static_cast<double>(*cursor)) : std::nullopt;
}

QString NpuView::restingReadout() const
{
    if (!m_model.result)
        return {};
    if (!m_state.cursor())
        return tr("Point at the chart to see what a core does or waits for.");
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

// -- positions --------------------------------------------------------------------------------------------

std::optional<TimeCanvas::Range> NpuView::selectedRange() const
{
    const auto node = m_state.node();
    if (!m_model.result || !node)
        return std::nullopt;
    return Range{static_cast<double>(m_model.result->chosenAt[*node]),
                 static_cast<double>(m_model.result->run->storedAt[*node])};
}

QPointF NpuView::focusPoint() const
{
    if (!m_model.result || !m_state.cursor())
        return LaneChart::focusPoint();
    return pointIn(m_lastCore * lanesPerCore(), std::clamp(static_cast<double>(*m_state.cursor()) + 0.5,
                                                           visibleRange().first, visibleRange().second));
}

std::size_t NpuView::lanesPerCore() const
{
    return m_options.engines ? 4 : 2;
}

std::optional<std::size_t> NpuView::coreOf(const LaneHit& hit) const
{
    const std::size_t core = hit.lane / lanesPerCore();
    return core < m_model.result->run->cores.size() ? std::optional(core) : std::nullopt;
}

void NpuView::hovered(QPointF position)
{
    LaneChart::hovered(position);
    m_state.setHoverNode(hoverTime() ? markAt(position) : std::nullopt);
}

QString NpuView::measuredText() const
{
    if (!measured())
        return {};
    return registry()
        .withKeys(tr("%1 selected; {canvas.fitSelection|F} zooms there"))
        .arg(counted(static_cast<std::int64_t>(std::round(measured()->second - measured()->first)),
                     tr("cycle"), tr("cycles")));
}

QStringList NpuView::keysOf(const LaneHit& hit) const
{
    const std::uint32_t node = hit.marks && hit.marks->id ? hit.marks->id(hit.mark) : Marks::kNoMark;
    return node == Marks::kNoMark ? QStringList() : QStringList{nodeKey(node)};
}

} // namespace tilewright::ui
