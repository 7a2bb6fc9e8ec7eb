// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/npu/npu_view.h"

#include "canvas/form.h"
#include "npu/output.h"
#include "theme/text.h"
#include "views/npu/npu_controls.h"
#include "views/npu/npu_side.h"
#include "views/npu/npu_text.h"
#include "workspace/lens_links.h"

#include <QApplication>
#include <QFileDialog>
#include <QMenu>
#include <QMouseEvent>
#include <QToolButton>

#include <algorithm>
#include <cmath>
#include <utility>

namespace tilewright::ui {

namespace {
constexpr int kPaleAfter = 150; // ms
} // namespace

NpuView::NpuView(const ViewContext& context, QWidget* parent)
    : LaneChart(context, QStringLiteral("npu"), tr("NPU"), Dragging::Measures, parent),
      m_state(context.workspace.npu())
{
    QAction* follow = addFollowCommand(
        Lens::Npu, tr("Show the open model on the cores of its machine. Editing the hardware or "
                      "the tiles here ends it."));
    m_controls =
        new NpuControls(context.workspace, m_options,
                        {follow, addUseInMachineCommand(Lens::Npu), addRunScheduleCommand(), addTrace()},
                        addExportCommands(), this);
    m_side = new NpuSide(context, m_state, this);
    m_toggleControls = new PanelToggle(QStringLiteral("npu.toggleControls"), QStringLiteral("settings"),
                                       tr("Show the settings"), this);
    m_toggleSide = new PanelToggle(QStringLiteral("npu.toggleSide"), QStringLiteral("bars"),
                                   tr("Show stalls, node, instructions and checks"), this);
    // Where there is no room for both, the one that is asked for takes the place of the other.
    using Choice = std::optional<bool>;
    const auto connectToggle = [this](QToolButton* button, Choice& wanted, Choice& other) {
        connect(button, &QToolButton::clicked, this, [this, &wanted, &other](bool on) {
            wanted = on;
            if (on && width() < controlsWidth() + sideWidth() + leastChartWidth(*this))
                other = false;
            place();
        });
    };
    connectToggle(m_toggleSide, m_wantsSide, m_wantsControls);
    connectToggle(m_toggleControls, m_wantsControls, m_wantsSide);
    connect(m_controls, &NpuControls::optionsChanged, this, &NpuView::rebuild);
    connect(&m_state, &NpuDocument::resultChanged, this, &NpuView::rebuild);
    connect(&m_state, &NpuDocument::busyChanged, this, &NpuView::showBusy);
    m_pale.setSingleShot(true);
    m_pale.setInterval(kPaleAfter);
    connect(&m_pale, &QTimer::timeout, this, [this] {
        m_model.stale = true;
        showLanes();
    });
    connect(&workspace().links(), &LensLinks::makespanChanged, this, &NpuView::rebuild);
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
    LaneChart::settle();
}

QSize NpuView::exportSize() const
{
    return {1280, std::max(480, static_cast<int>(std::ceil(naturalHeight(lanes()))))};
}

OurTrace NpuView::ourTrace() const
{
    const NpuResultPtr& r = m_model.result;
    if (!r)
        return {};
    return {r, [r] { return npu::traceToJson(*r->graph, *r->run); }};
}

QString NpuView::copyText() const
{
    return m_model.result ? NpuSide::stallsAsText(*m_model.result) : QString();
}

void NpuView::showBusy()
{
    const bool wasStale = m_model.stale;
    const QString awaited = std::exchange(m_model.awaited, QString());
    m_model.busy = m_state.isBusy();
    m_model.progress = m_state.progressText();
    if (!m_model.busy || !m_state.isOutdated()) {
        m_pale.stop();
        m_model.stale = false;
    } else if (m_state.result()->model != m_state.model()) {
        m_model.stale = true;
        m_model.awaited = QString::fromStdString(m_state.model()->name);
    } else if (!wasStale && !m_pale.isActive()) {
        m_pale.start();
    }
    if (m_model.stale != wasStale || m_model.awaited != awaited)
        showLanes();
    else
        amend([this](LaneModel& lanes) { lanes.title = npuTitle(m_model); });
}

void NpuView::rebuild()
{
    m_model = buildNpuChart(m_state, workspace().links().makespanOfFloor());
    showLanes();
    setAccessibleDescription(!m_model.hint.isEmpty()
                                 ? m_model.hint
                                 : m_model.header + QStringLiteral(". ") + m_model.subject +
                                       QStringLiteral(". ") + m_model.result->sentence);
    place();
    showBusy();
}

void NpuView::showLanes()
{
    LaneModel lanes = npuLanes(m_model, m_options);
    lanes.titleSpace = 2 * m_toggleSide->sizeHint().width() + 12;
    setLanes(std::move(lanes));
    m_side->setEnabled(!m_model.stale);
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

int NpuView::controlsWidth() const
{
    return std::max(200, 20 * fontMetrics().horizontalAdvance(QLatin1Char('m')));
}

int NpuView::sideWidth() const
{
    return std::max(260, 25 * fontMetrics().horizontalAdvance(QLatin1Char('m')));
}

void NpuView::place()
{
    // The chart comes first: in a narrow pane, lists and settings are hidden until they are asked for.
    const int least = leastChartWidth(*this);
    const int most = std::max(0, width() - least / 3);
    const int controls = std::min(most, controlsWidth());
    const bool showControls = m_wantsControls.value_or(width() > controls + least);
    const int side = std::min(most - (showControls ? controls : 0), sideWidth());
    const bool showSide = side > 0 && m_wantsSide.value_or(width() > (showControls ? controls : 0) + side +
                                                                         std::max(520, least));
    m_toggleControls->setChecked(showControls);
    m_toggleSide->setChecked(showSide);
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

void NpuView::resizeEvent(QResizeEvent* event)
{
    LaneChart::resizeEvent(event);
    place();
}

void NpuView::showEvent(QShowEvent* event)
{
    LaneChart::showEvent(event);
    m_state.start();
    place();
}

void NpuView::clicked(QPointF position, double time)
{
    m_state.setCursor(static_cast<npu::Cycle>(std::floor(std::max(0.0, time))));
    m_state.selectNode(markAt(position));
    if (const auto hit = hitAt(position))
        m_lastCore = coreOf(*hit).value_or(m_lastCore);
}

void NpuView::mouseDoubleClickEvent(QMouseEvent* event)
{
    if (event->button() != Qt::LeftButton || !m_model.result || !places().plot.contains(event->position())) {
        LaneChart::mouseDoubleClickEvent(event);
        return;
    }
    // A double click zooms to the node or the place.
    if (markAt(event->position()))
        fitSelection();
    else
        zoomBy(4, event->position());
}

void NpuView::moveCursorTo(double time)
{
    m_state.setCursor(static_cast<npu::Cycle>(std::floor(time)));
}

void NpuView::moveSpan(int by)
{
    if (!m_model.result)
        return;
    const npu::NpuRun& run = *m_model.result->run;
    if (m_lastCore >= run.cores.size())
        m_lastCore = 0;
    const auto& states = run.cores[m_lastCore].states;
    if (states.empty())
        return;
    const npu::Cycle t = m_state.cursor().value_or(0);
    auto it = std::upper_bound(states.begin(), states.end(), t,
                               [](npu::Cycle c, const npu::StateSpan& s) { return c < s.start; });
    auto at = it == states.begin() ? std::ptrdiff_t{0} : it - states.begin() - 1;
    if (m_state.cursor())
        at = std::clamp<std::ptrdiff_t>(at + by, 0, static_cast<std::ptrdiff_t>(states.size()) - 1);
    const npu::StateSpan& s = states[static_cast<std::size_t>(at)];
    m_state.setCursor(s.start);
    m_state.selectNode(s.node == npu::kNone ? std::nullopt : std::optional(s.node));
    reveal(static_cast<double>(s.start));
}

void NpuView::moveCore(int by)
{
    const auto cores = m_model.result ? std::ssize(m_model.result->run->cores) : 1;
    m_lastCore = static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(
        static_cast<std::ptrdiff_t>(m_lastCore) + by, 0, std::max<std::ptrdiff_t>(1, cores) - 1));
    moveSpan(0);
}

QAction* NpuView::addRunScheduleCommand()
{
    ActionSpec spec;
    spec.id = QStringLiteral("npu.runSchedule");
    spec.menu = title();
    spec.text = tr("Run this schedule");
    spec.iconName = QStringLiteral("play");
    spec.tip =
        tr("Show the run of the open schedule, with its fusion and its retained tensors, on this number of "
           "cores in the view Run. The tiles of the NPU lens are its own.");
    QAction* action =
        addCommand(spec, [this](bool) { workspace().showRun(m_state.settings().hardware.cores); });
    const auto refresh = [this, action] {
        Actions::setAvailable(action, {document().hasProblem(), tr("Open a model or a problem first.")});
    };
    document().whenChanged(action, Part::Problem, refresh);
    refresh();
    return action;
}

QList<QAction*> NpuView::addExportCommands()
{
    QList<QAction*> out;
    const auto add = [&](const char* id, NpuFile what, const QString& text, const QString& tip) {
        ActionSpec spec;
        spec.id = QLatin1String(id);
        spec.menu = title();
        spec.text = text;
        spec.iconName = QStringLiteral("export");
        spec.tip = tip;
        QAction* action = addCommand(spec, [this, what, text](bool) { exportFile(what, text); });
        const auto refresh = [this, action] {
            Actions::setAvailable(action, {m_state.result() != nullptr, tr("Nothing has been simulated.")});
        };
        connect(&m_state, &NpuDocument::resultChanged, action, refresh);
        refresh();
        out << action;
    };
    add("npu.exportGraph", NpuFile::Graph, tr("Tile graph (JSON) …"),
        tr("Save every tile and node with addresses, dependencies and the static schedule, as npu --graph "
           "does."));
    add("npu.exportTrace", NpuFile::Trace, tr("Chrome trace …"),
        tr("Save every computation and transfer for Perfetto, as npu --trace does."));
    add("npu.exportOperators", NpuFile::Operators, tr("Operators (CSV) …"),
        tr("Save what the run did for every operator, as npu --csv does."));
    return out;
}

void NpuView::exportFile(NpuFile what, const QString& title)
{
    const NpuResultPtr result = m_state.result();
    if (!result)
        return;
    const QString path = QFileDialog::getSaveFileName(this, title, npuFileName(*result, what));
    if (path.isEmpty())
        return;
    if (const Status saved = writeNpuFile(*result, what, path); !saved)
        Q_EMIT m_state.refused(QString::fromStdString(saved.error().text()));
}

void NpuView::addOwnKeys()
{
    addKeys("previous", tr("Previous state"), {QKeySequence(Qt::Key_Comma)},
            tr("Move the cursor to the core's previous state."), [this] { moveSpan(-1); });
    addKeys("next", tr("Next state"), {QKeySequence(Qt::Key_Period)},
            tr("Move the cursor to the core's next state."), [this] { moveSpan(1); });
    addPlaying(tr("Play the run"));
    addKeys("previousCore", tr("Core above"), {QKeySequence(Qt::Key_PageUp)}, tr("Select the core above."),
            [this] { moveCore(-1); });
    addKeys("nextCore", tr("Core below"), {QKeySequence(Qt::Key_PageDown)}, tr("Select the core below."),
            [this] { moveCore(1); });
    addKeys("menu", tr("Context menu"), {QKeySequence(Qt::Key_Menu)},
            tr("Open the menu of the node at the cursor."), [this] { showContextMenu(keyAnchor()); });
    addKeys("letGo", tr("Clear range, cursor or node"), {QKeySequence(Qt::Key_Escape)},
            tr("End the measured range, remove the cursor, then clear the selected node."), [this] {
                setMeasured(std::nullopt);
                m_state.setCursor(std::nullopt);
                m_state.selectNode(std::nullopt);
                update();
            });
    addGesture("lanes", tr("Scroll the lanes"), tr("Shift+wheel"),
               tr("Scroll to cores below the visible part."));
    addGesture("closer", tr("Zoom in"), tr("double click"), tr("Zoom to the node or the place."));
}

void NpuView::showContextMenu(QPointF position)
{
    if (!m_model.result) {
        LaneChart::showContextMenu(position);
        return;
    }
    auto node = markAt(position);
    if (node)
        m_state.selectNode(node);
    else
        node = m_state.node();
    QMenu menu(this);
    menu.setToolTipsVisible(true);
    QAction* systolic = menu.addAction(tr("Open this MatMul tile in the Systolic lens"));
    systolic->setObjectName(QStringLiteral("npu.menu.systolic"));
    Actions::setAvailable(systolic, {node && isGemm(*m_model.result->graph, *node),
                                     node ? tr("This node is not a MatMul.") : tr("Select a node first.")});
    QAction* zoom = menu.addAction(tr("Zoom to this node"));
    Actions::setAvailable(zoom, {node.has_value(), tr("Select a node first.")});
    QAction* blocker = menu.addAction(tr("Go to its blocker"));
    // The state span under the mouse names the node that blocks it.
    std::uint32_t waitsFor = npu::kNone;
    const auto hit = hitAt(position);
    if (const auto core = hit ? coreOf(*hit) : std::nullopt; core && hit->lane % lanesPerCore() == 0)
        if (const npu::StateSpan* s =
                m_model.result->run->stateAt(*core, static_cast<npu::Cycle>(std::floor(hit->time))))
            waitsFor = blockerOf(*m_model.result, *core, *s).blocker;
    Actions::setAvailable(
        blocker, {waitsFor != npu::kNone, tr("The core does not wait for another node at this time.")});
    menu.addSeparator();
    QAction* all = menu.addAction(tr("Show the whole run"));
    const QAction* chosen = menu.exec(mapToGlobal(position.toPoint()));
    if (!chosen)
        return;
    if (chosen == systolic) {
        openInSystolic(workspace(), *m_model.result->graph, *node);
    } else if (chosen == zoom) {
        fitSelection();
    } else if (chosen == blocker) {
        m_lastCore = m_model.result->run->coreOf[waitsFor];
        m_state.selectNode(waitsFor);
        m_state.setCursor(m_model.result->startAt[waitsFor]);
    } else if (chosen == all) {
        fitAll();
    }
}

void NpuView::leaveEvent(QEvent* event)
{
    m_state.setHoverNode(std::nullopt);
    LaneChart::leaveEvent(event);
}

} // namespace tilewright::ui
