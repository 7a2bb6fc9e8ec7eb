// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/npu/npu_text.h"
#include "views/npu/npu_view.h"

#include "theme/number.h"

#include <QApplication>
#include <QMenu>
#include <QMouseEvent>

#include <algorithm>
#include <cmath>

namespace tilewright::ui {

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

void NpuView::mouseReleaseEvent(QMouseEvent* event)
{
    LaneChart::mouseReleaseEvent(event);
    const bool moved =
        (event->position() - pressedAt()).manhattanLength() >= QApplication::startDragDistance();
    if (event->button() == Qt::RightButton && !moved)
        showMenu(event->position());
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
            tr("Open the menu of the node at the cursor."), [this] { showMenu(keyAnchor()); });
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

void NpuView::showMenu(QPointF position)
{
    if (!m_model.result)
        return;
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
