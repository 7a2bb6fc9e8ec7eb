// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/mapping/breakdown_model.h"

#include <QRectF>

class QPainter;

namespace tilewright::ui {

struct Theme;

/// Position of a bar, for tooltips.
struct BreakdownPlace
{
    std::size_t section = 0;
    std::size_t bar = 0;
    QRectF row;
    QRectF track; ///< the full width of the bar
};

struct BreakdownPlaces
{
    std::vector<QRectF> heads; ///< title and legend of each section
    std::vector<BreakdownPlace> bars;
    double height = 0;
};

[[nodiscard]] BreakdownPlaces breakdownPlaces(const QRectF& area, const BreakdownModel& model);
void paintBreakdown(QPainter& painter, const BreakdownModel& model, const BreakdownPlaces& places,
                    const Theme& theme);
/// All parts of a bar with exact values, as rich text.
[[nodiscard]] QString breakdownTooltip(const BreakdownModel& model, const BreakdownPlace& place);

} // namespace tilewright::ui
