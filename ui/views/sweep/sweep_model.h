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
    QString brief; ///< used if `text` does not fit
};

/// One line of a chart: along the first axis, at one value of the second.
struct SweepCurve
{
    std::optional<double> second;
    std::vector<sweep::CurvePoint> points;
};

/// The contents of all charts of a sweep; plain values.
struct SweepModel
{
    SweepSetup setup;
    std::vector<SweepParameter> axes; ///< axes of the sweep with their current values
    sweep::SweepTable table;
    std::optional<sweep::SweepTable> beside; ///< results of the open schedule at the same points
    bool besideIsOpen = true;                ///< false: the schedule that was open when the sweep began
    std::vector<SweepChange> changes;
    QString unit; ///< unit of latencies: "cycles", or empty

    [[nodiscard]] const sweep::Plan& plan() const { return table.manifest.plan; }
    [[nodiscard]] bool isEmpty() const { return table.rows.empty(); }
    /// The plotted column of the plan.
    [[nodiscard]] std::size_t metric() const;
    [[nodiscard]] std::string_view metricName() const { return sweep::metricsOf(plan())[metric()]; }
    [[nodiscard]] double valueOf(std::size_t row, std::size_t axis) const;
    [[nodiscard]] std::vector<SweepCurve> curves() const;
    /// The curves without the points that do not fit into memory (sweep::fitsMemory()): what an answer may
    /// name.
    [[nodiscard]] std::vector<SweepCurve> fittingCurves() const;
    /// The row with the current values of the machine; nullopt if there is none.
    [[nodiscard]] std::optional<std::size_t> rowInForce() const;
};

/// The columns that can be plotted: those that are minimised.
[[nodiscard]] std::vector<QString> sweepMetrics(const sweep::Plan& plan);
/// Name of the column that is plotted unless another is chosen.
[[nodiscard]] QString usualMetric(const sweep::Plan& plan);
[[nodiscard]] QString sweepMetricTitle(const QString& name);

/// "Within 5 % of the best: 128 KiB. ..."; empty without results.
[[nodiscard]] QString sweepAnswer(const SweepModel& model);
/// The curves or the front; empty if another chart is chosen.
[[nodiscard]] std::vector<PlotModel> sweepPlots(const SweepModel& model, const Theme& theme);
/// The heat map of a sweep with two axes; cells are rows of the table.
[[nodiscard]] HeatGrid sweepGrid(const SweepModel& model, const Theme& theme);
/// The row of a cell.
[[nodiscard]] std::size_t sweepRowOfCell(const SweepModel& model, std::size_t cell);
struct SweepGridPlaces
{
    QRectF title, keys;
    HeatFrame map;
};
[[nodiscard]] SweepGridPlaces sweepGridPlaces(const HeatGrid& grid, const QRectF& area);
/// Paints the heat map with contours: lines between cells on different sides of a share above the best value.
void paintSweepGrid(QPainter& painter, const SweepModel& model, const HeatGrid& grid,
                    const SweepGridPlaces& places, std::optional<std::size_t> hover, const Theme& theme);
/// All numbers of a point.
[[nodiscard]] QString sweepTooltip(const SweepModel& model, std::size_t row);
/// "Fast memory (L3) 128 KiB, ..."
[[nodiscard]] QString sweepPointName(const SweepModel& model, std::size_t row);
/// One row per point: values, metrics and status.
[[nodiscard]] Table sweepTable(const SweepModel& model);

} // namespace tilewright::ui
