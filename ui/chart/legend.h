// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QColor>
#include <QPointF>
#include <QString>

#include <vector>

class QPainter;

namespace tilewright::ui {

struct Theme;

/// What a colour (or, as the baseline, a dashed line) of a chart stands for.
struct LegendItem
{
    QString text;
    QColor colour;
    bool dashed = false;
    Qt::BrushStyle pattern = Qt::NoBrush; ///< over the colour
};

/// The width of a legend in one row; swatches grow with the font.
[[nodiscard]] double legendWidth(const std::vector<LegendItem>& items);
/// Paints the items from `start` (on the base line) on, as far as they end before `right`.
void paintLegend(QPainter& painter, const std::vector<LegendItem>& items, QPointF start, double right,
                 const Theme& theme);

} // namespace tilewright::ui
