// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "chart/plot_model.h"

#include <QFontMetricsF>
#include <QSizeF>

namespace tilewright::ui {

/// A label with its position, rotated about its centre.
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

/// Places the labels of a plot and the names of small marks inside the plot without overlaps of labels and
/// marks. Labels that do not fit are omitted, except those with a plate, which may cover a mark.
[[nodiscard]] std::vector<PlacedLabel> placePlotLabels(const PlotModel& model, const PlotFrame& frame,
                                                       const QFontMetricsF& font, const QColor& muted);

/// True if the name of a mark fits inside the mark.
[[nodiscard]] bool holdsName(const PlotMark& mark, const QFontMetricsF& font);

} // namespace tilewright::ui
