// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/npu/npu_text.h"
#include "views/npu/npu_view.h"

#include "theme/number.h"

#include <QApplication>
#include <QKeyEvent>
#include <QMenu>
#include <QMouseEvent>
#include <QScrollBar>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>

namespace tilewright::ui {

namespace {
constexpr double kDragPixels = 4;
constexpr double kHandle = 6;
} // namespace

void NpuView::resizeEvent(QResizeEvent* event)
{
    Canvas::resizeEvent(event);
    place();
}

void NpuView::showEvent(QShowEvent* event)
{
    Canvas::showEvent(event);
    m_state.start();
    place();
}

void NpuView::wheelEvent(QWheelEvent* event)
{
    // Shift scrolls the lanes, as everywhere; the plain wheel zooms the time.
    if (event->modifiers() & Qt::ShiftModifier) {
        const int by = event->angleDelta().y() != 0 ? event->angleDelta().y() : event->angleDelta().x();
        m_scroll->setValue(m_scroll->value() - by / 2);
        event->accept();
        return;
    }
    Canvas::wheelEvent(event);
}

void NpuView::mousePressEvent(QMouseEvent* event)
{
    Canvas::mousePressEvent(event);
    m_pressed = event->position();
    m_drag = Drag::None;
    if (event->button() != Qt::LeftButton || !m_model.result)
        return;
    const NpuPlaces p = places();
    if (p.plot.contains(m_pressed)) {
        m_drag = Drag::Plot;
        m_pressedTime = timeAxis(p.plot).toValue(m_pressed.x());
    } else if (p.overview.contains(m_pressed)) {
        const Axis whole{0, m_model.total, p.overview.left(), p.overview.right()};
        const double t = whole.toValue(m_pressed.x());
        if (std::abs(m_pressed.x() - whole.toPixel(m_from)) <= kHandle)
            m_drag = Drag::Left;
        else if (std::abs(m_pressed.x() - whole.toPixel(m_to)) <= kHandle)
            m_drag = Drag::Right;
        else {
            if (t < m_from || t > m_to)
                setRange(t - (m_to - m_from) / 2, t + (m_to - m_from) / 2);
            m_drag = Drag::Range;
        }
        m_grabOffset = t - m_from;
    }
}

void NpuView::mouseMoveEvent(QMouseEvent* event)
{
    Canvas::mouseMoveEvent(event);
    if (!m_model.result)
        return;
    const NpuPlaces p = places();
    const Axis whole{0, m_model.total, p.overview.left(), p.overview.right()};
    const double t = whole.toValue(event->position().x());
    switch (m_drag) {
    case Drag::None:
        hoverAt(event->position());
        return;
    case Drag::Plot:
        if (std::abs(event->position().x() - m_pressed.x()) < kDragPixels && !m_overlay.range)
            return;
        m_overlay.range = {m_pressedTime,
                           std::clamp(timeAxis(p.plot).toValue(event->position().x()), m_from, m_to)};
        m_overlay.readout = tr("%1 selected; F zooms there")
                                .arg(counted(static_cast<std::int64_t>(std::round(
                                                 std::abs(m_overlay.range->second - m_overlay.range->first))),
                                             tr("cycle"), tr("cycles")));
        break;
    case Drag::Range:
        setRange(t - m_grabOffset, t - m_grabOffset + (m_to - m_from));
        break;
    case Drag::Left:
        if (t < m_to)
            setRange(std::max(0.0, t), m_to);
        break;
    case Drag::Right:
        if (t > m_from)
            setRange(m_from, std::min(t, m_model.total));
        break;
    }
    update();
}

void NpuView::mouseReleaseEvent(QMouseEvent* event)
{
    Canvas::mouseReleaseEvent(event);
    const bool moved = (event->position() - m_pressed).manhattanLength() >= QApplication::startDragDistance();
    if (event->button() == Qt::RightButton && !moved) {
        showMenu(event->position());
        return;
    }
    if (event->button() != Qt::LeftButton)
        return;
    if (m_drag == Drag::Plot && std::abs(event->position().x() - m_pressed.x()) < kDragPixels) {
        m_overlay.range.reset();
        m_state.setCursor(static_cast<npu::Cycle>(std::floor(std::max(0.0, m_pressedTime))));
        m_state.selectNode(nodeAt(m_pressed));
        if (const NpuPlaces p = places(); const NpuLane* lane = p.laneAt(m_pressed))
            if (lane->kind <= NpuLaneKind::Spm)
                m_lastCore = lane->core;
    }
    m_drag = Drag::None;
    update();
}

void NpuView::mouseDoubleClickEvent(QMouseEvent* event)
{
    if (event->button() != Qt::LeftButton || !m_model.result || !places().plot.contains(event->position())) {
        Canvas::mouseDoubleClickEvent(event);
        return;
    }
    // A double click looks closer at what is there.
    if (nodeAt(event->position()))
        fitSelection();
    else
        zoomBy(4, event->position());
}

void NpuView::moveSpan(int by)
{
    if (!m_model.result)
        return;
    const npu::Run& run = *m_model.result->run;
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
    const auto start = static_cast<double>(s.start);
    if (start < m_from || start > m_to)
        setRange(start - (m_to - m_from) / 2, start + (m_to - m_from) / 2);
}

void NpuView::keyPressEvent(QKeyEvent* event)
{
    const NpuPlaces p = places();
    const QPointF centre =
        m_overlay.hover ? QPointF(timeAxis(p.plot).toPixel(*m_overlay.hover), p.plot.center().y())
        : m_state.cursor() && static_cast<double>(*m_state.cursor()) >= m_from &&
                static_cast<double>(*m_state.cursor()) <= m_to
            ? QPointF(timeAxis(p.plot).toPixel(static_cast<double>(*m_state.cursor())), p.plot.center().y())
            : p.plot.center();
    const double step = event->modifiers() & Qt::ShiftModifier ? 200 : 60;
    switch (event->key()) {
    case Qt::Key_W:
    case Qt::Key_Plus:
    case Qt::Key_Equal:
        zoomBy(1.25, centre);
        break;
    case Qt::Key_S:
    case Qt::Key_Minus:
        zoomBy(0.8, centre);
        break;
    case Qt::Key_A:
        panBy({step, 0});
        break;
    case Qt::Key_D:
        panBy({-step, 0});
        break;
    case Qt::Key_Period:
        moveSpan(1);
        break;
    case Qt::Key_Comma:
        moveSpan(-1);
        break;
    case Qt::Key_PageDown:
        if (m_model.result)
            m_lastCore = std::min(m_lastCore + 1, m_model.result->run->cores.size() - 1);
        moveSpan(0);
        break;
    case Qt::Key_PageUp:
        m_lastCore = m_lastCore == 0 ? 0 : m_lastCore - 1;
        moveSpan(0);
        break;
    case Qt::Key_Menu:
        showMenu(centre);
        break;
    case Qt::Key_Escape:
        m_overlay.range.reset();
        m_state.setCursor(std::nullopt);
        m_state.selectNode(std::nullopt);
        update();
        break;
    default:
        Canvas::keyPressEvent(event);
        return;
    }
    event->accept();
}

void NpuView::showMenu(QPointF position)
{
    if (!m_model.result)
        return;
    auto node = nodeAt(position);
    if (node)
        m_state.selectNode(node);
    else
        node = m_state.node();
    QMenu menu(this);
    menu.setToolTipsVisible(true);
    QAction* systolic = menu.addAction(tr("Open this MatMul tile in the Systolic lens"));
    systolic->setObjectName(QStringLiteral("npu.menu.systolic"));
    Actions::setAvailable(systolic, node && isGemm(*m_model.result->graph, *node),
                          node ? tr("This node is not a MatMul.") : tr("Select a node first."));
    QAction* zoom = menu.addAction(tr("Zoom to this node"));
    Actions::setAvailable(zoom, node.has_value(), tr("Select a node first."));
    QAction* blocker = menu.addAction(tr("Go to what it waits for"));
    // The state span under the mouse names the node that blocks it.
    std::uint32_t waitsFor = npu::kNone;
    const NpuPlaces p = places();
    if (const NpuLane* lane = p.laneAt(position); lane && lane->kind == NpuLaneKind::State)
        if (const npu::StateSpan* s = m_model.result->run->stateAt(
                lane->core, static_cast<npu::Cycle>(std::floor(timeAxis(p.plot).toValue(position.x())))))
            waitsFor = blockerOf(*m_model.result, lane->core, *s).blocker;
    Actions::setAvailable(blocker, waitsFor != npu::kNone,
                          tr("The core does not wait for another node at this time."));
    menu.addSeparator();
    QAction* all = menu.addAction(tr("Show the whole run"));
    const QAction* chosen = menu.exec(mapToGlobal(position.toPoint()));
    if (!chosen)
        return;
    if (chosen == systolic) {
        openInSystolic(selection(), *m_model.result->graph, *node);
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
    m_overlay.hover.reset();
    m_overlay.readout.clear();
    m_state.setHoverNode(std::nullopt);
    update();
    Canvas::leaveEvent(event);
}

} // namespace tilewright::ui
