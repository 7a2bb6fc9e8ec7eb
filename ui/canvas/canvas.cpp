// SPDX-License-Identifier: GPL-3.0-or-later
#include "canvas/canvas.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <QWheelEvent>

#include <cmath>

namespace tilewright::ui {

Canvas::Canvas(const ViewContext& context, QString name, QString title, QWidget* parent)
    : View(context, std::move(name), std::move(title), parent)
{
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setMinimumSize(120, 60);
    setAttribute(Qt::WA_OpaquePaintEvent);
}

void Canvas::paintExport(QPainter& painter, const QSize& size, const Theme& theme)
{
    const QRectF area(QPointF(0, 0), size);
    painter.setRenderHints(QPainter::Antialiasing | QPainter::TextAntialiasing);
    painter.fillRect(area, theme.canvas);
    paint(painter, area, theme, true);
}

void Canvas::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.setRenderHints(QPainter::Antialiasing | QPainter::TextAntialiasing);
    painter.fillRect(rect(), theme().canvas);
    paint(painter, rect(), theme(), false);
    if (hasFocus() && focusPolicy() != Qt::NoFocus) {
        painter.resetTransform();
        painter.setClipping(false);
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(theme().accent, 2));
        painter.drawRect(QRectF(rect()).adjusted(1, 1, -1, -1));
    }
}

bool Canvas::event(QEvent* event)
{
    if (event->type() == QEvent::ToolTip) {
        auto* help = static_cast<QHelpEvent*>(event);
        const QString text = tooltipAt(help->pos());
        if (text.isEmpty())
            QToolTip::hideText();
        else
            QToolTip::showText(help->globalPos(), text, this);
        return true;
    }
    return View::event(event);
}

void Canvas::wheelEvent(QWheelEvent* event)
{
    // A touchpad reports pixels: two fingers scroll, Ctrl zooms. A wheel zooms (UX.md row 1).
    if (!event->pixelDelta().isNull() && !(event->modifiers() & Qt::ControlModifier)) {
        panBy(event->pixelDelta());
    } else {
        const double fine = event->modifiers() & Qt::ControlModifier ? 0.35 : 1.0;
        const double notches = event->angleDelta().y() / 120.0;
        zoomBy(std::pow(1.2, notches * fine), event->position());
    }
    event->accept();
}

void Canvas::mousePressEvent(QMouseEvent* event)
{
    if (event->button() == Qt::MiddleButton || event->button() == Qt::RightButton) {
        m_panning = true;
        m_panFrom = event->position();
    }
}

void Canvas::mouseMoveEvent(QMouseEvent* event)
{
    if (!m_panning)
        return;
    setCursor(Qt::ClosedHandCursor);
    panBy(event->position() - m_panFrom);
    m_panFrom = event->position();
}

void Canvas::mouseReleaseEvent(QMouseEvent* event)
{
    if (m_panning && (event->button() == Qt::MiddleButton || event->button() == Qt::RightButton)) {
        m_panning = false;
        unsetCursor();
    }
}

void Canvas::keyPressEvent(QKeyEvent* event)
{
    const double step = event->modifiers() & Qt::ShiftModifier ? 200 : 48;
    const QPointF centre = QRectF(rect()).center();
    switch (event->key()) {
    case Qt::Key_Left:
        panBy({step, 0});
        break;
    case Qt::Key_Right:
        panBy({-step, 0});
        break;
    case Qt::Key_Up:
        panBy({0, step});
        break;
    case Qt::Key_Down:
        panBy({0, -step});
        break;
    case Qt::Key_Plus:
    case Qt::Key_Equal:
        zoomBy(1.25, centre);
        break;
    case Qt::Key_Minus:
        zoomBy(0.8, centre);
        break;
    case Qt::Key_Home:
        fitAll();
        break;
    case Qt::Key_F:
        event->modifiers() & Qt::ShiftModifier ? fitAll() : fitSelection();
        break;
    default:
        View::keyPressEvent(event);
        return;
    }
    event->accept();
}

} // namespace tilewright::ui
