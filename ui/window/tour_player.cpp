// SPDX-License-Identifier: GPL-3.0-or-later
#include "window/tour_player.h"

#include "window/main_window.h"

#include <QApplication>
#include <QKeyEvent>
#include <QLabel>
#include <QPainter>
#include <QPainterPath>

#include <algorithm>

namespace tilewright::ui {

namespace {

constexpr int kSide = 40; ///< side of the square widget in pixels; the tip of the pointer is at its centre
constexpr int kCaptionOffset = 28; ///< distance in pixels of the caption below the tip

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

void Hand::leave()
{
    m_move.stop();
    hide();
    m_caption->hide();
}

void Hand::moveTip(QPoint tip)
{
    m_tip = tip;
    move(tip - QPoint(kSide / 2, kSide / 2));
    raise();
    // The caption is below the pointer; at the edges of the window it is above or further left.
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
    painter.translate(tip);
    // Black with a white edge, so that it is visible on light and dark backgrounds.
    painter.setPen(QPen(Qt::white, 1.5));
    painter.setBrush(Qt::black);
    painter.drawPath(arrow());
}

namespace {

constexpr int kMoveMs = 800;    ///< duration of a movement of the hand to a control
constexpr int kAimMs = 600;     ///< pause before a gesture
constexpr int kResultMs = 1100; ///< pause after a gesture, to see its result
constexpr int kLetterMs = 45;   ///< reading time of the card, per character
constexpr int kTargetPollMs = 100;
constexpr int kMaxPolls = 100; ///< number of polls after which the user must continue if the step is not done

} // namespace

TourPlayer::TourPlayer(MainWindow& window, TourGuide& guide)
    : QObject(&window), m_window(window), m_guide(guide), m_hand(new Hand(window))
{
    m_timer.setSingleShot(true);
    connect(&m_timer, &QTimer::timeout, this, [this] { (this->*m_then)(); });
}

void TourPlayer::play(const Tour& tour)
{
    stop();
    m_guide.start(tour);
    if (!m_guide.isRunning())
        return;
    m_window.applyPerspective(QStringLiteral("Edit")); // the perspective Edit shows all controls of the tour
    m_tour = tour;
    m_playing = true;
    qApp->installEventFilter(this);
    m_guide.setNote(tr("Demo: Esc or click to take over"));
    beginStep();
}

void TourPlayer::handOver()
{
    if (!m_playing)
        return;
    m_guide.setNote(tr("Your turn"));
    stop();
}

void TourPlayer::stop(bool atEnd)
{
    m_timer.stop();
    m_hand->leave();
    qApp->removeEventFilter(this);
    if (std::exchange(m_playing, false))
        Q_EMIT stopped(atEnd);
}

void TourPlayer::after(int milliseconds, void (TourPlayer::*then)())
{
    m_paused = milliseconds;
    m_then = then;
    m_timer.start(static_cast<int>(milliseconds * m_pace));
}

void TourPlayer::beginStep()
{
    m_step = m_guide.step();
    m_gesture = 0;
    m_polls = 0;
    const int reading = kLetterMs * static_cast<int>(m_guide.text().size());
    if (m_step < m_tour.steps.size()) {
        after(std::max(kResultMs, reading), &TourPlayer::aim);
        return;
    }
    m_guide.setNote({});
    Q_EMIT seen(reading);
    stop(true);
}

Spot TourPlayer::spotOf(const Gesture& gesture)
{
    m_window.state().document.waitForSnapshot(); // wait, so that lists show the result of the last gesture
    return gesture.where();
}

void TourPlayer::aim()
{
    Q_EMIT seen(m_paused);
    if (!m_playing)
        return; // a receiver of seen() has ended the demo
    const std::vector<Gesture>& how = m_tour.steps[m_step].how;
    if (m_gesture == how.size()) {
        awaitEnd();
        return;
    }
    const Spot spot = spotOf(how[m_gesture]);
    if (!spot.control) { // the view was closed meanwhile
        handOver();
        return;
    }
    // The control waits for a file that is still being opened.
    if (!spot.control->isEnabled() && ++m_polls <= kMaxPolls) {
        m_then = &TourPlayer::aim;
        m_timer.start(kTargetPollMs);
        return;
    }
    m_hand->say(how[m_gesture].caption);
    const bool jumps = m_window.preferences().reduceMotion;
    m_hand->goTo(m_window.mapFromGlobal(spot.control->mapToGlobal(spot.at)),
                 jumps ? 0 : static_cast<int>(kMoveMs * m_pace));
    after(kMoveMs + kAimMs, &TourPlayer::act);
}

void TourPlayer::act()
{
    Q_EMIT seen(m_paused);
    if (!m_playing)
        return;
    perform();
    after(kResultMs, &TourPlayer::aim);
}

void TourPlayer::perform()
{
    const Gesture& gesture = m_tour.steps[m_step].how[m_gesture];
    if (const Spot spot = spotOf(gesture); spot.control)
        gesture.act(spot);
    ++m_gesture;
}

void TourPlayer::awaitEnd()
{
    if (m_guide.step() != m_step)
        beginStep();
    else if (!m_guide.isRunning() || ++m_polls > kMaxPolls)
        handOver();
    else {
        m_then = &TourPlayer::awaitEnd;
        m_timer.start(kTargetPollMs);
    }
}

bool TourPlayer::eventFilter(QObject* watched, QEvent* event)
{
    // Simulated events are not spontaneous, so they are let through. An event of a QWindow is ignored,
    // because it is sent again to the widget.
    if (!event->spontaneous() || !watched->isWidgetType())
        return false;
    if (event->type() == QEvent::ShortcutOverride) {
        if (static_cast<QKeyEvent*>(event)->key() != Qt::Key_Escape)
            return false;
        event->accept(); // accepted, so that no shortcut consumes the key press that follows
        return true;
    }
    const bool escape =
        event->type() == QEvent::KeyPress && static_cast<QKeyEvent*>(event)->key() == Qt::Key_Escape;
    if (!escape && event->type() != QEvent::MouseButtonPress)
        return false;
    handOver();
    // A click that ends the demo does not act on the control below. Clicks on the card act as usual.
    const auto* widget = static_cast<QWidget*>(watched);
    return escape || (widget != &m_guide && !m_guide.isAncestorOf(widget));
}

} // namespace tilewright::ui
