// SPDX-License-Identifier: GPL-3.0-or-later
// Painting of the graph: the whole picture and its parts.
#pragma once

#include "canvas/viewport.h"
#include "theme/theme.h"
#include "views/graph/graph_colouring.h"
#include "views/graph/graph_model.h"

#include <QFont>
#include <QPainter>
#include <QPixmap>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

namespace tilewright::ui {

/// The zoom limits of a graph.
inline constexpr double kSmallestGraphZoom = 0.01;
inline constexpr double kLargestGraphZoom = 4;

/// True if labels of lines are large enough to be painted. `deviceScale`: device pixels per scene unit.
[[nodiscard]] bool labelsArePainted(double deviceScale);

/// Returns the rectangle of a view's mark on a line; empty for other tensors.
[[nodiscard]] QRectF slabOf(const GraphEdge& edge, bool named);
void paintViewSlab(QPainter& painter, const QRectF& box, const QColor& colour, const Theme& theme,
                   double width);

/// The effect of a drop on a subgraph, shown at its tab during a drag.
struct GraphVerdict
{
    enum class Kind : std::uint8_t { Unknown, Better, Worse, Same, Invalid, Refused };
    Kind kind = Kind::Unknown;
    QString text;   ///< "−412.5" or the reason
    QString detail; ///< second line of the text at the cursor
};

/// State that changes without a new model: selection, hover, search, drag.
struct GraphMarks
{
    std::set<OpId> ops;
    std::set<SubgraphId> subgraphs;
    std::optional<TensorId> tensor;
    std::map<SubgraphId, QString>
        /// Subgraphs that hold the selected tensor in fast memory, and the way in which they hold it.
        holding;
    std::optional<OpId> hoverOp;
    std::optional<TensorId> hoverTensor;
    std::optional<SubgraphId> hoverSubgraph;
    std::optional<std::size_t> cursor; ///< node with the keyboard focus
    bool searching = false;            ///< true: nodes that are not in `found` are dimmed
    std::set<std::size_t> found;
    std::optional<std::size_t> currentFound;

    bool dragging = false;
    std::set<OpId> carried; ///< ops that are being dragged; they are dimmed
    std::map<SubgraphId, GraphVerdict> verdicts;
    std::optional<SubgraphId> target; ///< subgraph under the cursor as target of a drop
};

/// Paints the part of the model that `viewport` shows into `area` of the device.
void paintGraph(QPainter& painter, const GraphModel& model, const Viewport& viewport, const QRectF& area,
                const Theme& theme, const GraphMarks& marks = {});

/// Height of the legend of shapes, lines and colours in the lower left corner of `area`; 0 if there is no
/// room for it.
[[nodiscard]] double graphLegendHeight(const GraphModel& model, const QRectF& area);
void paintGraphLegend(QPainter& painter, const GraphModel& model, const QRectF& area, const Theme& theme);

/// The legend as a cached pixmap, which is repainted only when its contents change.
class GraphLegendPicture
{
public:
    void paint(QPainter& painter, const GraphModel& model, const QRectF& area, const Theme& theme);

private:
    struct Key
    {
        GraphLegend legend;
        /// Appearance of areas in the legend; nullopt if there are no areas.
        std::optional<GraphFill> subgraph;
        bool recomputes = false;
        bool sections = false, views = false, stacks = false, baseline = false;
        std::array<bool, 4> changes{};
        QSizeF area;
        double ratio = 1;
        const Theme* theme = nullptr;
        QFont font;
        bool operator==(const Key&) const = default;
    };
    std::optional<Key> m_key; ///< contents of the legend that m_picture shows
    QPixmap m_picture;        ///< the cached picture; null if there is no room for the legend
};

/// Paints the whole model without lines, for the overview.
void paintGraphOverview(QPainter& painter, const GraphModel& model, const QRectF& area, const Theme& theme);

[[nodiscard]] QColor verdictColour(GraphVerdict::Kind kind, const Theme& theme);

// Details are left out at a zoom below these values (in device pixels per scene unit).
inline constexpr double kGraphBlocksBelow = 0.24; // nodes are plain blocks, and lines are straight
inline constexpr double kGraphDotsBelow = 0.08;   // nodes are dots, and graph inputs and outputs are left out
inline constexpr double kGraphArrowsFrom = 0.42;
inline constexpr double kGraphLabelsFrom = 0.62;
// Minimum height of nodes with names in screen size, which are used if names in scene size would be too
// small.
inline constexpr double kGraphFarTextFrom = 12; // in screen pixels

/// State shared by the layers of the picture while it is painted. In scene coordinates.
struct GraphPainting
{
    GraphPainting(QPainter& painter, const GraphModel& model, const Viewport& viewport, const QRectF& area,
                  const Theme& theme, const GraphMarks& marks);

    // Implemented in graph_paint_lines.cpp.
    void paintHulls();      // implemented in graph_paint_lines.cpp
    void paintLines();      // paints the lines of selected or hovered items
    void paintHighlights(); // paints the marks of views on their lines
    void paintSlabs();      // implemented in graph_paint.cpp
    void paintNodes();      // graph_paint.cpp
    void paintRings();
    void paintLabels();
    void paintTabs();

    /// Width of a line that is at least one pixel wide at any zoom, in scene units.
    [[nodiscard]] double hairline() const { return std::max(1.0, 1.0 / m_scale); }
    [[nodiscard]] double visible(double width) const { return std::max(width, 1.1 / m_scale); }

    QPainter& m_p;
    const GraphModel& m_model;
    const Viewport& m_viewport;
    const Theme& m_theme;
    GraphRoles m_roles;
    const GraphMarks& m_marks;
    QRectF m_seen;    ///< the part of the scene that is visible in `area`
    QRectF m_visible; ///< m_seen with a margin for items that extend over its border
    double m_scale;
    double m_deviceScale = 1;
    QFont m_titleFont, m_detailFont, m_tagFont, m_farFont;
    bool m_titleVisible = true;
    bool m_farText = false; ///< true if names are painted in screen size
    bool m_detailVisible = true;
};

} // namespace tilewright::ui
