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
// Where the names in the scene are too small, they are written in this size as long as nodes are so high.
inline constexpr double kGraphFarTextFrom = 12; // screen pixels

/// What the layers of the picture have in common while it is painted. Scene coordinates.
struct GraphPainting
{
    GraphPainting(QPainter& painter, const GraphModel& model, const Viewport& viewport, const QRectF& area,
                  const Theme& theme, const GraphMarks& marks);

    // In this order; each in a file of its own.
    void paintHulls();      // graph_paint_hulls.cpp
    void paintLines();      // graph_paint_lines.cpp
    void paintHighlights(); // lines of what is selected or hovered
    void paintSlabs();      // views on their lines
    void paintNodes();      // graph_paint_nodes.cpp
    void paintRings();
    void paintLabels();
    void paintTabs();

    /// At least a pixel wide, however far away.
    [[nodiscard]] double hairline() const { return std::max(1.0, 1.0 / m_scale); }
    [[nodiscard]] double visible(double width) const { return std::max(width, 1.1 / m_scale); }

    QPainter& m_p;
    const GraphModel& m_model;
    const Viewport& m_viewport;
    const Theme& m_theme;
    GraphRoles m_roles;
    const GraphMarks& m_marks;
    QRectF m_seen;    ///< what `area` shows
    QRectF m_visible; ///< the same and what hangs over a little
    double m_scale;
    double m_deviceScale = 1;
    QFont m_titleFont, m_detailFont, m_tagFont, m_farFont;
    bool m_titleVisible = true;
    bool m_farText = false; ///< names in screen size
    bool m_detailVisible = true;
};

} // namespace tilewright::ui
