// SPDX-License-Identifier: GPL-3.0-or-later
// A run of the solver: its curve, and the card with its result.
#pragma once

#include "chart/plot_canvas.h"
#include "panels/solver/solver_lists.h"

class QBoxLayout;
class QLabel;
class QPushButton;
class QTabWidget;

namespace tilewright::ui {

/// The best value of the objective over time (logarithmic), with its lower bound and the value at the start.
struct SolverCurve
{
    std::vector<std::pair<double, double>> points; ///< improvements as (seconds, value), with falling values
    double seconds = 0;                            ///< duration of the run so far
    double budget = 0;                             ///< time limit in seconds; 0 = none
    double before = 0;                             ///< value of the schedule before the run; 0 = none
    double lowerBound = 0;
    SolveObjective objective = SolveObjective::Latency;
};

/// The plot of the curve. The id of a mark is the index of its point.
[[nodiscard]] PlotModel solverPlot(const SolverCurve& curve, const Theme& theme);

/// The plot of a running or finished search.
class SolverCurveView : public PlotCanvas
{
    Q_OBJECT
public:
    SolverCurveView(const ViewContext& context, QWidget* parent);

    [[nodiscard]] const SolverCurve& curve() const { return m_curve; }
    /// Shows another curve, or a later state of the same curve; in the latter case the zoom is kept.
    void setCurve(SolverCurve curve);
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    [[nodiscard]] std::vector<PlotModel> buildPlots(const Theme& theme) const override;
    [[nodiscard]] QString hint() const override;
    [[nodiscard]] QString markTooltip(const PlotMark& mark) const override;

private:
    SolverCurve m_curve;
};

class ControlBar;
class SolverFront;
class SolverLimits;

/// The result of a run: figures, actions, changes, alternatives and limiting resources.
class SolverCard : public QWidget
{
    Q_OBJECT
public:
    enum class State { Offered, Kept, Applied };

    SolverCard(const ViewContext& context, QWidget* parent);
    void setOutcome(SolverOutcomePtr outcome); ///< shows a result; null: shows nothing
    void setState(State state);
    void settle();

    [[nodiscard]] const SolverOutcomePtr& outcome() const { return m_outcome; }
    [[nodiscard]] State state() const { return m_state; }
    [[nodiscard]] QPushButton* applyButton() const { return m_apply; }
    [[nodiscard]] QTabWidget* tabs() const { return m_tabs; }
    [[nodiscard]] SolverChanges* changes() const { return m_changes; }
    [[nodiscard]] SolverAlternatives* alternatives() const { return m_alternatives; }
    [[nodiscard]] SolverLimits* limits() const { return m_limits; }
    [[nodiscard]] SolverFront* front() const { return m_front; }
    [[nodiscard]] const QList<QLabel*>& facts() const { return m_facts; }
    [[nodiscard]] QLabel* note() const { return m_note; }

Q_SIGNALS:
    void applyClicked();
    void keepClicked();
    void compareClicked();
    void discardClicked();
    void adoptRequested(const std::shared_ptr<const tilewright::Schedule>& schedule);

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    enum Fact { Before, After, Change, RunEnd, Energy, Gap, Time, Evaluations, FactCount };
    void refresh();
    void setFact(Fact fact, const QString& caption, const QString& value, const QString& tip,
                 const QColor& colour);

    ViewContext m_context;
    SolverOutcomePtr m_outcome;
    State m_state = State::Offered;
    QBoxLayout* m_halves;
    ControlBar* m_figures;
    QList<QLabel*> m_facts;
    QLabel* m_note;
    ControlBar* m_buttons;
    QPushButton* m_apply;
    QPushButton* m_keep;
    QPushButton* m_compare;
    QPushButton* m_discard;
    QTabWidget* m_tabs;
    SolverChanges* m_changes;
    SolverAlternatives* m_alternatives;
    SolverLimits* m_limits;
    SolverFront* m_front;
};

} // namespace tilewright::ui
