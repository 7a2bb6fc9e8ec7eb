// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "chart/plot_model.h"

#include <QFontMetricsF>
#include <QSizeF>

namespace tilewright::ui {

/// A text that has found its place, turned about its centre.
struct PlacedLabel
{
    QString text;
    QPointF centre;
    QSizeF size;
    double degrees = 0;
    QColor colour;
    bool plate = false;

    [[nodiscard]] bool overlaps(const PlacedLabel& other) const;
    [[nodiscard]] bool overlaps(QPointF circle, double radius) const;
    [[nodiscard]] std::vector<QPointF> corners() const;
};

/// The labels of a plot and the names of the marks that are too small to hold them: never on one another,
/// never on a mark, all inside the plot. What finds no room is left out; plates stand on a mark rather than
/// that.
[[nodiscard]] std::vector<PlacedLabel> placePlotLabels(const PlotModel& model, const PlotFrame& frame,
                                                       const QFontMetricsF& font, const QColor& muted);

/// Whether a mark has its name inside.
[[nodiscard]] bool holdsName(const PlotMark& mark, const QFontMetricsF& font);

} // namespace tilewright::ui
