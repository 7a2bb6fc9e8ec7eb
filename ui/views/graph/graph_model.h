// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "eval/traffic.h"
#include "model/compare_models.h"
#include "snapshot/snapshot.h"
#include "views/graph/graph_geometry.h"

#include <QPainterPath>
#include <QPointF>
#include <QRectF>
#include <QString>

#include <algorithm>
#include <array>
#include <memory>
#include <vector>

namespace tilewright::ui {

enum class GraphColouring { Subgraph, OpType, Bound, Latency, Intensity, None, Change };

struct GraphOptions
{
    GraphColouring colouring = GraphColouring::Subgraph;
    bool edgeLabels = true;
    /// Per op what its operator is against the model that is compared with; empty without one.
    std::vector<model::OperatorChange> changes{};
};

/// A colour by role, resolved by the theme when painting.
struct GraphFill
{
    enum class Role : std::uint8_t { Neutral, Category, Ramp, Bound, Change };
    Role role = Role::Neutral;
    double value = 0; ///< category index, place on the ramp in 0..1, or the number of a Bound or a change
    bool operator==(const GraphFill&) const = default;
};

/// How a tensor reaches a consumer (told apart by line style, not by colour).
enum class EdgeStyle : std::uint8_t {
    Ephemeral, ///< dashed: lives and dies inside one subgraph
    Retained,  ///< double: stays in fast memory from one subgraph to the next
    Spilled,   ///< solid: through slow memory
};

struct GraphBadge
{
    SubgraphId subgraph;
    GraphFill fill;
};

/// A subgraph's part of a section; an op's when the colour tells the type.
struct GraphShare
{
    GraphFill fill;
    double weight = 1; ///< the latency; all alike where one is unknown
};

struct GraphNode
{
    GraphKey key;
    QRectF rect;
    OpType type = OpType::Pointwise;
    QString title; ///< without what all visible names begin with
    QString brief; ///< of a card, where the title finds no room
    QString detail;
    QString extra;                  ///< third line of a card
    QString fourth;                 ///< of a card of equal blocks: whether they are scheduled alike
    bool isStack = false;           ///< a card that stands for several equal blocks
    std::vector<GraphBadge> badges; ///< every subgraph that runs the op, in the order of the schedule
    std::vector<GraphShare> shares; ///< of a section, in the order of the schedule
    bool uncovered = false;         ///< in no subgraph
    bool error = false;             ///< in a subgraph that breaks a rule
    bool moved = false;             ///< stands with other ops than in the baseline
    /// Against the model that is compared with: new, gone or changed.
    model::OperatorChange change = model::OperatorChange::Same;
};

/// One line of a net, without what it shares with lines before it. Painted.
struct GraphStroke
{
    TensorId tensor;
    EdgeStyle style = EdgeStyle::Spilled;
    QPainterPath path;
    QRectF bounds;
    std::vector<QPointF> points; ///< corners, for far views
};

/// The whole way from producer to consumer. For hits, highlights, labels and arrow heads.
struct GraphEdge
{
    std::size_t from = 0;
    std::size_t to = 0;
    TensorId tensor;
    std::optional<OpId> consumer;
    std::vector<TensorId> bundle; ///< of a line between cards, when it stands for several tensors
    EdgeStyle style = EdgeStyle::Spilled;
    QPainterPath path;
    QRectF bounds;
    QPointF end;
    QPointF beforeEnd;
    QRectF slab;      ///< of a view: that it is one is told here; empty for other tensors
    QRectF namedSlab; ///< instead, where names are large enough; empty when it is told elsewhere
    QString slabText; ///< in namedSlab
    QString label;    ///< traffic, empty when there is none or no room
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
    QPainterPath path;             ///< outlines with rounded corners
    bool isBox = false;            ///< the outline is one upright rectangle
    QPainterPath satellites;       ///< rings round recomputed ops that stand elsewhere, and the bands to them
    QPainterPath satelliteOutline; ///< of `satellites` as one area
    QRectF bounds;                 ///< of path and satellites
    QPointF tab;                   ///< upper left corner of the outline
    double tabRoom = 0;            ///< width up to the right end of the outline's upper edge
    std::vector<std::size_t> nodes; ///< nodes of its ops, satellites included
    QString granularity;
    QString latency;
    QString mark;           ///< what the colour says, without colour: sign of the bound, intensity
    QString change;         ///< of the latency against the baseline, where it has the same subgraph
    QString error;          ///< code of its first issue
    bool collapsed = false; ///< drawn as a card, or inside a section
    bool locked = false;    ///< for the solver

    /// False for a subgraph whose ops are all in cards.
    [[nodiscard]] bool isDrawn() const { return !path.isEmpty() || !satellites.isEmpty(); }
};

/// What the fill of the ops says.
struct GraphLegend
{
    QString title;
    std::vector<std::pair<GraphFill, QString>> entries;
    std::vector<QString> scale; ///< figures at equal distances along the ramp; empty = no ramp
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
    bool hasStacks = false;          ///< some card stands for several equal blocks
    bool hasBaseline = false;        ///< what is grouped otherwise than there is marked
    std::array<bool, 4> hasChange{}; ///< some node is so, by model::OperatorChange
    QString summary;                 ///< one sentence, for the accessible description
};

/// Per subgraph; nothing while unknown.
using GraphTraffic = std::vector<std::optional<std::vector<TensorTraffic>>>;

/// Plain data of the picture. `colours`: category per subgraph (Document::colours()).
[[nodiscard]] GraphModel buildGraph(const SnapshotPtr& snapshot, const Snapshot* baseline,
                                    const std::vector<std::size_t>& colours, const GraphOptions& options,
                                    std::shared_ptr<const GraphGeometry> geometry,
                                    const GraphTraffic& traffic = {});

/// Writes the traffic of each line beside its end, where there is room; what is unknown stays without.
void labelEdges(GraphModel& model, const GraphTraffic& traffic);

/// Subgraphs that take `tensor` from this line, each once.
[[nodiscard]] std::vector<SubgraphId> readersOf(const GraphModel& model, const GraphEdgeKey& edge,
                                                TensorId tensor);

/// Takes the labels of the same picture one edit earlier, but for lines from or to what the edit changed.
void keepLabels(GraphModel& model, const GraphModel& before);

/// How tensor t reaches subgraph s when its op `consumer` reads it.
[[nodiscard]] EdgeStyle edgeStyle(const Snapshot& snapshot, SubgraphId s, TensorId t);

} // namespace tilewright::ui
