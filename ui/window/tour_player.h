// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "window/tour.h"

namespace tilewright::ui {

class Hand;

/// Plays a tour by itself: what each step asks for is done at the real controls by a hand that is seen, while
/// the tour's card says what it is. Esc or a click hands over at that point: the tour goes on with the
/// person.
class TourPlayer : public QObject
{
    Q_OBJECT
public:
    TourPlayer(MainWindow& window, TourGuide& guide);
    void play(const Tour& tour);
    void handOver();
    [[nodiscard]] bool isPlaying() const { return m_playing; }
    [[nodiscard]] bool isHolding() const; ///< a mouse button is down
    /// Pauses are as long as this times those for somebody who reads along; 0: none.
    void setPace(double pace) { m_pace = pace; }

Q_SIGNALS:
    /// What is seen now has been seen for this long at the pace of reading.
    void seen(int milliseconds);
    void stopped(bool atEnd); ///< of the tour, or left to the person

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void beginStep();
    void aim();      ///< the hand goes to the next control of the step
    void act();      ///< and does it
    void awaitEnd(); ///< of the step
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
    int m_looks = 0;
    int m_paused = 0; ///< how long the pause was that has just ended
    double m_pace = 1;
    bool m_playing = false;
    QTimer m_timer;
    void (TourPlayer::*m_then)() = nullptr;
};

} // namespace tilewright::ui
