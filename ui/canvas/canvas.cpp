// SPDX-License-Identifier: GPL-3.0-or-later
#include "canvas/canvas.h"

#include "canvas/canvas_accessible.h"
#include "theme/words.h"

#include <QCoreApplication>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QResizeEvent>
#include <QToolTip>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>

namespace tilewright::ui {

namespace {

/// True if two parts look the same. Coordinates can be decades or cycles, so the tolerance is relative.
bool sameLook(const QRectF& a, const QRectF& b)
{
    if (a.isNull() || b.isNull())
        return a.isNull() == b.isNull();
    const double w = 1e-3 * std::max(a.width(), b.width());
    const double h = 1e-3 * std::max(a.height(), b.height());
    return std::abs(a.left() - b.left()) <= w && std::abs(a.right() - b.right()) <= w &&
           std::abs(a.top() - b.top()) <= h && std::abs(a.bottom() - b.bottom()) <= h;
}

constexpr int kSampled = 6; // distance of the probed positions in pixels

/// Probes positions and merges neighbours with the same content into one part.
std::vector<PicturePart> sampledParts(const QSize& size, const std::function<PicturePart(QPointF)>& at)
{
    std::vector<PicturePart> parts;
    std::vector<std::size_t> above; // parts that end at the present row
    for (int y = 0; y < size.height(); y += kSampled) {
        std::vector<PicturePart> row;
        for (int x = 0; x < size.width(); x += kSampled) {
            PicturePart here = at(QPointF(x, y) + QPointF(kSampled, kSampled) / 2);
            if (here.tooltip.isEmpty())
                continue;
            here.rect = QRectF(x, y, kSampled, kSampled);
            if (!row.empty() && row.back().rect.right() == x && row.back().tooltip == here.tooltip &&
                row.back().keys == here.keys)
                row.back().rect.setRight(here.rect.right());
            else
                row.push_back(std::move(here));
        }
        std::vector<std::size_t> now;
        for (PicturePart& part : row) {
            const auto same = std::find_if(above.begin(), above.end(), [&](std::size_t i) {
                return parts[i].rect.left() == part.rect.left() &&
                       parts[i].rect.right() == part.rect.right() && parts[i].tooltip == part.tooltip &&
                       parts[i].keys == part.keys;
            });
            if (same != above.end()) {
                parts[*same].rect.setBottom(part.rect.bottom());
                now.push_back(*same);
            } else {
                now.push_back(parts.size());
                parts.push_back(std::move(part));
            }
        }
        above = std::move(now);
    }
    return parts;
}

} // namespace

Canvas::Canvas(const ViewContext& context, QString name, QString title, QWidget* parent)
    : View(context, std::move(name), std::move(title), parent)
{
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setMinimumSize(120, 60);
    setAttribute(Qt::WA_OpaquePaintEvent);
    installCanvasAccessibility();
    addCommonKeys();
    m_time.start();
    connect(&registry(), &Actions::keysChanged, this, qOverload<>(&QWidget::update)); // hints contain keys
    // The history of another problem is meaningless.
    document().whenChanged(this, Part::Problem, [this] {
        m_history.clear();
        Q_EMIT historyChanged();
    });
}

void Canvas::paintExport(QPainter& painter, const QSize& size, const Theme& theme)
{
    const QRectF area(QPointF(0, 0), size);
    painter.setRenderHints(QPainter::Antialiasing | QPainter::TextAntialiasing);
    painter.fillRect(area, theme.canvas);
    paint(painter, area, theme, true);
}

std::vector<PicturePart> Canvas::partsByPlace(const QSize& size)
{
    const auto makeLarge = [this](const QSize& to) {
        const QSize from = this->size();
        resize(to);
        QResizeEvent event(to, from); // a hidden widget gets no resize event
        QCoreApplication::sendEvent(this, &event);
    };
    const QSize before = this->size();
    makeLarge(size);
    makeLarge(size + (QSizeF(size) - pictureArea().size()).toSize());
    const QPointF origin = pictureArea().topLeft();
    std::vector<PicturePart> parts = sampledParts(size, [&](QPointF at) {
        return PicturePart{{}, keysAt(at + origin), tooltipAt(at + origin)};
    });
    makeLarge(before);
    return parts;
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

// -- zoom history ----------------------------------------------------------------------------------------

void Canvas::remember(const std::optional<QRectF>& before, ZoomHistory::Gesture gesture)
{
    const std::optional<QRectF> now = shownPart();
    if (!before || !now || sameLook(*before, *now))
        return;
    m_history.leave(*before, gesture, m_time.elapsed());
    Q_EMIT historyChanged();
}

void Canvas::look(const std::function<void()>& change, ZoomHistory::Gesture gesture)
{
    const std::optional<QRectF> before = shownPart();
    change();
    remember(before, gesture);
}

void Canvas::goBack()
{
    if (const auto part = m_history.back(shownPart().value_or(QRectF())))
        showPart(*part);
    Q_EMIT historyChanged();
}

void Canvas::goForward()
{
    if (const auto part = m_history.forward(shownPart().value_or(QRectF())))
        showPart(*part);
    Q_EMIT historyChanged();
}

void Canvas::goToSelection()
{
    const std::optional<QRectF> before = shownPart();
    const QRectF target = selectedPart();
    if (before && !before->isNull() && !target.isEmpty()) {
        QRectF centred = *before;
        centred.moveCenter(target.center());
        showPart(centred);
        if (!sameLook(*before, shownPart().value_or(QRectF())))
            return;
    }
    fitSelection();
}

void Canvas::showTooltipOfFocus()
{
    const QPointF at = focusPoint();
    QString text = tooltipAt(at);
    if (text.isEmpty())
        text = accessibleDescription().isEmpty() ? title() : accessibleDescription();
    // The tooltip stays for up to 60 s, because the mouse is elsewhere.
    QToolTip::showText(mapToGlobal(at.toPoint()), rich(text), this, rect(), 60'000);
}

// -- events ----------------------------------------------------------------------------------------------

bool Canvas::event(QEvent* event)
{
    switch (event->type()) {
    case QEvent::MouseButtonPress:
    case QEvent::MouseButtonDblClick:
        if (const auto button = static_cast<QMouseEvent*>(event)->button();
            button == Qt::BackButton || button == Qt::ForwardButton) {
            button == Qt::BackButton ? goBack() : goForward();
            m_beforeDrag.reset();
            return true;
        }
        m_beforeDrag = shownPart();
        return handle(event);
    case QEvent::MouseButtonRelease: {
        const bool done = handle(event);
        remember(std::exchange(m_beforeDrag, std::nullopt), ZoomHistory::Gesture::Drag);
        return done;
    }
    case QEvent::Wheel:
    case QEvent::KeyPress: {
        const auto before = shownPart();
        const bool done = handle(event);
        remember(before,
                 event->type() == QEvent::Wheel ? ZoomHistory::Gesture::Wheel : ZoomHistory::Gesture::Keys);
        return done;
    }
    default:
        return handle(event);
    }
}

bool Canvas::handle(QEvent* event)
{
    if (event->type() == QEvent::ToolTip) {
        auto* help = static_cast<QHelpEvent*>(event);
        const QString text = tooltipAt(help->pos());
        if (text.isEmpty())
            QToolTip::hideText();
        else
            QToolTip::showText(help->globalPos(), rich(text), this);
        return true;
    }
    return View::event(event);
}

void Canvas::wheelEvent(QWheelEvent* event)
{
    // A touchpad reports pixels: two fingers scroll, with Ctrl they zoom. A wheel zooms (docs/design.md 4.1),
    // unless the preference is to scroll.
    const bool control = event->modifiers() & Qt::ControlModifier;
    if (!control && (m_wheelScrolls || !event->pixelDelta().isNull())) {
        QPointF by =
            event->pixelDelta().isNull() ? QPointF(event->angleDelta()) / 2 : QPointF(event->pixelDelta());
        if (event->modifiers() & Qt::ShiftModifier && by.x() == 0)
            by = by.transposed();
        panBy(by);
    } else {
        const double fine = control && !m_wheelScrolls ? 0.35 : 1.0;
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
    if (m_keys.press(*event))
        event->accept();
    else
        View::keyPressEvent(event);
}

} // namespace tilewright::ui
