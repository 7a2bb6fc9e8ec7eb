// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "eval/memory_use.h"
#include "model/compare_models.h"
#include "snapshot/snapshot.h"
#include "views/graph/graph_geometry.h"
#include "workspace/op_colours.h"

#include <QPainterPath>
#include <QPointF>
#include <QRectF>
#include <QString>

#include <algorithm>
#include <array>
#include <memory>
#include <vector>

namespace tilewright::ui {

/// Automatic: by op type while every subgraph has one op, otherwise by subgraph. Measured: by the values of
/// an overlay.
enum class GraphColouring { Subgraph, OpType, Bound, Latency, Intensity, None, Automatic, Measured, Change };
[[nodiscard]] GraphColouring usedColouring(GraphColouring chosen, const Schedule& schedule);

struct GraphOptions
{
    GraphColouring colouring = GraphColouring::Automatic;
    bool edgeLabels = true;
    /// Per op, the change of its operator compared with the other model; empty without one.
    std::vector<model::OperatorChange> changes{};
    OpValuesPtr values{}; ///< colour by these numbers of the ops instead of `colouring`
};

/// A colour by role, resolved by the theme when painting.
struct GraphFill
{
    enum class Role : std::uint8_t { Neutral, Category, Ramp, Bound, Change };
    Role role = Role::Neutral;
    double value = 0; ///< category index, position on the ramp in 0..1, or the number of a Bound or a change
    bool operator==(const GraphFill&) const = default;
};

/// The way in which a tensor reaches a consumer. Shown by line style, not by colour.
enum class EdgeStyle : std::uint8_t {
    Interior, ///< dashed: interior of one subgraph
    Retained, ///< double: stays in fast memory for the next subgraph
    Spilled,  ///< solid: through slow memory
};

struct GraphBadge
{
    SubgraphId subgraph;
    GraphFill fill;
};

/// A subgraph's share of a section; an op's share if the colour shows the op type.
struct GraphShare
{
    GraphFill fill;
    double weight = 1; ///< the latency; 1 for all if one is unknown
};

struct GraphNode
{
    GraphKey key;
    QRectF rect;
    OpType type = OpType::Pointwise;
    QString title;                  ///< without the common prefix of all visible names
    QString brief;                  ///< text of a card if the title does not fit
    QString detail;                 ///< sizes of an op or a tensor; what a card contains
    QString extra;                  ///< third line of a card; base cost of an op, behind its sizes
    QString fourth;                 ///< whether the equal blocks of the card have equal schedules
    bool isStack = false;           ///< the card represents several equal blocks
    std::vector<GraphBadge> badges; ///< every subgraph that runs the op, in execution order
    std::vector<GraphShare> shares; ///< shares of a section, in execution order
    bool uncovered = false;         ///< the op is in no subgraph
    bool error = false;             ///< in a subgraph that breaks a rule
    bool moved = false;             ///< grouped with other ops than in the baseline
    /// Change compared with the other model: new, gone or changed.
    model::OperatorChange change = model::OperatorChange::Same;
};

/// One line of a net without the parts that earlier lines have painted. Used for painting.
struct GraphStroke
{
    TensorId tensor;
    EdgeStyle style = EdgeStyle::Spilled;
    QPainterPath path;
    QRectF bounds;
    std::vector<QPointF> points; ///< corners, for low zoom
};

/// The whole path from producer to consumer. Used for hits, highlights, labels and arrow heads.
struct GraphEdge
{
    std::size_t from = 0;
    std::size_t to = 0;
    TensorId tensor;
    std::optional<OpId> consumer;
    std::vector<TensorId> bundle; ///< the tensors of a line between cards, if there are several
    EdgeStyle style = EdgeStyle::Spilled;
    QPainterPath path;
    QRectF bounds;
    QPointF end;
    QPointF beforeEnd;
    QRectF slab;      ///< mark of a view; empty for other tensors
    QRectF namedSlab; ///< mark with name, used if names are large enough; empty if another line has the name
    QString slabText; ///< text of namedSlab
    QString label;    ///< traffic; empty if there is none or no room
    QRectF labelRect;

    [[nodiscard]] bool carries(std::optional<TensorId> t) const
    {
        return t && (tensor == *t || std::find(bundle.begin(), bundle.end(), *t) != bundle.end());
    }
};

/// A subgraph as an area.
struct GraphHull
{
    SubgraphId subgraph;
    GraphFill fill;
    QPainterPath path;  ///< outlines with rounded corners
    bool isBox = false; ///< the outline is one axis-parallel rectangle
    QPainterPath
        satellites; ///< rings around recomputed ops in other subgraphs' areas, with the bands to them
    QPainterPath satelliteOutline;  ///< `satellites` as one area
    QRectF bounds;                  ///< bounding box of path and satellites
    QPointF tab;                    ///< upper left corner of the outline
    double tabRoom = 0;             ///< width up to the right end of the outline's upper edge
    std::vector<std::size_t> nodes; ///< nodes of its ops, satellites included
    QString granularity;
    QString latency;
    QString mark;           ///< the information of the colour as text: bound sign, intensity
    QString change;         ///< change of the latency against the baseline, if that has the same subgraph
    QString error;          ///< code of its first issue
    bool collapsed = false; ///< drawn as a card, or inside a section
    bool locked = false;    ///< locked for the solver

    /// False for a subgraph whose ops are all in cards.
    [[nodiscard]] bool isDrawn() const { return !path.isEmpty() || !satellites.isEmpty(); }
};

/// The legend of the ops' colours.
struct GraphLegend
{
    QString title;
    std::vector<std::pair<GraphFill, QString>> entries;
    std::vector<QString> scale; ///< numbers at equal distances along the ramp; empty = no ramp
    bool operator==(const GraphLegend&) const = default;
};

struct GraphModel
{
    std::shared_ptr<const GraphGeometry> geometry;
    SnapshotPtr snapshot;
    std::vector<GraphNode> nodes;
    std::vector<GraphStroke> strokes;
    std::vector<GraphEdge> edges;
    std::vector<GraphHull> hulls; ///< index = subgraph
    GraphLegend legend;
    QRectF bounds;
    bool recomputes = false;         ///< some op is in several subgraphs
    bool hasViews = false;           ///< some line carries a view
    bool hasStacks = false;          ///< some card represents several equal blocks
    bool hasBaseline = false;        ///< differences from a baseline are marked
    std::array<bool, 4> hasChange{}; ///< whether some node has this model::OperatorChange
    QString summary;                 ///< one sentence, for the accessible description
};

/// Per subgraph; nullopt while unknown.
using GraphTraffic = std::vector<std::optional<std::vector<TensorTraffic>>>;

/// Builds the data of the picture. `colours`: category per subgraph (Document::colours()).
[[nodiscard]] GraphModel buildGraph(const SnapshotPtr& snapshot, const Snapshot* baseline,
                                    const std::vector<std::size_t>& colours, const GraphOptions& options,
                                    std::shared_ptr<const GraphGeometry> geometry,
                                    const GraphTraffic& traffic = {});

/// Writes the traffic of each line near its end, where there is room. Unknown traffic gets no label.
void labelEdges(GraphModel& model, const GraphTraffic& traffic);

/// Subgraphs that read `tensor` from this line, each once.
[[nodiscard]] std::vector<SubgraphId> readersOf(const GraphModel& model, const GraphEdgeKey& edge,
                                                TensorId tensor);

/// Reuses the labels of the picture before the edit, except on lines at subgraphs that the edit changed.
void keepLabels(GraphModel& model, const GraphModel& before);

/// Returns the way in which the tensor reaches the subgraph when its op `consumer` reads it.
[[nodiscard]] EdgeStyle edgeStyle(const Snapshot& snapshot, SubgraphId s, TensorId t);

} // namespace tilewright::ui
