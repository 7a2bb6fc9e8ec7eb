// SPDX-License-Identifier: GPL-3.0-or-later
// Playback of states, and its controls.
#pragma once

#include "canvas/control_bar.h"

#include <QObject>

#include <cstdint>
#include <functional>

class QSlider;

namespace tilewright::ui {

class AnimationClock;

/// Plays a sequence of states (steps, cycles) to its end, driven by the AnimationClock that all views share.
/// Each tick moves forward from the current position, so that other code may change the position meanwhile.
class Playback : public QObject
{
    Q_OBJECT
public:
    struct Steps
    {
        std::function<std::int64_t()> count; ///< returns the number of steps; 0: nothing to play
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

/// Texts and ids of the playback controls.
struct ScrubberWords
{
    QString ids;         ///< prefix of the command ids: "tiles."
    QString unit, units; ///< noun of a position: "step", "steps"
    QString slider;      ///< name of the slider: "Step"
    QString sliderTip;
    QString play, pause; ///< texts of the play button: "Play the steps"
    QString playTip;
    /// Number of steps that Shift+comma and Shift+full stop move; 0: there are no such keys.
    std::int64_t far = 0;
};

/// Playback controls in the bar of a view: first, previous, play, next, last, slider. Keys: Space, comma,
/// full stop.
class Scrubber : public QObject
{
    Q_OBJECT
public:
    Scrubber(ToolCanvas& view, Playback& playback, ScrubberWords words);
    /// Adds the list of speeds at the end of the bar, to the right of the controls added so far.
    void addSpeeds();
    /// Updates the controls after the position or the number of steps has changed.
    void refresh();

private:
    ToolCanvas& m_view;
    Playback& m_playback;
    ScrubberWords m_words;
    QSlider* m_slider;
};

} // namespace tilewright::ui
