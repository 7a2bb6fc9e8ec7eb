// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "chart/plot_model.h"
#include "systolic/roofline.h"

namespace tilewright::ui {

/// Around the pictures of the Systolic lens.
inline constexpr double kPaneMargin = 12;

/// "L1", "L2", "L3", "DRAM"
[[nodiscard]] QString rooflineLevel(systolic::Level level);
/// "L2", "the array" of Roofline::binding.
[[nodiscard]] QString bindingText(const std::string& binding);

/// "Roofline: 12 of 34 GFLOP/s, bound by L2"
[[nodiscard]] QString rooflineTitle(const systolic::Roofline& roofline);
/// The first two lines of a pane.
void paintSystolicHead(QPainter& painter, const QRectF& area, const QString& title, const QString& headline,
                       const Theme& theme);
/// Multi-level roofline, both axes logarithmic: a roof and a point for every level. `other` (may be null) is
/// drawn with hollow points. The id of a mark is its level, of the other's those behind.
[[nodiscard]] PlotModel levelRoofline(const systolic::Roofline& roofline, const systolic::Roofline* other,
                                      const QString& otherName, const Theme& theme);
[[nodiscard]] QString levelRooflineTooltip(const systolic::Roofline& roofline,
                                           const systolic::Roofline* other, const QString& otherName,
                                           const PlotMark& mark);

} // namespace tilewright::ui
