// SPDX-License-Identifier: GPL-3.0-or-later
// Latency against energy of the schedules that a run has found.
#pragma once

#include "chart/plot_canvas.h"
#include "panels/solver/solver_lists.h"

class QPushButton;

namespace tilewright::ui {

/// The front of a run as a plot. The id of a mark is the index in SolverOutcome::front; `chosen` has a ring.
[[nodiscard]] PlotModel frontPlot(const SolverOutcome& outcome, std::optional<int> chosen,
                                  const Theme& theme);

/// The plot. Left and Right choose a point, Enter or a double click adopts it.
class SolverFrontPlot : public PlotCanvas
{
    Q_OBJECT
public:
    SolverFrontPlot(const ViewContext& context, QWidget* parent);

    void setOutcome(SolverOutcomePtr outcome);
    [[nodiscard]] std::optional<int> chosen() const { return m_chosen; }
    [[nodiscard]] QPointF pointOf(int index) const; ///< position of a point, in widget coordinates
    void adopt();                                   ///< the chosen point
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

/// The plot with the figures of the chosen point and the button that adopts it.
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
