// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "canvas/viewport.h"
#include "theme/theme.h"
#include "views/graph/graph_model.h"

#include <QFont>
#include <QPixmap>

#include <map>
#include <optional>
#include <set>

class QPainter;

namespace tilewright::ui {

/// How far one can zoom out of a graph and into it.
inline constexpr double kSmallestGraphZoom = 0.01;
inline constexpr double kLargestGraphZoom = 4;

/// Whether labels of lines are large enough to be painted, at so many device pixels per scene unit.
[[nodiscard]] bool labelsArePainted(double deviceScale);

/// Where a line shows that it carries a view; empty where it carries another tensor.
[[nodiscard]] QRectF slabOf(const GraphEdge& edge, bool named);
void paintViewSlab(QPainter& painter, const QRectF& box, const QColor& colour, const Theme& theme,
                   double width);

/// What a drop on a subgraph would do, shown at its tab while dragging.
struct GraphVerdict
{
    enum class Kind : std::uint8_t { Unknown, Better, Worse, Same, Invalid, Refused };
    Kind kind = Kind::Unknown;
    QString text;   ///< "−412.5" or the reason
    QString detail; ///< second line at the cursor
};

/// Everything that changes without a new model: selection, hover, search, a drag.
struct GraphMarks
{
    std::set<OpId> ops;
    std::set<SubgraphId> subgraphs;
    std::optional<TensorId> tensor;
    std::map<SubgraphId, QString> holding; ///< where the selected tensor lies in fast memory, and how
    std::optional<OpId> hoverOp;
    std::optional<TensorId> hoverTensor;
    std::optional<SubgraphId> hoverSubgraph;
    std::optional<std::size_t> cursor; ///< node with the keyboard focus
    bool searching = false;            ///< nodes that are not in `found` step back
    std::set<std::size_t> found;
    std::optional<std::size_t> currentFound;

    bool dragging = false;
    std::set<OpId> carried; ///< step back while they are dragged
    std::map<SubgraphId, GraphVerdict> verdicts;
    std::optional<SubgraphId> target; ///< under the cursor
};

/// Paints the part of the model that `viewport` shows into `area` of the device.
void paintGraph(QPainter& painter, const GraphModel& model, const Viewport& viewport, const QRectF& area,
                const Theme& theme, const GraphMarks& marks = {});

/// Key to shapes, lines and colours in the lower left corner of `area`, where there is room for it.
[[nodiscard]] double graphLegendHeight(const GraphModel& model, const QRectF& area);
void paintGraphLegend(QPainter& painter, const GraphModel& model, const QRectF& area, const Theme& theme);

/// The key as it was painted, as long as it says the same: edits seldom change it.
class GraphLegendPicture
{
public:
    void paint(QPainter& painter, const GraphModel& model, const QRectF& area, const Theme& theme);

private:
    struct Key
    {
        GraphLegend legend;
        std::optional<GraphFill> subgraph; ///< how areas look; none without areas
        bool recomputes = false;
        bool sections = false, views = false, stacks = false, baseline = false;
        std::array<bool, 4> changes{};
        QSizeF area;
        double ratio = 1;
        const Theme* theme = nullptr;
        QFont font;
        bool operator==(const Key&) const = default;
    };
    std::optional<Key> m_key; ///< of m_picture
    QPixmap m_picture;        ///< null where there is no room
};

/// The whole model, without lines, for the overview.
void paintGraphOverview(QPainter& painter, const GraphModel& model, const QRectF& area, const Theme& theme);

[[nodiscard]] QColor verdictColour(GraphVerdict::Kind kind, const Theme& theme);

} // namespace tilewright::ui
