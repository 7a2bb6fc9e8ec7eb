// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "chart/plot_canvas.h"

namespace tilewright::ui {

/// Best latency against time (log) with the lower bound and the value before.
struct SolverCurve
{
    std::vector<std::pair<double, double>> points; ///< (seconds, latency), falling
    double seconds = 0;                            ///< how far the run is
    double budget = 0;                             ///< 0 = open end
    double before = 0;                             ///< of the schedule it starts from; 0 = none
    double lowerBound = 0;
};

/// The id of a mark is its place among the points.
[[nodiscard]] PlotModel solverPlot(const SolverCurve& curve, const Theme& theme);

/// The curve of a run as it goes.
class SolverCurveView : public PlotCanvas
{
    Q_OBJECT
public:
    SolverCurveView(const ViewContext& context, QWidget* parent);

    [[nodiscard]] const SolverCurve& curve() const { return m_curve; }
    /// Shows another one, or the same one further on: what is looked at stays.
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
