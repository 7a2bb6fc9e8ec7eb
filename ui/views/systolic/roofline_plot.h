// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "chart/plot_model.h"
#include "systolic/roofline.h"

namespace tilewright::ui {

/// Margin of the charts of the Systolic lens, in pixels.
inline constexpr double kPaneMargin = 12;

/// Name of a level: "L1", "L2", "L3", "DRAM".
[[nodiscard]] QString rooflineLevel(systolic::Level level);
/// Text on the limiting resource Roofline::binding: "L2", "the array".
[[nodiscard]] QString bindingText(const std::string& binding);

/// Title of the plot: "Roofline: 12 of 34 GFLOP/s, bound by L2".
[[nodiscard]] QString rooflineTitle(const systolic::Roofline& roofline);
/// Paints the two lines of text at the top of a pane.
void paintSystolicHead(QPainter& painter, const QRectF& area, const QString& title, const QString& headline,
                       const Theme& theme);
/// Returns a roofline with several levels and logarithmic axes: one roof and one point per level. `other` has
/// hollow points; may be null. The id of a mark is its level; the ids of the points of `other` follow after
/// these.
[[nodiscard]] PlotModel levelRoofline(const systolic::Roofline& roofline, const systolic::Roofline* other,
                                      const QString& otherName, const Theme& theme);
[[nodiscard]] QString levelRooflineTooltip(const systolic::Roofline& roofline,
                                           const systolic::Roofline* other, const QString& otherName,
                                           const PlotMark& mark);

} // namespace tilewright::ui
