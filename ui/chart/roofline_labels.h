// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "chart/roofline_plot.h"

#include <QFontMetricsF>
#include <QPointF>
#include <QSizeF>
#include <QString>

#include <vector>

namespace tilewright::ui {

/// A text beside a roof or a dot, turned about its centre.
struct RooflineLabel
{
    enum class Kind { ComputeRoof, MemoryRoof, PaddingCeiling, Dot };
    Kind kind = Kind::Dot;
    QString text;
    QPointF centre;
    QSizeF size;
    double degrees = 0;

    [[nodiscard]] bool overlaps(const RooflineLabel& other) const;
    [[nodiscard]] bool overlaps(QPointF circle, double radius) const;
    [[nodiscard]] std::vector<QPointF> corners() const;
};

/// Names of the roofs and of the dots that are too small to hold their number: never on one another, never
/// on a dot, all inside the plot. What finds no room is left out.
[[nodiscard]] std::vector<RooflineLabel> placeRooflineLabels(const RooflineModel& model, const QRectF& plot,
                                                             const RooflineRange& range,
                                                             const QFontMetricsF& font);

/// A dot of at least this size has its number inside.
[[nodiscard]] bool holdsNumber(double radius, const QString& number, const QFontMetricsF& font);

/// Ceilings above this are the roof itself.
inline constexpr double kNoCeiling = 0.995;

} // namespace tilewright::ui
