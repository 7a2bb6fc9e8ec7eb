// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "canvas/control_bar.h"
#include "chart/playback.h"

class QSlider;

namespace tilewright::ui {

/// Texts and ids of the playback controls.
struct ScrubberWords
{
    QString ids;         ///< prefix of the command ids: "tiles."
    QString unit, units; ///< noun of a position: "step", "steps"
    QString slider;      ///< name of the slider: "Step"
    QString sliderTip;
    QString play, pause; ///< texts of the play button: "Play the steps"
    QString playTip;
    std::int64_t far = 0; ///< number of steps for Shift+comma and Shift+full stop; 0: no such keys
};

/// Playback controls in the bar of a view: first, previous, play, next, last, slider. Keys: Space, comma,
/// full stop.
class Scrubber : public QObject
{
    Q_OBJECT
public:
    Scrubber(ToolCanvas& view, Playback& playback, ScrubberWords words);
    /// Adds the list of speeds at the present end of the bar.
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
