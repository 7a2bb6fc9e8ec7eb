// SPDX-License-Identifier: GPL-3.0-or-later
// The graph of a run: its tiles in DRAM, and its nodes.
#pragma once

#include "base/ids.h"
#include "base/integer.h"
#include "base/result.h"
#include "npu/hardware.h"
#include "npu/model.h"

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright::npu {

using NodeId = Id<struct NpuNodeTag>;
using TileId = Id<struct NpuTileTag>;
inline constexpr std::uint32_t kNone = 0xffffffffU;

/// A tensor in DRAM: row-major, packed, with its base aligned to the interleave (hence to the burst).
struct NpuTensor
{
    std::string name;
    int rank = 1;
    std::array<std::int64_t, kMaxRank> shape{1, 1, 1, 1};
    std::int64_t bits = 2 * kPartsOfByte; ///< width of an element, in 1/1024 bit
    std::int64_t dramBase = 0;
    std::int64_t dramSize = 0; ///< size in bytes

    [[nodiscard]] std::int64_t elements() const noexcept { return shape[0] * shape[1] * shape[2] * shape[3]; }
    /// Bytes that hold this many elements, packed from the first bit of a byte on.
    [[nodiscard]] std::int64_t bytesOf(std::int64_t count) const noexcept
    {
        return ceilDiv(count * bits, kPartsOfByte);
    }
    /// Offset of the byte in which an element begins.
    [[nodiscard]] std::int64_t byteOf(std::int64_t element) const noexcept
    {
        return element * bits / kPartsOfByte;
    }
};

/// `count` runs of `bytes` contiguous bytes each. The first run is at `address`; starts of runs are `stride`
/// bytes apart.
struct Segment
{
    std::int64_t address = 0, bytes = 0, count = 1, stride = 0;
    bool operator==(const Segment&) const = default;
};

/// A box of a tensor (docs/rules/npu.md 1). Dimensions beyond the rank of the tensor have offset 0 and
/// shape 1.
struct TileDesc
{
    std::uint32_t tensor = 0;
    bool accumulator = false; ///< true: each element in SPM has the width accumulatorBytes
    std::array<std::int64_t, kMaxRank> offset{0, 0, 0, 0};
    std::array<std::int64_t, kMaxRank> shape{1, 1, 1, 1};
    std::int64_t dramBase = 0;    ///< DRAM address of the first byte
    std::int64_t dramSize = 0;    ///< bytes from the first to the last byte in DRAM, both included
    std::int64_t spmRequired = 0; ///< bytes that the tile occupies in SPM
    /// Bytes that a load or store of the tile moves: all its DRAM bursts (docs/rules/npu.md 2.5)
    std::int64_t alignedBytes = 0;

    [[nodiscard]] std::int64_t elements() const noexcept { return shape[0] * shape[1] * shape[2] * shape[3]; }
};

/// The contiguous segments of the tile, ascending by address.
[[nodiscard]] std::vector<Segment> segmentsOf(const NpuTensor& tensor, const TileDesc& tile);

/// Fills dramBase, dramSize, spmRequired and alignedBytes from offset and shape.
void placeTile(const NpuTensor& tensor, std::int64_t burstBytes, int accumulatorBytes, TileDesc& tile);

/// True if both tiles belong to one tensor and share an element.
[[nodiscard]] bool overlap(const TileDesc& a, const TileDesc& b) noexcept;

/// A group of adjacent bursts of one tile within one interleave block, hence in one bank and row.
struct BurstGroup
{
    std::int64_t address = 0; ///< address of the first burst
    std::int64_t bursts = 0;
    DramPlace place;
};
[[nodiscard]] std::vector<BurstGroup> burstGroups(const DramHardware& dram, const NpuTensor& tensor,
                                                  const TileDesc& tile);

/// Bursts of a tile, and the channels and banks in which they lie, each ascending (docs/rules/npu.md 2.5).
struct TileBursts
{
    std::int64_t bursts = 0;
    std::vector<int> channels, banks;
};
[[nodiscard]] TileBursts burstsOf(const DramHardware& dram, const NpuTensor& tensor, const TileDesc& tile);

/// Calls f(address, bytes) for every contiguous run of the tile, ascending by address.
template <typename F> void forEachRun(const NpuTensor& tensor, const TileDesc& tile, F&& f)
{
    const auto& n = tensor.shape;
    const auto& s = tile.shape;
    const auto& o = tile.offset;
    // A run covers the innermost dimensions that the tile contains whole and the next dimension outwards.
    int inner = kMaxRank - 1;
    std::int64_t run = s[inner];
    while (inner > 0 && s[inner] == n[inner])
        run *= s[--inner];
    std::array<std::int64_t, kMaxRank> step{};
    step[3] = 1;
    for (int d = 2; d >= 0; --d)
        step[d] = step[d + 1] * n[d + 1];
    std::int64_t origin = 0;
    for (int d = 0; d < kMaxRank; ++d)
        origin += o[d] * step[d];
    std::array<std::int64_t, kMaxRank> count{1, 1, 1, 1};
    for (int d = 0; d < inner; ++d)
        count[d] = s[d];
    for (std::int64_t a = 0; a < count[0]; ++a)
        for (std::int64_t b = 0; b < count[1]; ++b)
            for (std::int64_t c = 0; c < count[2]; ++c) {
                const std::int64_t first = origin + a * step[0] + b * step[1] + c * step[2];
                const std::int64_t at = tensor.byteOf(first);
                f(tensor.dramBase + at, tensor.bytesOf(first + run) - at);
            }
}

enum class NodeType { MatMul, Conv, Softmax, Vector, KvStore, KvLoad };
/// "MATMUL", "CONV", "SOFTMAX", "VECTOR", "KV_STORE", "KV_LOAD"
[[nodiscard]] std::string_view toString(NodeType type) noexcept;

enum class Engine { Tensor, Vector, None };

/// One node of the tile DAG (docs/rules/npu.md 3).
struct TileNode
{
    NodeType type = NodeType::MatMul;
    std::uint32_t op = 0;   ///< index of the operator in the model
    std::int32_t head = -1; ///< batch * heads + head, -1 outside attention
    std::uint32_t unit = 0; ///< chain or single node that contains this node
    /// Tile that stays in SPM from the first to the last node of the unit; kNone if there is none.
    std::uint32_t accumulator = kNone;
    std::int64_t scratchBytes = 0; ///< extra SPM bytes of the unit that belong to no tensor (flash attention)
    Cycle computeCycles = 0;       ///< zero for KV_STORE and KV_LOAD
    std::int64_t memBytes = 0;     ///< bytes of the DRAM bursts of all input and output tiles
    std::uint32_t inputBegin = 0, inputEnd = 0;
    std::uint32_t outputBegin = 0, outputEnd = 0;
    // Tensor engine (matmul and conv): each product is m x n x k; `repeats` products are computed one after
    // another.
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

/// Nodes that run consecutively on one core: a chain over k, or a single node. A KV_LOAD that feeds only one
/// unit belongs to that unit, so that its data is used on the core that loaded it.
struct TileUnit
{
    std::uint32_t begin = 0, end = 0; ///< range of indices into NpuGraph::unitNodes
};

/// Lists of ids per item, stored contiguously.
struct Adjacency
{
    std::vector<std::uint32_t> begin; ///< first index per item; size is items + 1
    std::vector<std::uint32_t> items;
    [[nodiscard]] std::span<const std::uint32_t> of(std::size_t i) const noexcept
    {
        return {items.data() + begin[i], items.data() + begin[i + 1]};
    }
    [[nodiscard]] std::size_t size() const noexcept { return begin.empty() ? 0 : begin.size() - 1; }
};

/// The tile DAG of a model on a machine. The id of a node is larger than the ids of its dependencies.
struct NpuGraph
{
    std::string name;
    NpuHardware hardware; ///< machine for which the default tiles were chosen
    int elementBytes = 2; ///< element bytes of the model, to which the hardware's energies per element refer
    /// True if default tiles may fit with only one set of operands, so that the graph has fewer nodes.
    bool fewNodes = false;
    std::vector<NpuTensor> tensors;
    std::vector<std::string> opNames; ///< by operator of the model
    std::vector<OpType> opTypes;      ///< by operator of the model
    /// By operator of the model. Sizes that were not given come from the default rule.
    std::vector<TileSizes> tileSizes;
    std::vector<TileDesc> tiles;
    std::vector<TileNode> nodes;
    std::vector<std::uint32_t> nodeTiles; ///< input and output tiles of all nodes
    std::vector<TileUnit> units;
    std::vector<std::uint32_t> unitNodes;
    Adjacency deps;           ///< node -> nodes that it depends on, ascending, without duplicates
    Adjacency successors;     ///< node -> nodes that depend on it
    Adjacency writersOf;      ///< tile -> nodes whose output overlaps the tile
    Adjacency unitSuccessors; ///< node -> other units with a node that depends on it

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
    /// Bytes of SPM that the node needs: all its tiles, and the unit's accumulator and scratch.
    [[nodiscard]] std::int64_t spmOf(std::size_t node) const noexcept;
    /// Name of a node for messages: "q: MATMUL 17".
    [[nodiscard]] std::string describe(std::size_t node) const;
};

/// Cuts a model that checkModel() accepts into the tile DAG. Returns an Error that names the operator if its
/// smallest node does not fit into SPM (docs/rules/npu.md 5.6) or if there are more than `maxNodes` nodes.
[[nodiscard]] Result<NpuGraph> buildGraph(const NpuModel& model, const NpuHardware& hardware,
                                          std::size_t maxNodes = 1'000'000);

/// Size along k of the smallest default tile of a matmul, and the step by which this size grows.
inline constexpr std::int64_t kMatmulDepth = 64;
/// The widest matmul tile that leaves at least one chain for each possible core. With it the operands are
/// read the fewest times. The tile search tries it first (docs/rules/npu.md 2.8).
[[nodiscard]] TileSizes wideMatmulTile(const NpuHardware& hardware, int dtypeBytes, std::int64_t m,
                                       std::int64_t n, std::int64_t k);

/// Cycles of a node on the tensor engine (docs/rules/npu.md 3) at `rate` multiply-accumulates of a PE in a
/// cycle. `drain`: includes the drain of the last node of a chain. `work`: the loop extents of one group of
/// the node.
[[nodiscard]] Cycle tensorCycles(const NpuHardware& hardware, const ArrayWork& work, double rate, bool drain);

/// Range [begin, end) of the input rows (columns) that output rows [from, to) read, clipped to the input
/// (docs/rules/npu.md 2.2). It is empty if they read padding only. `padding`: rows before the first input
/// row.
[[nodiscard]] std::pair<std::int64_t, std::int64_t> convInputRange(std::int64_t from, std::int64_t to,
                                                                   std::int64_t kernel, std::int64_t stride,
                                                                   std::int64_t padding,
                                                                   std::int64_t dilation, std::int64_t in);

} // namespace tilewright::npu
