// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "chart/plot_canvas.h"

namespace tilewright::ui {

/// The best latency over time (logarithmic), with the lower bound and the latency at the start.
struct SolverCurve
{
    std::vector<std::pair<double, double>> points; ///< (seconds, latency), falling
    double seconds = 0;                            ///< duration of the run so far
    double budget = 0;                             ///< time limit in seconds; 0 = none
    double before = 0;                             ///< latency of the start schedule; 0 = none
    double lowerBound = 0;
};

/// The plot of the curve. The id of a mark is the index of its point.
[[nodiscard]] PlotModel solverPlot(const SolverCurve& curve, const Theme& theme);

/// The plot of a search that is running or finished.
class SolverCurveView : public PlotCanvas
{
    Q_OBJECT
public:
    SolverCurveView(const ViewContext& context, QWidget* parent);

    [[nodiscard]] const SolverCurve& curve() const { return m_curve; }
    /// Shows another curve, or a later state of the same curve: the zoom is kept.
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

} // namespace tilewright::ui
