// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>

#include <cstdint>
#include <functional>

namespace tilewright::ui {

class AnimationClock;

/// Plays anything that has a state at step i (a tile's step, a cycle): by the one clock, at a speed, to the
/// end. A tick only tells how far to go from where things stand, so anybody else may move them in between.
class Playback : public QObject
{
    Q_OBJECT
public:
    struct Steps
    {
        std::function<std::int64_t()> count; ///< 0: nothing to play
        std::function<std::int64_t()> at;
        std::function<void(std::int64_t)> show;
    };
    Playback(AnimationClock& clock, Steps steps, QObject* parent);

    [[nodiscard]] const Steps& steps() const { return m_steps; }
    [[nodiscard]] bool isPlaying() const { return m_playing; }
    /// From the beginning when it stands at the end.
    void setPlaying(bool playing);
    /// Steps a second; 0: all of them in ten seconds.
    void setSpeed(double speed) { m_speed = speed; }
    /// By whole steps, stopping at the ends; `end`: as far as it goes.
    void moveBy(std::int64_t steps);
    void toFirst() { goTo(0); }
    void toLast() { goTo(m_steps.count() - 1); }
    /// Stops and shows the step.
    void goTo(std::int64_t step);

Q_SIGNALS:
    void playingChanged(bool playing);

private:
    void tick(double seconds);

    AnimationClock& m_clock;
    Steps m_steps;
    double m_speed = 8;
    double m_at = 0; ///< between the steps
    bool m_playing = false;
};

} // namespace tilewright::ui
