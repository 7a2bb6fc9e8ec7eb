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

/// Automatic: by op type while every subgraph has a single op, otherwise by subgraph. Measured: by the values
/// of an overlay.
enum class GraphColouring { Subgraph, OpType, Bound, Latency, Intensity, None, Automatic, Measured, Change };
[[nodiscard]] GraphColouring usedColouring(GraphColouring chosen, const Schedule& schedule);

struct GraphOptions
{
    GraphColouring colouring = GraphColouring::Automatic;
    bool edgeLabels = true;
    /// For each op, the change of its operator compared with the other model; empty if there is no other
    /// model.
    std::vector<model::OperatorChange> changes{};
    OpValuesPtr values{}; ///< values of the ops; if set, they colour the ops instead of `colouring`
};

/// A colour, given by its role in the theme. It is resolved when the graph is painted.
struct GraphFill
{
    enum class Role : std::uint8_t { Neutral, Category, Ramp, Bound, Change };
    Role role = Role::Neutral;
    double value = 0; ///< category index, position on the ramp (0..1), or number of a Bound or of a change
    bool operator==(const GraphFill&) const = default;
};

/// The way in which a tensor reaches a consumer. It is shown by line style, not by colour.
enum class EdgeStyle : std::uint8_t {
    Interior, ///< dashed line: interior of a subgraph
    Retained, ///< double line: stays in fast memory for the next subgraph
    Spilled,  ///< solid line: passes through slow memory
};

struct GraphBadge
{
    SubgraphId subgraph;
    GraphFill fill;
};

/// A part of a section's bar: a subgraph, or an op if the colour shows the op type.
struct GraphShare
{
    GraphFill fill;
    double weight = 1; ///< latency of the part; 1 for all parts if a latency is unknown
};

struct GraphNode
{
    GraphKey key;
    QRectF rect;
    OpType type = OpType::Pointwise;
    QString title;        ///< name without the common prefix of all visible names
    QString brief;        ///< shorter title of a card, used if the title does not fit
    QString detail;       ///< sizes of an op or a tensor; for a card, its contents
    QString extra;        ///< third line of a card; for an op, its base cost, shown behind the sizes
    QString fourth;       ///< fourth line of a card of equal blocks: whether the blocks have equal schedules
    bool isStack = false; ///< true if the card stands for several equal blocks
    std::vector<GraphBadge> badges; ///< badges of all subgraphs that run the op, in execution order
    std::vector<GraphShare> shares; ///< parts of a section, in execution order
    bool uncovered = false;         ///< true if the op is in no subgraph
    bool error = false;             ///< true if the node is in a subgraph that breaks a rule
    bool moved = false;             ///< true if the op is grouped with other ops than in the baseline
    /// Change compared with the other model: new, gone or changed.
    model::OperatorChange change = model::OperatorChange::Same;
};

/// A line of a net without the parts that earlier lines of the net have painted. Used for painting only.
struct GraphStroke
{
    TensorId tensor;
    EdgeStyle style = EdgeStyle::Spilled;
    QPainterPath path;
    QRectF bounds;
    std::vector<QPointF> points; ///< corners of the line, for painting at low zoom
};

/// The whole path from producer to consumer. Used for hit tests, highlights, labels and arrow heads.
struct GraphEdge
{
    std::size_t from = 0;
    std::size_t to = 0;
    TensorId tensor;
    std::optional<OpId> consumer;
    std::vector<TensorId> bundle; ///< all tensors of a line between two cards, if there are several
    EdgeStyle style = EdgeStyle::Spilled;
    QPainterPath path;
    QRectF bounds;
    QPointF end;
    QPointF beforeEnd;
    QRectF slab; ///< rectangle of the mark of a view; empty for other tensors
    /// rectangle of the mark with name, used if names are large enough; empty if another line shows the name
    QRectF namedSlab;
    QString slabText; ///< text of namedSlab
    QString label;    ///< text for the traffic; empty if there is none, or no room for it
    QRectF labelRect;

    [[nodiscard]] bool carries(std::optional<TensorId> t) const
    {
        return t && (tensor == *t || std::find(bundle.begin(), bundle.end(), *t) != bundle.end());
    }
};

/// The area of a subgraph in the picture.
struct GraphHull
{
    SubgraphId subgraph;
    GraphFill fill;
    QPainterPath path;  ///< outlines with rounded corners
    bool isBox = false; ///< true if the outline is a single axis-parallel rectangle
    QPainterPath
        /// Rings around recomputed ops in areas of other subgraphs, with the bands that connect them.
        satellites;
    QPainterPath satelliteOutline;  ///< `satellites` as one area
    QRectF bounds;                  ///< bounding box of path and satellites
    QPointF tab;                    ///< upper left corner of the outline
    double tabRoom = 0;             ///< distance from `tab` to the right end of the outline's upper edge
    std::vector<std::size_t> nodes; ///< nodes of the subgraph's ops, including those in satellites
    QString granularity;
    QString latency;
    QString mark;   ///< the information of the colour as text: the sign of the bound, or the intensity
    QString change; ///< change of the latency against the baseline, if the baseline has the same subgraph
    QString error;  ///< code of the subgraph's first issue
    bool collapsed = false; ///< true if the subgraph is drawn as a card or as part of a section
    bool locked = false;    ///< true if the subgraph is locked for the solver

    /// False for a subgraph whose ops are all inside cards.
    [[nodiscard]] bool isDrawn() const { return !path.isEmpty() || !satellites.isEmpty(); }
};

/// The legend for the colours of the ops.
struct GraphLegend
{
    QString title;
    std::vector<std::pair<GraphFill, QString>> entries;
    std::vector<QString> scale; ///< numbers at equal distances along the ramp; empty if there is no ramp
    bool operator==(const GraphLegend&) const = default;
};

struct GraphModel
{
    std::shared_ptr<const GraphGeometry> geometry;
    SnapshotPtr snapshot;
    std::vector<GraphNode> nodes;
    std::vector<GraphStroke> strokes;
    std::vector<GraphEdge> edges;
    std::vector<GraphHull> hulls; ///< areas, by index of the subgraph
    GraphLegend legend;
    QRectF bounds;
    bool recomputes = false;         ///< true if some op is in several subgraphs
    bool hasViews = false;           ///< true if some line carries a view
    bool hasStacks = false;          ///< true if some card stands for several equal blocks
    bool hasBaseline = false;        ///< true if differences from a baseline are marked
    std::array<bool, 4> hasChange{}; ///< for each model::OperatorChange, true if some node has it
    QString summary;                 ///< the graph in one sentence, for the accessible description
};

/// Traffic of the tensors of each subgraph; nullopt while it is unknown.
using GraphTraffic = std::vector<std::optional<std::vector<TensorTraffic>>>;

/// Builds the data of the picture. `colours`: category of each subgraph (Document::colours()).
[[nodiscard]] GraphModel buildGraph(const SnapshotPtr& snapshot, const Snapshot* baseline,
                                    const std::vector<std::size_t>& colours, const GraphOptions& options,
                                    std::shared_ptr<const GraphGeometry> geometry,
                                    const GraphTraffic& traffic = {});

/// Writes the traffic of each line near its end, if there is room. Lines with unknown traffic get no label.
void labelEdges(GraphModel& model, const GraphTraffic& traffic);

/// Returns the subgraphs that read `tensor` at the end of this line, each once.
[[nodiscard]] std::vector<SubgraphId> readersOf(const GraphModel& model, const GraphEdgeKey& edge,
                                                TensorId tensor);

/// Reuses the labels of the picture before the edit, except on lines at subgraphs that the edit has changed.
void keepLabels(GraphModel& model, const GraphModel& before);

/// Returns the way in which the tensor reaches the subgraph, if the subgraph's op `consumer` reads it.
[[nodiscard]] EdgeStyle edgeStyle(const Snapshot& snapshot, SubgraphId s, TensorId t);

} // namespace tilewright::ui
