// SPDX-License-Identifier: GPL-3.0-or-later
// The demo: plays a tour with a pointer that moves over the window.
#pragma once

#include "window/tour.h"

#include <QVariantAnimation>
#include <QWidget>

class QLabel;

namespace tilewright::ui {

/// The pointer that the demo moves over the window, with a caption. Mouse events pass through both.
class Hand : public QWidget
{
    Q_OBJECT
public:
    explicit Hand(QWidget& window);
    void goTo(QPoint tip, int milliseconds); ///< moves the tip of the pointer to this point of the window
    void say(const QString& caption);
    void leave();

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    void moveTip(QPoint tip);

    QLabel* m_caption;
    QVariantAnimation m_move;
    QPoint m_tip; ///< position of the tip in the window
};

/// Plays a tour as a demo: sends the input of each step to the real controls, and shows it with a Hand. After
/// Esc or a click the user continues the tour from there.
class TourPlayer : public QObject
{
    Q_OBJECT
public:
    TourPlayer(MainWindow& window, TourGuide& guide);
    void play(const Tour& tour);
    void handOver();
    [[nodiscard]] bool isPlaying() const { return m_playing; }
    /// Sets a factor for all pauses: 1 = enough time to read along, 0 = no pauses.
    void setPace(double pace) { m_pace = pace; }

Q_SIGNALS:
    /// Emitted when the current picture was shown for this long (at pace 1). For recordings.
    void seen(int milliseconds);
    /// Emitted when playing has stopped, at the end of the tour or because the user took over.
    void stopped(bool atEnd);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void beginStep();
    void aim();      ///< moves the hand to the target of the next gesture
    void act();      ///< performs the gesture
    void awaitEnd(); ///< waits until the step counts as done
    void perform();
    [[nodiscard]] Spot spotOf(const Gesture& gesture);
    void stop(bool atEnd = false);
    void after(int milliseconds, void (TourPlayer::*then)());

    MainWindow& m_window;
    TourGuide& m_guide;
    Hand* m_hand;
    Tour m_tour;
    std::size_t m_step = 0;
    std::size_t m_gesture = 0;
    int m_polls = 0;
    int m_paused = 0; ///< length of the last pause in milliseconds (at pace 1)
    double m_pace = 1;
    bool m_playing = false;
    QTimer m_timer;
    void (TourPlayer::*m_then)() = nullptr;
};

} // namespace tilewright::ui
