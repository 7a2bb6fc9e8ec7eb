// SPDX-License-Identifier: GPL-3.0-or-later
// Internal interface of the tiling rules (tiling_*.cpp).
#pragma once

#include "npu/default_tiles.h"
#include "npu/graph.h"

#include <initializer_list>
#include <optional>
#include <unordered_map>

namespace tilewright::npu {

using Box = std::array<std::int64_t, kMaxRank>;

/// Starts of the blocks of [from, to) in steps of `step`, followed by `to`.
[[nodiscard]] std::vector<std::int64_t> blockBounds(std::int64_t from, std::int64_t to, std::int64_t step);

/// Grid of the blocks of a tensor, with the node that writes (or loads) each block.
struct ProducerGrid
{
    std::array<std::vector<std::int64_t>, kMaxRank> bounds; ///< per dimension: block starts, then the end
    std::vector<std::uint32_t> nodes;                       ///< row-major over the blocks

    /// Appends the nodes whose block overlaps the tile.
    void collect(const TileDesc& tile, std::vector<std::uint32_t>& out) const;
};

/// What happens if a node does not fit into SPM. Explains: an error that says why no tile fits, which takes
/// as long as some dozens of graphs. Refuses: an error without this reason. None: no check; the graph says
/// how much SPM it needs.
enum class SpmCheck { Explains, Refuses, None };

/// Builder of the tile graph. Collects tensors, tiles, nodes and units while it tiles the operators in
/// topological order.
class TileGraphBuilder
{
public:
    /// `fewNodes`: default tiles may fit with only one set of operands, so that there are at most `maxNodes`
    /// nodes.
    TileGraphBuilder(const NpuModel& model, const NpuHardware& hardware, std::size_t maxNodes,
                     bool fewNodes = false);
    Result<NpuGraph> build(SpmCheck check);

    // Interface for the functions that tile one type of operator:
    [[nodiscard]] const NpuHardware& hardware() const { return m_graph.hardware; }
    [[nodiscard]] const NpuModel& model() const { return m_model; }
    /// Bytes of the widest element of the operator.
    [[nodiscard]] int dtype() const { return m_model.widestBytes(m_model.ops[m_op]); }
    [[nodiscard]] DefaultTiles& defaults() { return m_defaults; }
    [[nodiscard]] bool tooMany() const { return m_graph.nodes.size() > m_maxNodes; }

    /// Records the tile sizes of the current operator in NpuGraph::tileSizes.
    void setTile(const TileSizes& sizes) { m_graph.tileSizes[m_op] = sizes; }
    /// Adds a tensor that exists only between nodes of one operator. Returns its index. `bits`: width of an
    /// element in 1/1024 bit; 0 = default of the model.
    std::uint32_t addTensor(const std::string& name, const Box& shape, int rank, std::int64_t bits = 0);
    /// Index of the tile with this box; adds the tile if it is new.
    std::uint32_t tile(std::uint32_t tensor, const Box& offset, const Box& shape, bool accumulator = false);

    struct NodeSpec
    {
        NodeType type = NodeType::MatMul;
        std::int32_t head = -1;
        std::vector<std::uint32_t> inputs;
        std::vector<std::uint32_t> outputs;
        std::uint32_t accumulator = kNone;
        std::int64_t scratchBytes = 0;
        Cycle computeCycles = 0;
        std::int64_t m = 0, n = 0, k = 0, repeats = 1;
    };
    /// Adds a node. `continues`: the node belongs to the unit of the previous node.
    std::uint32_t addNode(NodeSpec spec, bool continues = false);
    void addProducer(std::uint32_t tensor, ProducerGrid grid)
    {
        m_producers[tensor].push_back(std::move(grid));
    }

    /// Storage of a model tensor that is a view: the viewed tensor and a token offset (a loaded KV cache is a
    /// view of the cache).
    struct View
    {
        std::uint32_t tensor = 0;
        std::int64_t tokenOffset = 0;
    };
    [[nodiscard]] View resolve(std::size_t modelTensor) const;

private:
    void tileOp(std::size_t op);
    void makeDependencies();
    void joinLoads();
    void makeUnits();
    void makeAdjacency();
    [[nodiscard]] Status checkSpm(SpmCheck check) const;
    [[nodiscard]] std::string smallerTileHint(std::size_t op) const; ///< advice for error messages
    /// The reason why no tile fits, if known; else smallerTileHint().
    [[nodiscard]] std::string reasonOf(std::size_t op) const;

    const NpuModel& m_model;
    std::size_t m_maxNodes;
    NpuGraph m_graph;
    DefaultTiles m_defaults;
    std::size_t m_op = 0;
    std::vector<std::vector<ProducerGrid>> m_producers; ///< per tensor: grids of the nodes that write it
    std::vector<std::vector<ProducerGrid>> m_loaders; ///< per tensor: grids of the KV_LOAD nodes that load it
    /// Per model tensor: its storage if it is a view of another tensor.
    std::vector<std::optional<View>> m_views;
    std::vector<std::uint32_t> m_unitOf; ///< per node: its unit, while the graph is built
    std::uint32_t m_unitCount = 0;
    struct TileKey
    {
        std::uint32_t tensor;
        Box offset, shape;
        bool operator==(const TileKey&) const = default;
    };
    struct TileKeyHash
    {
        std::size_t operator()(const TileKey& key) const noexcept;
    };
    std::unordered_map<TileKey, std::uint32_t, TileKeyHash> m_tileIds;

    friend void tileKvLoad(TileGraphBuilder&, const ModelOp&);
};

/// buildGraph() with a choice of what happens if a node does not fit into SPM.
[[nodiscard]] Result<NpuGraph> buildGraph(const NpuModel& model, const NpuHardware& hardware,
                                          std::size_t maxNodes, SpmCheck check);

// Tiling rules of docs/rules/npu.md 2: one function per type of operator.
void tileMatmul(TileGraphBuilder& builder, const ModelOp& op);
void tileConv(TileGraphBuilder& builder, const ModelOp& op);
void tileAttention(TileGraphBuilder& builder, const ModelOp& op);
void tileVectorOp(TileGraphBuilder& builder, const ModelOp& op);
void tileView(TileGraphBuilder& builder, const ModelOp& op);
void tileReduce(TileGraphBuilder& builder, const ModelOp& op);
void tileKvAppend(TileGraphBuilder& builder, const ModelOp& op);
void tileKvLoad(TileGraphBuilder& builder, const ModelOp& op);

/// An attention or KV tensor: rank 4 [B,H,T,D] or rank 2 [T,H*D].
class HeadTensor
{
public:
    HeadTensor(TileGraphBuilder& builder, std::size_t modelTensor, std::int64_t heads);
    [[nodiscard]] const HeadShape& shape() const { return m_shape; }
    [[nodiscard]] bool isFlat() const { return m_flat; }
    [[nodiscard]] std::uint32_t tensor() const { return m_view.tensor; }
    [[nodiscard]] std::int64_t tokenOffset() const { return m_view.tokenOffset; }
    /// Tile of heads [h, h+hn), tokens [t, t+tn), dims [d, d+dn). A flat tensor needs hn == 1 or all dims.
    [[nodiscard]] std::uint32_t tile(TileGraphBuilder& builder, std::int64_t b, std::int64_t h,
                                     std::int64_t hn, std::int64_t t, std::int64_t tn, std::int64_t d,
                                     std::int64_t dn, bool accumulator = false) const;
    /// Grid over all heads and dims with tokens cut at `tokenBounds`; nodes in order (b, h, t, d).
    [[nodiscard]] ProducerGrid grid(std::int64_t headStep, const std::vector<std::int64_t>& tokenBounds,
                                    std::int64_t dimStep, const std::vector<std::uint32_t>& nodes) const;

private:
    HeadShape m_shape;
    bool m_flat = false;
    TileGraphBuilder::View m_view;
};

} // namespace tilewright::npu
