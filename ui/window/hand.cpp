// SPDX-License-Identifier: GPL-3.0-or-later
#include "window/hand.h"

#include <QLabel>
#include <QPainter>
#include <QPainterPath>

namespace tilewright::ui {

namespace {

constexpr int kSide = 40;          ///< side of the square widget in pixels; the tip is its centre
constexpr int kCaptionOffset = 28; ///< distance of the caption below the tip in pixels

/// Shape of the usual mouse pointer, with its tip at the origin.
QPainterPath arrow()
{
    QPainterPath path;
    path.addPolygon(QPolygonF{{0, 0}, {0, 17}, {4, 13}, {6.5, 18.5}, {9, 17.5}, {6.5, 12}, {12, 12}});
    path.closeSubpath();
    return path;
}

} // namespace

Hand::Hand(QWidget& window) : QWidget(&window), m_caption(new QLabel(&window))
{
    setAttribute(Qt::WA_TransparentForMouseEvents);
    setFocusPolicy(Qt::NoFocus);
    resize(kSide, kSide);
    m_caption->setObjectName(QStringLiteral("handCaption"));
    m_caption->setAttribute(Qt::WA_TransparentForMouseEvents);
    m_caption->setAutoFillBackground(true);
    m_caption->setBackgroundRole(QPalette::Highlight);
    m_caption->setForegroundRole(QPalette::HighlightedText);
    m_caption->setContentsMargins(8, 4, 8, 4);
    m_move.setEasingCurve(QEasingCurve::InOutQuad);
    connect(&m_move, &QVariantAnimation::valueChanged, this,
            [this](const QVariant& tip) { moveTip(tip.toPoint()); });
    m_tip = window.rect().center();
    leave();
}

void Hand::goTo(QPoint tip, int milliseconds)
{
    m_move.stop();
    if (isHidden())
        m_tip = parentWidget()->rect().center();
    show();
    m_caption->setVisible(!m_caption->text().isEmpty());
    if (milliseconds <= 0) {
        moveTip(tip);
        return;
    }
    m_move.setStartValue(m_tip);
    m_move.setEndValue(tip);
    m_move.setDuration(milliseconds);
    m_move.start();
}

void Hand::say(const QString& caption)
{
    m_caption->setText(caption);
    m_caption->adjustSize();
}

void Hand::setDown(bool down)
{
    m_down = down;
    update();
}

void Hand::leave()
{
    m_move.stop();
    m_down = false;
    hide();
    m_caption->hide();
}

void Hand::moveTip(QPoint tip)
{
    m_tip = tip;
    move(tip - QPoint(kSide / 2, kSide / 2));
    raise();
    // Place the caption below the pointer; at the edges of the window above it or further left.
    const QRect room = parentWidget()->rect().adjusted(4, 4, -4, -4);
    QRect line(tip + QPoint(10, kCaptionOffset), m_caption->size());
    if (line.bottom() > room.bottom())
        line.moveBottom(tip.y() - 12);
    line.moveRight(std::min(line.right(), room.right()));
    m_caption->setGeometry(line);
    m_caption->raise();
}

void Hand::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const QPointF tip(kSide / 2.0, kSide / 2.0);
    if (m_down) {
        QColor pressed = palette().color(QPalette::Highlight);
        pressed.setAlphaF(0.45F);
        painter.setPen(Qt::NoPen);
        painter.setBrush(pressed);
        painter.drawEllipse(tip, kSide * 0.4, kSide * 0.4);
    }
    painter.translate(tip);
    // Black with a white edge: visible on light and on dark backgrounds.
    painter.setPen(QPen(Qt::white, 1.5));
    painter.setBrush(Qt::black);
    painter.drawPath(arrow());
}

} // namespace tilewright::ui
