// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/graph/graph_paint.h"

#include <QFont>
#include <QPainter>

#include <algorithm>

namespace tilewright::ui {

// Below these zooms (device pixels per scene unit) details are left out.
inline constexpr double kGraphBlocksBelow = 0.24; // nodes are plain blocks, lines straight
inline constexpr double kGraphArrowsFrom = 0.42;
inline constexpr double kGraphLabelsFrom = 0.62;

/// What the layers of the picture have in common while it is painted. Scene coordinates.
struct GraphPainting
{
    GraphPainting(QPainter& painter, const GraphModel& model, const Viewport& viewport, const QRectF& area,
                  const Theme& theme, const GraphMarks& marks);

    // In this order; each in a file of its own.
    void paintHulls();      // graph_paint_hulls.cpp
    void paintLines();      // graph_paint_lines.cpp
    void paintHighlights(); // lines of what is selected or hovered
    void paintNodes();      // graph_paint_nodes.cpp
    void paintRings();
    void paintLabels();
    void paintTabs();

    [[nodiscard]] double hairline() const { return std::max(1.0, 1.0 / m_scale); }

    QPainter& m_p;
    const GraphModel& m_model;
    const Viewport& m_viewport;
    const Theme& m_theme;
    const GraphMarks& m_marks;
    QRectF m_visible;
    double m_scale;
    double m_deviceScale = 1;
    QFont m_titleFont, m_detailFont, m_tagFont;
    bool m_titleVisible = true;
    bool m_detailVisible = true;
};

} // namespace tilewright::ui
