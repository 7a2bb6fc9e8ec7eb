// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/tiles/tiles_model.h"

#include <QRectF>

class QPainter;

namespace tilewright::ui {

struct Theme;

/// Positions of the rows of a step panel, for painting and for the mouse.
struct StepPanelLayout
{
    struct Line
    {
        QRectF rect;
        int row = -1;    ///< index into StepModel::rows; -1 for a heading
        QString heading; ///< includes the sum of its rows
    };
    QRectF area;
    QRectF list;             ///< the part of `area` that scrolls
    QRectF map;              ///< R1.8: picture of what the tile reads through a map; empty if there is none
    double height = 0;       ///< height of all lines
    double miniature = 34;   ///< side of the small pictures of tensors
    std::vector<Line> lines; ///< from the top of `list`, before scrolling
    void narrowList(double by); ///< leaves room for a scroll bar
};

[[nodiscard]] StepPanelLayout layoutStepPanel(const StepModel& model, const QRectF& area);
void paintStepPanel(QPainter& painter, const StepModel& model, const TilesModel& tiles,
                    const StepPanelLayout& layout, double scroll, std::optional<int> hoveredRow,
                    const Theme& theme);
/// Row under the point; nullopt over headings.
[[nodiscard]] std::optional<int> stepRowAt(const StepPanelLayout& layout, double scroll, QPointF point);

} // namespace tilewright::ui
