// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/table.h"
#include "chart/heat_grid.h"
#include "sweep/collect.h"
#include "sweep/curve.h"
#include "views/sweep/sweep_setup.h"

namespace tilewright::ui {

/// What becomes possible at a point of a curve: the schedule of the point before it, and of this one, differ
/// most in this.
struct SweepChange
{
    std::size_t row = 0;
    QString text;  ///< "fused: attn.scores + attn.softmax"
    QString brief; ///< where that has no room
};

/// One line of a picture: along the first axis, at one value of the second.
struct SweepCurve
{
    std::optional<double> second;
    std::vector<sweep::CurvePoint> points;
};

/// Everything the pictures of a sweep show; plain values.
struct SweepModel
{
    SweepSetup setup;
    std::vector<SweepParameter> axes; ///< of the sweep, with what is in force now
    sweep::SweepTable table;
    std::optional<sweep::SweepTable> beside; ///< the open schedule at the same points
    bool besideIsOpen = true;                ///< else: the one that was open when it was swept
    std::vector<SweepChange> changes;
    QString unit; ///< of latencies: "cycles", or nothing

    [[nodiscard]] const sweep::Plan& plan() const { return table.manifest.plan; }
    [[nodiscard]] bool isEmpty() const { return table.rows.empty(); }
    /// What is plotted: a column of the plan.
    [[nodiscard]] std::size_t metric() const;
    [[nodiscard]] double valueOf(std::size_t row, std::size_t axis) const;
    [[nodiscard]] std::vector<SweepCurve> curves() const;
    /// The row whose values are those in force; nothing when there is none.
    [[nodiscard]] std::optional<std::size_t> rowInForce() const;
};

/// Columns that are made small, and so can be plotted.
[[nodiscard]] std::vector<QString> sweepMetrics(const sweep::Plan& plan);
[[nodiscard]] QString sweepMetricTitle(const QString& name);

/// "Within 5 % of the best: 128 KiB. ..."; empty while there is nothing.
[[nodiscard]] QString sweepAnswer(const SweepModel& model);
/// The curves or the front; nothing where another picture is chosen.
[[nodiscard]] std::vector<PlotModel> sweepPlots(const SweepModel& model, const Theme& theme);
/// Cells are rows of the table when the sweep has two axes.
[[nodiscard]] HeatGrid sweepGrid(const SweepModel& model, const Theme& theme);
/// The row of a cell.
[[nodiscard]] std::size_t sweepRowOfCell(const SweepModel& model, std::size_t cell);
struct SweepGridPlaces
{
    QRectF title, keys;
    HeatFrame map;
};
[[nodiscard]] SweepGridPlaces sweepGridPlaces(const HeatGrid& grid, const QRectF& area);
/// The map with contours: lines between cells on both sides of a share above the best.
void paintSweepGrid(QPainter& painter, const SweepModel& model, const HeatGrid& grid,
                    const SweepGridPlaces& places, std::optional<std::size_t> hover, const Theme& theme);
/// Everything there is of a point.
[[nodiscard]] QString sweepTooltip(const SweepModel& model, std::size_t row);
/// "Fast memory (L3) 128 KiB, ..."
[[nodiscard]] QString sweepPointName(const SweepModel& model, std::size_t row);
/// A row a point: its values, its metrics and what became of it.
[[nodiscard]] Table sweepTable(const SweepModel& model);

} // namespace tilewright::ui
