// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "chart/plot_model.h"
#include "systolic/roofline.h"

namespace tilewright::ui {

/// Margin of the charts of the Systolic lens.
inline constexpr double kPaneMargin = 12;

/// "L1", "L2", "L3", "DRAM"
[[nodiscard]] QString rooflineLevel(systolic::Level level);
/// Text of Roofline::binding: "L2", "the array".
[[nodiscard]] QString bindingText(const std::string& binding);

/// "Roofline: 12 of 34 GFLOP/s, bound by L2"
[[nodiscard]] QString rooflineTitle(const systolic::Roofline& roofline);
/// Paints the first two lines of a pane.
void paintSystolicHead(QPainter& painter, const QRectF& area, const QString& title, const QString& headline,
                       const Theme& theme);
/// Multi-level roofline, both axes logarithmic: a roof and a point per level. `other` (may be null) has
/// hollow points. The id of a mark is its level; ids of `other` follow.
[[nodiscard]] PlotModel levelRoofline(const systolic::Roofline& roofline, const systolic::Roofline* other,
                                      const QString& otherName, const Theme& theme);
[[nodiscard]] QString levelRooflineTooltip(const systolic::Roofline& roofline,
                                           const systolic::Roofline* other, const QString& otherName,
                                           const PlotMark& mark);

} // namespace tilewright::ui
