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

/// The item that a node of the picture represents. The key identifies the node across edits.
struct GraphKey
{
    enum class Kind : std::uint8_t {
        Op,
        Input,
        Output,
        Card,    ///< a collapsed subgraph
        Section, ///< neighbouring subgraphs of a large graph, drawn as one card
    };
    Kind kind = Kind::Op;
    /// Number of the op; for an input or output, of the tensor; for a card or section, of its first op.
    std::uint32_t id = 0;
    [[nodiscard]] bool isTensor() const { return kind == Kind::Input || kind == Kind::Output; }
    auto operator<=>(const GraphKey&) const = default;
};

/// Which items are drawn and how they are arranged. Does not include colours.
struct GraphShape
{
    bool leftToRight = false;
    bool columns = true;      ///< long graphs are broken into columns
    double aspect = 1.6;      ///< desired ratio width / height of the picture: that of the pane
    std::set<OpId> collapsed; ///< subgraphs that contain one of these ops are drawn as one card
    /// true: with more than kCardsAbove visible ops, each subgraph is drawn as a card or as part of one
    bool cards = true;
    std::set<OpId> opened; ///< subgraphs that contain one of these ops are exceptions to `cards`
    /// true: with more than kCardsAbove ops, repeating blocks are drawn as one card, except opened ones
    bool blocks = true;
    bool blocksInSmall = false; ///< true: blocks are drawn as cards in smaller graphs, too
    std::set<OpId> spread;      ///< repetitions that contain one of these ops have one card per block
    std::set<OpId> focus;       ///< if hops > 0, only the surroundings of these ops are drawn
    int hops = 0;
    bool operator==(const GraphShape&) const = default;
};

/// Sizes that depend on the font, in scene units (= logical pixels at 100 %).
struct GraphMetrics
{
    double em = 8;    ///< width of an average character of the title
    double line = 17; ///< height of a line of text
    bool operator==(const GraphMetrics&) const = default;

    /// Width of a node: long names get wider nodes, within limits.
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
    [[nodiscard]] double tensorHeight() const { return 1.9 * line + 4; } ///< two lines: name and size
    [[nodiscard]] double cardWidth() const { return 22 * em + 24; }
    [[nodiscard]] double cardHeight() const { return 3.1 * line + 16; }
    /// Lines for the texts, and a bar of the subgraphs.
    [[nodiscard]] double sectionHeight() const { return 3.1 * line + 26; }
    [[nodiscard]] double stackWidth() const { return 33 * em + 24; }
    [[nodiscard]] double stackHeight() const
    {
        return 4.1 * line + 26;
    } ///< the card of equal blocks has one more line
    [[nodiscard]] double padding() const { return 0.8 * line; }
};

struct GraphEdgeKey
{
    std::size_t from = 0; ///< index of the node
    std::size_t to = 0;
    TensorId tensor;
    std::optional<OpId> consumer; ///< nullopt for graph outputs and for edges into cards
    std::vector<TensorId> bundle; ///< all tensors from one card to another, if there are several
    bool operator==(const GraphEdgeKey&) const = default;
};

/// The mark of a view (R1.7, R1.8) on the line from one of its bases to its reader.
struct GraphSlab
{
    std::vector<TensorId> views; ///< several views if the reader reads one base through several maps
    bool brief = false;          ///< true if the named mark has room only for the label of the map
    LayoutRect plain;            ///< small mark without text
    /// mark with name and size; width 0 if there is no room, or if another line of the view
    LayoutRect named;
    ///< shows the name
};

/// The contents of a node of kind Section.
struct GraphSection
{
    std::vector<SubgraphId> subgraphs;
    std::vector<OpId> ops;             ///< ops of the card, in topological order
    std::optional<GraphBlocks> blocks; ///< the blocks, if the card stands for repeating blocks
    [[nodiscard]] bool isStack() const { return blocks && blocks->count > 1; }
};

using RepetitionsPtr = std::shared_ptr<const std::vector<Repetition>>;

/// The positions of all items. They depend on the problem, the grouping of ops and the shape, but not on
/// granularities, so that most edits keep them.
struct GraphGeometry
{
    ProblemPtr problem;
    GraphShape shape;
    GraphMetrics metrics;
    std::vector<std::vector<OpId>> members; ///< ops of each subgraph at the time of layout
    std::vector<GraphKey> keys;             ///< item of each node
    std::vector<int> groupOf; ///< for each node, the subgraph whose outline contains it; -1 = none
    std::vector<GraphEdgeKey> edges;
    std::map<std::size_t, GraphSlab> slabs; ///< marks of views, by edge
    LayoutResult layout;                    ///< nodes, routes and outlines (group index = subgraph)
    std::size_t hiddenOps = 0;
    bool condensed = false;                       ///< true if cards were made because of GraphShape::cards
    std::size_t opsInCards = 0;                   ///< number of ops in cards that were made automatically
    RepetitionsPtr repetitions;                   ///< null if blocks are not drawn as cards
    std::vector<std::uint32_t> sectionOfOp;       ///< section of each op; empty without sections
    std::map<std::size_t, GraphSection> sections; ///< contents of Section nodes, by node
    std::string namePrefix;                       ///< common prefix of all visible names; not drawn
    bool provisional = false;              ///< true until the nodes have been rearranged (graph_rearrange.h)
    std::map<GraphKey, std::size_t> index; ///< node index of each key

    /// Returns the node of an op, or the node of the card that contains it; nullopt if it is hidden.
    [[nodiscard]] std::optional<std::size_t> nodeOf(OpId op) const;
    /// Returns the section to which an op belongs, whether it is opened or not.
    [[nodiscard]] std::optional<std::uint32_t> sectionOf(OpId op) const;
    /// Returns the repetition of blocks to which an op belongs.
    [[nodiscard]] const Repetition* repetitionOf(OpId op) const;
    [[nodiscard]] bool hasCards() const { return condensed || !sections.empty(); }
    std::vector<std::optional<std::size_t>> nodeOfOp;
};

/// True if repeating blocks of the problem are drawn as cards.
[[nodiscard]] bool drawsBlocks(const GraphShape& shape, const Problem& problem);

/// Places the marks of views. A mark is on the part of a line that the line shares with no other line, beyond
/// its traffic label and not over nodes. Each view is named on one line only.
void placeSlabs(GraphGeometry& geometry);

/// Returns the text of a view's mark: name and size.
[[nodiscard]] QString slabText(const GraphGeometry& geometry, const std::vector<TensorId>& views,
                               bool brief = false);

/// Returns the ops within `hops` of `focus`, along tensors in both directions. Ops that only read the same
/// graph input are not near each other.
[[nodiscard]] std::set<OpId> neighbourhood(const Problem& problem, const std::set<OpId>& focus, int hops);

/// True if `geometry` is still valid; if not, call layOutGraph with it as `previous`.
[[nodiscard]] bool fits(const GraphGeometry& geometry, const ProblemPtr& problem, const Schedule& schedule,
                        const GraphShape& shape, const GraphMetrics& metrics);

/// Lays out the graph; nodes stay near their positions in `previous`. nullopt when stopped.
[[nodiscard]] std::optional<GraphGeometry> layOutGraph(const ProblemPtr& problem, const Schedule& schedule,
                                                       const GraphShape& shape, const GraphMetrics& metrics,
                                                       const GraphGeometry* previous = nullptr,
                                                       const Progress& progress = {});

} // namespace tilewright::ui
