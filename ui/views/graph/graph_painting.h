// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/graph/graph_colouring.h"
#include "views/graph/graph_paint.h"

#include <QFont>
#include <QPainter>

#include <algorithm>

namespace tilewright::ui {

// Below these zooms (device pixels per scene unit) details are left out.
inline constexpr double kGraphBlocksBelow = 0.24; // nodes are plain blocks, lines straight
inline constexpr double kGraphDotsBelow = 0.08;   // nodes are dots, inputs and outputs are left out
inline constexpr double kGraphArrowsFrom = 0.42;
inline constexpr double kGraphLabelsFrom = 0.62;
// If names at scene size are too small, they are painted at screen size in nodes of at least this height.
inline constexpr double kGraphFarTextFrom = 12; // screen pixels

/// The common part of the layers of the picture during painting. Scene coordinates.
struct GraphPainting
{
    GraphPainting(QPainter& painter, const GraphModel& model, const Viewport& viewport, const QRectF& area,
                  const Theme& theme, const GraphMarks& marks);

    // The layers in painting order.
    void paintHulls();      // graph_paint_hulls.cpp
    void paintLines();      // graph_paint_lines.cpp
    void paintHighlights(); // lines of selected or hovered items
    void paintSlabs();      // views on their lines
    void paintNodes();      // graph_paint_nodes.cpp
    void paintRings();
    void paintLabels();
    void paintTabs();

    /// At least one pixel wide at any zoom.
    [[nodiscard]] double hairline() const { return std::max(1.0, 1.0 / m_scale); }
    [[nodiscard]] double visible(double width) const { return std::max(width, 1.1 / m_scale); }

    QPainter& m_p;
    const GraphModel& m_model;
    const Viewport& m_viewport;
    const Theme& m_theme;
    GraphRoles m_roles;
    const GraphMarks& m_marks;
    QRectF m_seen;    ///< the part of the scene in `area`
    QRectF m_visible; ///< m_seen with a margin for items that extend over its border
    double m_scale;
    double m_deviceScale = 1;
    QFont m_titleFont, m_detailFont, m_tagFont, m_farFont;
    bool m_titleVisible = true;
    bool m_farText = false; ///< true if names are painted in screen size
    bool m_detailVisible = true;
};

} // namespace tilewright::ui
