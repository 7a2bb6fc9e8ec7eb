// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "canvas/control_bar.h"
#include "verbs/schedule.h"

class QCheckBox;
class QComboBox;
class QDoubleSpinBox;
class QPushButton;
class QSpinBox;

namespace tilewright::ui {

class Actions;

/// Settings of the next run: time budget, threads, start, rules, and the preview in the graph. All settings
/// are saved between sessions, except the rules, which belong to the document.
class SolverOptions : public ControlBar
{
    Q_OBJECT
public:
    enum Start { FromCurrent, FromScratch, SelectionOnly };

    SolverOptions(Document& document, Actions& actions, QWidget* parent);

    /// Returns these settings as options of the verb `solve`, without a start schedule.
    [[nodiscard]] verbs::SolveCall call() const;
    [[nodiscard]] QPushButton* run() const { return m_run; }
    [[nodiscard]] QPushButton* stop() const { return m_stop; }
    [[nodiscard]] QPushButton* pause() const { return m_pause; }
    /// The search ends after this number of seconds without a better schedule; 0 = no such limit.
    [[nodiscard]] QDoubleSpinBox* patience() const { return m_patience; }
    [[nodiscard]] QDoubleSpinBox* budget() const { return m_budget; }
    [[nodiscard]] QSpinBox* threads() const { return m_threads; }
    [[nodiscard]] QComboBox* start() const { return m_start; }
    [[nodiscard]] QComboBox* rules() const { return m_rules; }
    /// Entries in the order of SolveObjective.
    [[nodiscard]] QComboBox* objective() const { return m_objective; }
    [[nodiscard]] QCheckBox* finish() const { return m_finish; } ///< check box of SolveCall::finish
    [[nodiscard]] QCheckBox* placeable() const { return m_placeable; }
    [[nodiscard]] QCheckBox* preview() const { return m_preview; }

    void setRunning(bool running);
    void setPaused(bool paused); ///< sets the label of the pause button
    /// Restores the user's choice of preview at the start of a run.
    void restorePreview();
    /// Turns the preview off for the rest of this run. The user's choice stays saved.
    void pausePreview();

Q_SIGNALS:
    void runClicked();
    void stopClicked();
    void pauseClicked();
    void previewToggled(bool on);

private:
    void refresh();
    void refreshFinish();

    Document& m_document;
    QDoubleSpinBox* m_budget;
    QSpinBox* m_threads;
    QComboBox* m_start = nullptr;
    QComboBox* m_rules = nullptr;
    QComboBox* m_objective = nullptr;
    QCheckBox *m_finish, *m_placeable, *m_preview;
    QPushButton *m_run, *m_pause, *m_stop;
    QDoubleSpinBox* m_patience;
    bool m_running = false;
};

} // namespace tilewright::ui
