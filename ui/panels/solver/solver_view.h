// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "canvas/view.h"
#include "panels/solver/solver_card.h"
#include "panels/solver/solver_constraints.h"
#include "panels/solver/solver_options.h"
#include "workspace/solver_job.h"

#include <QElapsedTimer>
#include <QTimer>

class QBoxLayout;
class QLabel;
class QScrollArea;

namespace tilewright::ui {

/// Auto-solve: settings, the running search (its curve here, its best schedule in the graph), and the result
/// with its reasons. The document stays editable during the search. It changes only with Apply, which is one
/// undo step.
class SolverView : public View
{
    Q_OBJECT
public:
    explicit SolverView(const ViewContext& context, QWidget* parent = nullptr);
    QSize exportSize() const override { return {1100, 420}; }
    void settle() override;
    void paintExport(QPainter& painter, const QSize& size, const Theme& theme) override;
    QString copyText() const override;

    [[nodiscard]] QPushButton* applyButton() const { return m_card->applyButton(); }
    [[nodiscard]] QDoubleSpinBox* budget() const { return m_options->budget(); }
    [[nodiscard]] SolverOptions& options() const { return *m_options; }
    /// Time in milliseconds after the end of a search in which a key press counts as an attempt to stop it. A
    /// test of a slow program sets more.
    void setLatePressMs(int ms) { m_latePressMs = ms; }
    [[nodiscard]] SolverCard& card() const { return *m_card; }
    [[nodiscard]] SolverConstraints& constraints() const { return *m_constraints; }
    [[nodiscard]] SolverJob& job() { return m_job; }
    [[nodiscard]] const SolverCurve& curve() const { return m_curve; }

    /// Ends the preview of a result that was shown in Compare.
    void endComparison();

Q_SIGNALS:
    void started();
    void compareRequested();

protected:
    void resizeEvent(QResizeEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    void build();
    void registerActions();
    void startOrStop(); ///< the action of the shortcut F9
    /// Starts a search. `findsCosts`: the cost of each constraint is searched, too.
    void start(bool findsCosts = false);
    [[nodiscard]] Result<verbs::SolveCall> call() const; ///< options of the search that start() starts
    void stop();
    void showStatus(const SolveStatus& status);
    void finish(const SolveResult& result, const std::shared_ptr<const RunFinish>& onRun);
    void finishWithBest();
    void applyResult();
    void adoptPoint(const std::shared_ptr<const Schedule>& schedule);
    void keepResult();
    void followUndo();
    void forget(const QString& why); ///< discards the running search and the result
    void showRunningBest();
    void endPreview();
    void togglePause();
    void listRuns();
    void refresh();

    SolverJob m_job;
    SolverCurve m_curve;
    SolverOutcomePtr m_appliedRun;
    /// The schedule before m_appliedRun was applied, and the schedule after it.
    Schedule m_appliedTo, m_applied;
    SnapshotPtr m_before; ///< the snapshot at the start of the run
    /// true if no locks, constraints or selection restrict the schedules of the run
    bool m_whole = true;
    bool m_isPricing = false;               ///< true while the run also searches for the costs of constraints
    std::shared_ptr<const Schedule> m_best; ///< best schedule of the run so far
    std::int64_t m_evaluations = 0;         ///< evaluations of the run so far
    std::vector<SolverOutcomePtr> m_runs;   ///< finished runs on this problem and machine under these rules
    QTimer m_stopTimer;                     ///< waits for the last result of a solver that was stopped
    QTimer m_previewTimer{this};            ///< limits how often the preview changes
    bool m_previewDue = false;
    bool m_comparing = false; ///< true while the result is previewed beside the current schedule in Compare
    QElapsedTimer m_sinceStatus; ///< time since the last line of progress
    QElapsedTimer m_ended;       ///< time since a search ended by itself
    int m_latePressMs = 700;

    QScrollArea* m_scroll = nullptr;
    QBoxLayout* m_columns = nullptr;
    SolverOptions* m_options = nullptr;
    SolverConstraints* m_constraints = nullptr;
    QLabel* m_progress = nullptr;
    QComboBox* m_runList = nullptr;
    SolverCurveView* m_plot = nullptr;
    SolverCard* m_card = nullptr;
};

} // namespace tilewright::ui
