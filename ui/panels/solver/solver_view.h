// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "canvas/view.h"
#include "document/solver_job.h"
#include "panels/solver/solver_curve.h"
#include "solve/alternatives.h"

class QComboBox;
class QDoubleSpinBox;
class QLabel;
class QPushButton;
class QSpinBox;
class QTreeWidget;

namespace tilewright::ui {

class SolverCurveWidget;

/// Auto-solve: budget and start, the live curve, the result with before, after and gap, and what each
/// subgraph's alternatives would have cost. Apply is one undo step.
class SolverView : public View
{
    Q_OBJECT
public:
    explicit SolverView(const ViewContext& context, QWidget* parent = nullptr);
    QSize exportSize() const override { return {1100, 420}; }
    void settle() override;
    void paintExport(QPainter& painter, const QSize& size, const Theme& theme) override;

    [[nodiscard]] QPushButton* startButton() const { return m_start; }
    [[nodiscard]] QPushButton* applyButton() const { return m_apply; }
    [[nodiscard]] QDoubleSpinBox* budget() const { return m_seconds; }
    [[nodiscard]] const SolverJob& job() const { return m_job; }

Q_SIGNALS:
    void started();
    void applied();

private:
    enum Start { FromCurrent, FromScratch, SelectionOnly };
    void build();
    void startOrStop();
    void showFinished(const std::shared_ptr<const SolveResult>& result);
    void applyResult();
    void refresh();

    using Alternatives = std::vector<std::vector<SolveAlternative>>;

    SolverJob m_job;
    std::unique_ptr<LatestJob<Alternatives>> m_alternatives;
    SolverCurve m_curve;
    std::shared_ptr<const SolveResult> m_result;
    SnapshotPtr m_before;
    QDoubleSpinBox* m_seconds = nullptr;
    QSpinBox* m_threads = nullptr;
    QComboBox* m_from = nullptr;
    QPushButton* m_start = nullptr;
    QLabel* m_progress = nullptr;
    SolverCurveWidget* m_plot = nullptr;
    QLabel* m_card = nullptr;
    QPushButton* m_apply = nullptr;
    QPushButton* m_keep = nullptr;
    QPushButton* m_discard = nullptr;
    QTreeWidget* m_why = nullptr;
};

} // namespace tilewright::ui
