// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "npu/hardware.h"
#include "npu/model.h"
#include "npu/tile.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright::npu {

enum class NodeType { MatMul, Conv, Softmax, Vector, KvStore, KvLoad };
/// "MATMUL", "CONV", "SOFTMAX", "VECTOR", "KV_STORE", "KV_LOAD"
[[nodiscard]] std::string_view toString(NodeType type) noexcept;

enum class Engine { Tensor, Vector, None };

/// One node of the tile DAG (docs/rules/npu.md 3).
struct TileNode
{
    NodeType type = NodeType::MatMul;
    std::uint32_t op = 0;              ///< index of the model's operator
    std::int32_t head = -1;            ///< batch * heads + head, -1 outside attention
    std::uint32_t unit = 0;            ///< the chain or single node it belongs to
    std::uint32_t accumulator = kNone; ///< tile kept in SPM from the unit's first to its last node
    std::int64_t scratchBytes = 0;     ///< SPM of the unit that belongs to no tensor (flash attention)
    Cycle computeCycles = 0;           ///< 0 for KV_STORE and KV_LOAD
    std::int64_t memBytes = 0;         ///< aligned bytes of all input and output tiles
    std::uint32_t inputBegin = 0, inputEnd = 0;
    std::uint32_t outputBegin = 0, outputEnd = 0;
    // matmul and conv: rows x columns x depth on the tensor engine, and how many of them one after the other
    std::int64_t m = 0, n = 0, k = 0, repeats = 1;

    [[nodiscard]] Engine engine() const noexcept
    {
        switch (type) {
        case NodeType::MatMul:
        case NodeType::Conv:
            return Engine::Tensor;
        case NodeType::Softmax:
        case NodeType::Vector:
            return Engine::Vector;
        default:
            return Engine::None;
        }
    }
};

/// Nodes that run one after the other on one core: a chain over k, or a single node. A KV_LOAD that feeds one
/// unit only belongs to it, so that what it loads is used where it lies.
struct TileUnit
{
    std::uint32_t begin = 0, end = 0; ///< into NpuGraph::unitNodes
};

/// Lists of ids per item, stored one after the other.
struct Adjacency
{
    std::vector<std::uint32_t> begin; ///< size items + 1
    std::vector<std::uint32_t> items;
    [[nodiscard]] std::span<const std::uint32_t> of(std::size_t i) const noexcept
    {
        return {items.data() + begin[i], items.data() + begin[i + 1]};
    }
    [[nodiscard]] std::size_t size() const noexcept { return begin.empty() ? 0 : begin.size() - 1; }
};

/// The tile DAG of a model on given hardware. Every dependency has a smaller id than its dependant.
struct NpuGraph
{
    std::string name;
    NpuHardware hardware; ///< SPM, engines and DRAM it was tiled for (cores do not matter)
    std::vector<NpuTensor> tensors;
    std::vector<std::string> opNames; ///< of the model's operators
    std::vector<OpType> opTypes;      ///< likewise
    std::vector<TileSizes> tileSizes; ///< of the model's operators: wished ones, the rest by the default rule
    std::vector<TileDesc> tiles;
    std::vector<TileNode> nodes;
    std::vector<std::uint32_t> nodeTiles; ///< inputs and outputs of the nodes
    std::vector<TileUnit> units;
    std::vector<std::uint32_t> unitNodes;
    Adjacency deps;           ///< node -> nodes it waits for, ascending, without duplicates
    Adjacency successors;     ///< node -> nodes that wait for it
    Adjacency writersOf;      ///< tile -> nodes whose output overlaps it
    Adjacency unitSuccessors; ///< node -> units, other than its own, with a node that waits for it

    [[nodiscard]] std::span<const std::uint32_t> inputs(std::size_t node) const noexcept
    {
        return {nodeTiles.data() + nodes[node].inputBegin, nodeTiles.data() + nodes[node].inputEnd};
    }
    [[nodiscard]] std::span<const std::uint32_t> outputs(std::size_t node) const noexcept
    {
        return {nodeTiles.data() + nodes[node].outputBegin, nodeTiles.data() + nodes[node].outputEnd};
    }
    [[nodiscard]] std::span<const std::uint32_t> nodesOf(std::size_t unit) const noexcept
    {
        return {unitNodes.data() + units[unit].begin, unitNodes.data() + units[unit].end};
    }
    [[nodiscard]] bool isFirstOfUnit(std::size_t node) const noexcept
    {
        return nodesOf(nodes[node].unit).front() == node;
    }
    [[nodiscard]] bool isLastOfUnit(std::size_t node) const noexcept
    {
        return nodesOf(nodes[node].unit).back() == node;
    }
    /// SPM the node needs with all its tiles, the unit's accumulator and scratch.
    [[nodiscard]] std::int64_t spmOf(std::size_t node) const noexcept;
    /// "q: MATMUL 17", for messages.
    [[nodiscard]] std::string describe(std::size_t node) const;
};

/// Cuts a checked model into the tile DAG. The Error names the operator when its smallest node does not fit
/// into SPM (docs/rules/npu.md 5.6) or there would be more than `maxNodes` nodes.
[[nodiscard]] Result<NpuGraph> buildGraph(const NpuModel& model, const NpuHardware& hardware,
                                          std::size_t maxNodes = 1'000'000);

/// Depth of the smallest default tile of a matmul, and the step by which it grows.
inline constexpr std::int64_t kMatmulDepth = 64;
/// Whether a matmul node of that tile, with two sets of operands, fits into the SPM of a core.
[[nodiscard]] bool matmulFits(const NpuHardware& hardware, int dtypeBytes, const TileSizes& tile) noexcept;
/// The default tile of a matmul (docs/rules/npu.md 2.6); fields of `wish` that are set are kept.
[[nodiscard]] TileSizes matmulTile(const NpuHardware& hardware, int dtypeBytes, std::int64_t m,
                                   std::int64_t n, std::int64_t k, TileSizes wish);
/// Blocks as wide as they can be, which read the operands least often, while there are chains for all cores
/// there may be: what a search of tiles tries first (docs/rules/npu.md 2.8).
[[nodiscard]] TileSizes wideMatmulTile(const NpuHardware& hardware, int dtypeBytes, std::int64_t m,
                                       std::int64_t n, std::int64_t k);

/// matmulFits() of a convolution, all of whose sizes are given.
[[nodiscard]] bool convFits(const NpuModel& model, const NpuHardware& hardware, const ModelOp& op,
                            const TileSizes& tile);

/// Cycles of a tensor-engine node (docs/rules/npu.md 3), without or with the drain of the chain's last node.
[[nodiscard]] Cycle tensorCycles(const NpuHardware& hardware, std::int64_t m, std::int64_t n, std::int64_t k,
                                 bool drain);

/// Input rows (or columns) read by output rows [from, to): first and end, clipped (docs/rules/npu.md 2.2).
[[nodiscard]] std::pair<std::int64_t, std::int64_t> convInputRange(std::int64_t from, std::int64_t to,
                                                                   std::int64_t kernel, std::int64_t stride,
                                                                   std::int64_t padding,
                                                                   std::int64_t dilation, std::int64_t in);

} // namespace tilewright::npu
