// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>

#include <cstdint>
#include <functional>

namespace tilewright::ui {

class AnimationClock;

/// Plays a sequence of states (steps, cycles) with the common AnimationClock to its end. Each tick moves
/// forward from the present position, so that other code may change the position meanwhile.
class Playback : public QObject
{
    Q_OBJECT
public:
    struct Steps
    {
        std::function<std::int64_t()> count; ///< number of steps; 0: nothing to play
        std::function<std::int64_t()> at;
        std::function<void(std::int64_t)> show;
    };
    Playback(AnimationClock& clock, Steps steps, QObject* parent);

    [[nodiscard]] const Steps& steps() const { return m_steps; }
    [[nodiscard]] bool isPlaying() const { return m_playing; }
    /// Starts or stops. Starts from the beginning if the last step is shown.
    void setPlaying(bool playing);
    /// Sets the speed in steps per second; 0: all steps in ten seconds.
    void setSpeed(double speed) { m_speed = speed; }
    /// Moves by a number of steps, at most to the first or last step, and stops playing.
    void moveBy(std::int64_t steps);
    void toFirst() { goTo(0); }
    void toLast() { goTo(m_steps.count() - 1); }
    /// Stops playing and shows a step.
    void goTo(std::int64_t step);

Q_SIGNALS:
    void playingChanged(bool playing);

private:
    void tick(double seconds);

    AnimationClock& m_clock;
    Steps m_steps;
    double m_speed = 8;
    double m_at = 0; ///< position with fraction of a step
    bool m_playing = false;
};

} // namespace tilewright::ui
