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

/// The zoom limits of a graph.
inline constexpr double kSmallestGraphZoom = 0.01;
inline constexpr double kLargestGraphZoom = 4;

/// True if labels of lines are large enough to be painted at this number of device pixels per scene unit.
[[nodiscard]] bool labelsArePainted(double deviceScale);

/// The mark of a view on a line; empty for other tensors.
[[nodiscard]] QRectF slabOf(const GraphEdge& edge, bool named);
void paintViewSlab(QPainter& painter, const QRectF& box, const QColor& colour, const Theme& theme,
                   double width);

/// The effect of a drop on a subgraph, shown at its tab during a drag.
struct GraphVerdict
{
    enum class Kind : std::uint8_t { Unknown, Better, Worse, Same, Invalid, Refused };
    Kind kind = Kind::Unknown;
    QString text;   ///< "−412.5" or the reason
    QString detail; ///< second line at the cursor
};

/// Everything that changes without a new model: selection, hover, search, drag.
struct GraphMarks
{
    std::set<OpId> ops;
    std::set<SubgraphId> subgraphs;
    std::optional<TensorId> tensor;
    std::map<SubgraphId, QString>
        holding; ///< subgraphs that hold the selected tensor in fast memory, and how
    std::optional<OpId> hoverOp;
    std::optional<TensorId> hoverTensor;
    std::optional<SubgraphId> hoverSubgraph;
    std::optional<std::size_t> cursor; ///< node with the keyboard focus
    bool searching = false;            ///< nodes that are not in `found` are dimmed
    std::set<std::size_t> found;
    std::optional<std::size_t> currentFound;

    bool dragging = false;
    std::set<OpId> carried; ///< ops that are dragged, dimmed
    std::map<SubgraphId, GraphVerdict> verdicts;
    std::optional<SubgraphId> target; ///< drop target under the cursor
};

/// Paints the part of the model that `viewport` shows into `area` of the device.
void paintGraph(QPainter& painter, const GraphModel& model, const Viewport& viewport, const QRectF& area,
                const Theme& theme, const GraphMarks& marks = {});

/// Height of the legend of shapes, lines and colours in the lower left corner of `area`; 0 if there is no
/// room.
[[nodiscard]] double graphLegendHeight(const GraphModel& model, const QRectF& area);
void paintGraphLegend(QPainter& painter, const GraphModel& model, const QRectF& area, const Theme& theme);

/// The legend as a cached picture. It is repainted only if its contents change.
class GraphLegendPicture
{
public:
    void paint(QPainter& painter, const GraphModel& model, const QRectF& area, const Theme& theme);

private:
    struct Key
    {
        GraphLegend legend;
        std::optional<GraphFill> subgraph; ///< appearance of areas; nullopt without areas
        bool recomputes = false;
        bool sections = false, views = false, stacks = false, baseline = false;
        std::array<bool, 4> changes{};
        QSizeF area;
        double ratio = 1;
        const Theme* theme = nullptr;
        QFont font;
        bool operator==(const Key&) const = default;
    };
    std::optional<Key> m_key; ///< contents that m_picture shows
    QPixmap m_picture;        ///< null if there is no room
};

/// Paints the whole model without lines, for the overview.
void paintGraphOverview(QPainter& painter, const GraphModel& model, const QRectF& area, const Theme& theme);

[[nodiscard]] QColor verdictColour(GraphVerdict::Kind kind, const Theme& theme);

} // namespace tilewright::ui
