// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/table.h"
#include "chart/heat_grid.h"
#include "sweep/curve.h"
#include "sweep/folder.h"
#include "views/sweep/sweep_run.h"

namespace tilewright::ui {

/// The main difference between the schedules of two neighbouring points of a curve.
struct SweepChange
{
    std::size_t row = 0;
    QString text;  ///< "fused: attn.scores + attn.softmax"
    QString brief; ///< shorter text, used if `text` does not fit
};

/// A curve of the chart: the points along the first axis at one value of the second axis.
struct SweepCurve
{
    std::optional<double> second;
    std::vector<sweep::CurvePoint> points;
};

/// The contents of all charts of a sweep, as plain values.
struct SweepModel
{
    SweepSetup setup;
    std::vector<SweepParameter> axes; ///< parameters of the axes with their current values
    sweep::SweepTable table;
    std::optional<sweep::SweepTable> beside; ///< results of evaluating the open schedule at the same points
    /// true if `beside` belongs to the open schedule; false: to the one that was open when the sweep began
    bool besideIsOpen = true;
    std::vector<SweepChange> changes;
    QString unit; ///< unit of latencies: "cycles", or empty

    [[nodiscard]] const sweep::Plan& plan() const { return table.manifest.plan; }
    [[nodiscard]] bool isEmpty() const { return table.rows.empty(); }
    /// Index of the column that is plotted.
    [[nodiscard]] std::size_t metric() const;
    [[nodiscard]] std::string_view metricName() const { return sweep::metricsOf(plan())[metric()]; }
    [[nodiscard]] double valueOf(std::size_t row, std::size_t axis) const;
    [[nodiscard]] std::vector<SweepCurve> curves() const;
    /// The curves without points that do not fit into memory (sweep::fitsMemory()). An answer may name only
    /// these points.
    [[nodiscard]] std::vector<SweepCurve> fittingCurves() const;
    /// The row whose values are the current ones of the machine; nullopt if there is none.
    [[nodiscard]] std::optional<std::size_t> rowInForce() const;
};

/// Returns the columns that can be plotted, which are the minimised metrics.
[[nodiscard]] std::vector<QString> sweepMetrics(const sweep::Plan& plan);
/// Name of the column that is plotted unless another is chosen.
[[nodiscard]] QString usualMetric(const sweep::Plan& plan);
[[nodiscard]] QString sweepMetricTitle(const QString& name);

/// Returns the answer of the sweep: "Within 5 % of the best: 128 KiB. ..."; empty without results.
[[nodiscard]] QString sweepAnswer(const SweepModel& model);
/// Returns the plots of the curves or of the front; empty if another chart is chosen.
[[nodiscard]] std::vector<PlotModel> sweepPlots(const SweepModel& model, const Theme& theme);
/// Returns the heat map of a sweep with two axes. Each cell stands for a row of the table.
[[nodiscard]] HeatGrid sweepGrid(const SweepModel& model, const Theme& theme);
/// Returns the row of the table for a cell.
[[nodiscard]] std::size_t sweepRowOfCell(const SweepModel& model, std::size_t cell);
struct SweepGridPlaces
{
    QRectF title, keys;
    HeatFrame map;
};
[[nodiscard]] SweepGridPlaces sweepGridPlaces(const HeatGrid& grid, const QRectF& area);
/// Paints the heat map with contours. A contour separates the cells below and above a certain share above the
/// best value.
void paintSweepGrid(QPainter& painter, const SweepModel& model, const HeatGrid& grid,
                    const SweepGridPlaces& places, std::optional<std::size_t> hover, const Theme& theme);
/// Tooltip with all numbers of a point.
[[nodiscard]] QString sweepTooltip(const SweepModel& model, std::size_t row);
/// Name of a point: "Fast memory (L3) 128 KiB, ...".
[[nodiscard]] QString sweepPointName(const SweepModel& model, std::size_t row);
/// Returns a table with one row per point: values of the axes, metrics and status.
[[nodiscard]] Table sweepTable(const SweepModel& model);

} // namespace tilewright::ui
