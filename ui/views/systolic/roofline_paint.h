// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "systolic/roofline.h"

#include <QRectF>
#include <QString>

class QPainter;

namespace tilewright::ui {

struct Theme;

/// Around the pictures of the Systolic lens.
inline constexpr double kPaneMargin = 12;

/// "L1", "L2", "L3", "DRAM"
[[nodiscard]] QString rooflineLevel(systolic::Level level);
/// "L2", "the array" of Roofline::binding.
[[nodiscard]] QString bindingText(const std::string& binding);

/// Multi-level roofline, both axes logarithmic: a roof and a point for every level. `other` (may be null) is
/// drawn with hollow points.
void paintMultiRoofline(QPainter& painter, const systolic::Roofline& roofline,
                        const systolic::Roofline* other, const QString& otherName, const QRectF& area,
                        const Theme& theme);

} // namespace tilewright::ui
