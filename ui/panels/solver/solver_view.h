// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "canvas/view.h"
#include "panels/solver/solver_card.h"
#include "panels/solver/solver_curve.h"
#include "panels/solver/solver_options.h"
#include "workspace/solver_job.h"

#include <QElapsedTimer>
#include <QTimer>

class QBoxLayout;
class QLabel;
class QScrollArea;

namespace tilewright::ui {

/// Auto-solve: what to search with, the run as it goes (curve here, the best so far in the graph), the result
/// with its reasons. Nothing of the document changes before Apply, which is one undo step; everything stays
/// editable meanwhile.
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
    [[nodiscard]] SolverCard& card() const { return *m_card; }
    [[nodiscard]] SolverJob& job() { return m_job; }
    [[nodiscard]] const SolverCurve& curve() const { return m_curve; }

Q_SIGNALS:
    void started();
    void compareRequested();

protected:
    void resizeEvent(QResizeEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    void build();
    void registerActions();
    void startOrStop(); ///< by the key
    void start();
    void stop();
    void showStatus(const SolveStatus& status);
    void finish(const SolveResult& result);
    void finishWithBest();
    void applyResult();
    void keepResult();
    void followUndo();
    void forget(const QString& why); ///< run and result
    void showRunningBest();
    void endPreview();
    void togglePause();
    void listRuns();
    void refresh();

    SolverJob m_job;
    SolverCurve m_curve;
    SolverOutcomePtr m_appliedRun;
    Schedule m_appliedTo, m_applied;        ///< before m_appliedRun was applied, and after
    SnapshotPtr m_before;                   ///< of the run
    bool m_whole = true;                    ///< the run may change everything
    std::shared_ptr<const Schedule> m_best; ///< of the run so far
    std::int64_t m_evaluations = 0;         ///< of the run so far
    std::vector<SolverOutcomePtr> m_runs;   ///< of this problem on this machine by these rules
    QTimer m_stopTimer;                     ///< runs while a stopped solver may still hand out its very last
    QTimer m_previewTimer{this};            ///< runs while the graph has seen enough for a moment
    bool m_previewDue = false;
    QElapsedTimer m_told;  ///< since the last line of progress
    QElapsedTimer m_ended; ///< since a search ended by itself

    QScrollArea* m_scroll = nullptr;
    QBoxLayout* m_columns = nullptr;
    SolverOptions* m_options = nullptr;
    QLabel* m_progress = nullptr;
    QComboBox* m_runList = nullptr;
    SolverCurveView* m_plot = nullptr;
    SolverCard* m_card = nullptr;
};

} // namespace tilewright::ui
