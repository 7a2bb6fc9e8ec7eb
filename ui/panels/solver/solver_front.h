// SPDX-License-Identifier: GPL-3.0-or-later
// Plot of latency against energy for the schedules that a run has found.
#pragma once

#include "chart/plot_canvas.h"
#include "panels/solver/solver_lists.h"

class QPushButton;

namespace tilewright::ui {

/// Returns the front of a run as a plot. The id of a mark is its index in SolverOutcome::front; the mark of
/// `chosen` has a ring.
[[nodiscard]] PlotModel frontPlot(const SolverOutcome& outcome, std::optional<int> chosen,
                                  const Theme& theme);

/// Plot of the front. Left and Right choose a point, Enter or a double click applies it.
class SolverFrontPlot : public PlotCanvas
{
    Q_OBJECT
public:
    SolverFrontPlot(const ViewContext& context, QWidget* parent);

    void setOutcome(SolverOutcomePtr outcome);
    [[nodiscard]] std::optional<int> chosen() const { return m_chosen; }
    [[nodiscard]] QPointF pointOf(int index) const; ///< position of a point, in widget coordinates
    void adopt();                                   ///< the chosen point is to be applied
    QSize minimumSizeHint() const override;

Q_SIGNALS:
    void chosenChanged();
    void adoptRequested(const std::shared_ptr<const tilewright::Schedule>& schedule);

protected:
    [[nodiscard]] std::vector<PlotModel> buildPlots(const Theme& theme) const override;
    [[nodiscard]] QString hint() const override;
    [[nodiscard]] QString markTooltip(const PlotMark& mark) const override;
    [[nodiscard]] QPointF focusPoint() const override;
    void markClicked(QPointF at, const PlotMark* mark, Qt::KeyboardModifiers modifiers) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;

private:
    void choose(std::optional<int> index);

    SolverOutcomePtr m_outcome;
    std::optional<int> m_chosen;
};

/// The plot of the front, the figures of the chosen point, and the button that applies it.
class SolverFront : public QWidget
{
    Q_OBJECT
public:
    SolverFront(const ViewContext& context, QWidget* parent);

    void setOutcome(const SolverOutcomePtr& outcome) { m_plot->setOutcome(outcome); }
    [[nodiscard]] SolverFrontPlot* plot() const { return m_plot; }
    [[nodiscard]] QPushButton* adoptButton() const { return m_adopt; }

Q_SIGNALS:
    void adoptRequested(const std::shared_ptr<const tilewright::Schedule>& schedule);

private:
    SolverFrontPlot* m_plot;
    QPushButton* m_adopt;
};

} // namespace tilewright::ui
