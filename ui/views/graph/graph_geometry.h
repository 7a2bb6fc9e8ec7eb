// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/progress.h"
#include "layout/layout.h"
#include "schedule/schedule.h"
#include "views/graph/graph_sections.h"

#include <QString>

#include <algorithm>
#include <compare>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace tilewright::ui {

/// What a node of the picture stands for; keeps its identity through edits.
struct GraphKey
{
    enum class Kind : std::uint8_t {
        Op,
        Input,
        Output,
        Card,    ///< a collapsed subgraph
        Section, ///< neighbouring subgraphs of a large graph
    };
    Kind kind = Kind::Op;
    std::uint32_t id = 0; ///< op; tensor of an input or output; first op of a card or section
    [[nodiscard]] bool isTensor() const { return kind == Kind::Input || kind == Kind::Output; }
    auto operator<=>(const GraphKey&) const = default;
};

/// What is drawn and how it is arranged (not how it is coloured).
struct GraphShape
{
    bool leftToRight = false;
    bool columns = true;        ///< long graphs are broken into columns
    std::set<OpId> collapsed;   ///< subgraphs that contain one of these ops are drawn as one card
    bool cards = true;          ///< above kCardsAbove visible ops, all subgraphs are cards or share one ...
    std::set<OpId> opened;      ///< ... but for those that contain one of these ops
    bool blocks = true;         ///< above kCardsAbove ops, repeating blocks are one card, but for opened ones
    bool blocksInSmall = false; ///< the same in smaller graphs
    std::set<OpId> spread;      ///< repetitions that contain one of these ops are a card a block
    std::set<OpId> focus;       ///< with hops > 0: only what is near these ops
    int hops = 0;
    bool operator==(const GraphShape&) const = default;
};

/// Sizes that follow the font, in scene units (= logical pixels at 100 %).
struct GraphMetrics
{
    double em = 8;    ///< width of an average letter or digit of the title
    double line = 17; ///< height of a line of text
    bool operator==(const GraphMetrics&) const = default;

    /// Long names get wider nodes, within limits.
    [[nodiscard]] double nodeWidth(std::size_t letters) const
    {
        return std::clamp(0.95 * em * static_cast<double>(letters) + 4.5 * em + 12, 17 * em + 24,
                          25 * em + 24);
    }
    [[nodiscard]] double nodeHeight() const { return 2.1 * line + 8; }
    [[nodiscard]] double tensorWidth(std::size_t letters) const
    {
        return std::clamp(0.85 * em * static_cast<double>(letters) + 2 * line, 6.5 * em + 14, 20 * em);
    }
    [[nodiscard]] double tensorHeight() const { return 1.35 * line + 2; }
    [[nodiscard]] double cardWidth() const { return 22 * em + 24; }
    [[nodiscard]] double cardHeight() const { return 3.1 * line + 16; }
    [[nodiscard]] double sectionHeight() const { return 3.1 * line + 26; } ///< with a bar of the subgraphs
    [[nodiscard]] double stackWidth() const { return 33 * em + 24; }
    [[nodiscard]] double stackHeight() const { return 4.1 * line + 26; } ///< a line more: of equal blocks
    [[nodiscard]] double padding() const { return 0.8 * line; }
};

struct GraphEdgeKey
{
    std::size_t from = 0; ///< node index
    std::size_t to = 0;
    TensorId tensor;
    std::optional<OpId> consumer; ///< none for graph outputs and for edges into cards
    std::vector<TensorId> bundle; ///< all tensors from one card to another, when there are several
    bool operator==(const GraphEdgeKey&) const = default;
};

/// A view (R1.7) on the line from one of its bases to what reads it.
struct GraphSlab
{
    LayoutRect plain; ///< where only that it is one is told
    LayoutRect named; ///< with room for its name and size; without width where there is none, or another line
                      ///< of the view tells it
};

/// What a node of kind Section stands for.
struct GraphSection
{
    std::vector<SubgraphId> subgraphs;
    std::vector<OpId> ops;             ///< drawn here; in topological order
    std::optional<GraphBlocks> blocks; ///< when it is made of repeating blocks
    [[nodiscard]] bool isStack() const { return blocks && blocks->count > 1; }
};

using RepetitionsPtr = std::shared_ptr<const std::vector<Repetition>>;

/// Where everything stands. Depends on the problem, on which ops are together, and on the shape; not on
/// granularities, so most edits keep it.
struct GraphGeometry
{
    ProblemPtr problem;
    GraphShape shape;
    GraphMetrics metrics;
    std::vector<std::vector<OpId>> members; ///< per subgraph, the ops it had
    std::vector<GraphKey> keys;             ///< per node
    std::vector<int> groupOf;               ///< per node: subgraph whose outline it stands in; -1 = none
    std::vector<GraphEdgeKey> edges;
    std::map<std::size_t, GraphSlab> slabs; ///< by edge
    LayoutResult layout;                    ///< nodes, routes and outlines (group index = subgraph)
    std::size_t hiddenOps = 0;
    bool condensed = false;                       ///< GraphShape::cards took effect
    std::size_t opsInCards = 0;                   ///< that became cards without being asked
    RepetitionsPtr repetitions;                   ///< nothing where they are not drawn as such
    std::vector<std::uint32_t> sectionOfOp;       ///< empty where there are no sections
    std::map<std::size_t, GraphSection> sections; ///< by node
    std::string namePrefix;   ///< what all visible names begin with; left out in the picture
    bool provisional = false; ///< to be replaced when the nodes have been arranged (graph_rearrange.h)
    std::map<GraphKey, std::size_t> index; ///< of the nodes

    /// Node of an op; of its card when it is collapsed; nothing when it is hidden.
    [[nodiscard]] std::optional<std::size_t> nodeOf(OpId op) const;
    /// The section an op belongs to, opened or not.
    [[nodiscard]] std::optional<std::uint32_t> sectionOf(OpId op) const;
    /// The repetition it is part of.
    [[nodiscard]] const Repetition* repetitionOf(OpId op) const;
    [[nodiscard]] bool hasCards() const { return condensed || !sections.empty(); }
    std::vector<std::optional<std::size_t>> nodeOfOp;
};

/// Whether repeating blocks of the problem are drawn as cards of their own.
[[nodiscard]] bool drawsBlocks(const GraphShape& shape, const Problem& problem);

/// On the part of each line that it shares with no other, the traffic beyond them, where they cover no node;
/// each view is named once.
void placeSlabs(GraphGeometry& geometry);

/// What is written on the slab of a view: its name and size.
[[nodiscard]] QString slabText(const GraphGeometry& geometry, TensorId view);

/// Ops within `hops` of `focus`, along tensors in both directions; siblings that read the same graph input do
/// not count as near.
[[nodiscard]] std::set<OpId> neighbourhood(const Problem& problem, const std::set<OpId>& focus, int hops);

/// Whether `geometry` still fits; otherwise layOutGraph is called with it as `previous`.
[[nodiscard]] bool fits(const GraphGeometry& geometry, const ProblemPtr& problem, const Schedule& schedule,
                        const GraphShape& shape, const GraphMetrics& metrics);

/// Arranges the graph; nodes stay near their places in `previous`. Nothing when stopped.
[[nodiscard]] std::optional<GraphGeometry> layOutGraph(const ProblemPtr& problem, const Schedule& schedule,
                                                       const GraphShape& shape, const GraphMetrics& metrics,
                                                       const GraphGeometry* previous = nullptr,
                                                       const Progress& progress = {});

} // namespace tilewright::ui
