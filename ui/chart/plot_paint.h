// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "chart/plot_model.h"

class QPainter;

namespace tilewright::ui {

struct Theme;

/// Draws a plot with QCustomPlot into any painter (screen, PNG, SVG, PDF).
void paintPlot(QPainter& painter, const PlotModel& model, const PlotFrame& frame, const Theme& theme);

void paintPlotMark(QPainter& painter, QPointF at, const PlotMark& mark);
/// Legend entries drawn as in the plot: with a mark (not larger than the row), with a line, or with both.
[[nodiscard]] ChartKey markKey(const QString& text, const PlotMark& mark);
[[nodiscard]] ChartKey lineKey(const QString& text, const QPen& line,
                               const std::optional<PlotMark>& mark = {});

/// Paints a measured range with its extent as text. `part`: in values of the axes.
void paintPlotMeasure(QPainter& painter, const PlotModel& model, const PlotFrame& frame, const QRectF& part,
                      const Theme& theme);
/// Paints crosshair lines through a point, with its values at the axes.
void paintPlotReadout(QPainter& painter, const PlotModel& model, const PlotFrame& frame, QPointF at,
                      const Theme& theme);

} // namespace tilewright::ui
