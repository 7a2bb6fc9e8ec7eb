// SPDX-License-Identifier: GPL-3.0-or-later
#include "window/hand.h"

#include <QLabel>
#include <QPainter>
#include <QPainterPath>

namespace tilewright::ui {

namespace {

constexpr int kSide = 40; ///< of the square whose middle is the tip
constexpr int kBelow = 28;

/// The arrow that every desktop draws, its tip at the origin.
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
    m_way.setEasingCurve(QEasingCurve::InOutQuad);
    connect(&m_way, &QVariantAnimation::valueChanged, this,
            [this](const QVariant& tip) { moveTip(tip.toPoint()); });
    m_tip = window.rect().center();
    leave();
}

void Hand::goTo(QPoint tip, int milliseconds)
{
    m_way.stop();
    if (isHidden())
        m_tip = parentWidget()->rect().center();
    show();
    m_caption->setVisible(!m_caption->text().isEmpty());
    if (milliseconds <= 0) {
        moveTip(tip);
        return;
    }
    m_way.setStartValue(m_tip);
    m_way.setEndValue(tip);
    m_way.setDuration(milliseconds);
    m_way.start();
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
    m_way.stop();
    m_down = false;
    hide();
    m_caption->hide();
}

void Hand::moveTip(QPoint tip)
{
    m_tip = tip;
    move(tip - QPoint(kSide / 2, kSide / 2));
    raise();
    // Below the pointer; where the window ends, above it or to the left.
    const QRect room = parentWidget()->rect().adjusted(4, 4, -4, -4);
    QRect line(tip + QPoint(10, kBelow), m_caption->size());
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
    // Black with a white edge, as mouse pointers are: seen on light and dark.
    painter.setPen(QPen(Qt::white, 1.5));
    painter.setBrush(Qt::black);
    painter.drawPath(arrow());
}

} // namespace tilewright::ui
