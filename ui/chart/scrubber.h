// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "canvas/control_bar.h"
#include "chart/playback.h"

class QSlider;

namespace tilewright::ui {

/// What the controls of a playback say of themselves.
struct ScrubberWords
{
    QString ids;         ///< of the commands, with the dot: "tiles."
    QString unit, units; ///< "step", "steps"
    QString slider;      ///< its name: "Step"
    QString sliderTip;
    QString play, pause; ///< "Play the steps"
    QString playTip;
    std::int64_t far = 0; ///< steps of < and >, which are Shift with the keys of one step; 0: no such keys
};

/// The controls of a playback in the bar of a view: first, previous, play, next, last and a slider; Space,
/// comma and full stop.
class Scrubber : public QObject
{
    Q_OBJECT
public:
    Scrubber(ToolCanvas& view, Playback& playback, ScrubberWords words);
    /// The choice of speeds, which may stand elsewhere in the bar.
    void addSpeeds();
    /// After the position or the number of steps has changed.
    void refresh();

private:
    ToolCanvas& m_view;
    Playback& m_playback;
    ScrubberWords m_words;
    QSlider* m_slider;
};

} // namespace tilewright::ui
