// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "chart/plot_model.h"

class QPainter;

namespace tilewright::ui {

struct Theme;

/// Draws a plot with QCustomPlot, into any painter: screen, PNG, SVG and PDF alike.
void paintPlot(QPainter& painter, const PlotModel& model, const PlotFrame& frame, const Theme& theme);

void paintPlotMark(QPainter& painter, QPointF at, const PlotMark& mark);
/// A sign of the keys: a mark as it is in the plot (not larger than the row), a line, both.
[[nodiscard]] ChartKey markKey(const QString& text, const PlotMark& mark);
[[nodiscard]] ChartKey lineKey(const QString& text, const QPen& line,
                               const std::optional<PlotMark>& mark = {});

/// A rectangle that was dragged over (values), with its extent.
void paintPlotMeasure(QPainter& painter, const PlotModel& model, const PlotFrame& frame, const QRectF& part,
                      const Theme& theme);
/// Hair lines through a place, with its values at the axes.
void paintPlotReadout(QPainter& painter, const PlotModel& model, const PlotFrame& frame, QPointF at,
                      const Theme& theme);

} // namespace tilewright::ui
