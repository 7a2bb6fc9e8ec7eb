// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/tiles/tiles_model.h"

#include <QRectF>

class QPainter;

namespace tilewright::ui {

struct Theme;

/// Positions of the rows of the step panel, for painting and for the mouse.
struct StepPanelLayout
{
    struct Line
    {
        QRectF rect;
        int row = -1;    ///< index into StepModel::rows; -1 for a heading
        QString heading; ///< text of the heading with the sum of its rows
    };
    QRectF area;
    QRectF list; ///< area of the list, the part of the panel that scrolls
    /// area of the picture of the elements that the tile reads through a map (R1.8); empty if there is none
    QRectF map;
    double height = 0;       ///< height of all lines in pixels
    double miniature = 34;   ///< side length of the small pictures of tensors in pixels
    std::vector<Line> lines; ///< lines; their positions are relative to the top of `list`, before scrolling
    void narrowList(double by); ///< makes the list narrower by the width of a scroll bar
};

[[nodiscard]] StepPanelLayout layoutStepPanel(const StepModel& model, const QRectF& area);
void paintStepPanel(QPainter& painter, const StepModel& model, const TilesModel& tiles,
                    const StepPanelLayout& layout, double scroll, std::optional<int> hoveredRow,
                    const Theme& theme);
/// Returns the row at a point; nullopt at a heading or outside of the list.
[[nodiscard]] std::optional<int> stepRowAt(const StepPanelLayout& layout, double scroll, QPointF point);

} // namespace tilewright::ui
