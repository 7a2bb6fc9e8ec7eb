// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/integer.h"
#include "npu/tile_graph_builder.h"

#include <algorithm>

namespace tilewright::npu {

namespace {

/// Block of a vector operator: whole rows of the last dimension (elementwise operators may cut them), as many
/// rows as fit the tile. A block crosses an outer dimension only if it contains the inner dimensions whole.
Box vectorBlock(TileGraphBuilder& b, const ModelOp& op, const NpuTensor& tensor)
{
    constexpr std::int64_t kTargetBytes = 32 << 10;
    const auto tiles = static_cast<std::int64_t>(op.inputs.size() + op.outputs.size());
    const std::int64_t target =
        std::max<std::int64_t>(1, std::min(kTargetBytes, b.hardware().spmBytes / (2 * tiles)) / b.dtype());
    Box block{1, 1, 1, 1};
    const int lastDim = tensor.rank - 1;
    const std::int64_t columns = tensor.shape[lastDim];
    block[lastDim] = columns;
    if (op.type == OpType::Elementwise || op.type == OpType::View) {
        const std::int64_t lanes = b.hardware().vectorLanes;
        const std::int64_t wish = op.tile.cols > 0 ? op.tile.cols : std::max(lanes, roundDown(target, lanes));
        block[lastDim] = std::min(columns, wish);
    }
    std::int64_t rows = op.tile.rows > 0 ? op.tile.rows : std::max<std::int64_t>(1, target / block[lastDim]);
    for (int d = lastDim - 1; d >= 0; --d) {
        block[d] = std::min(tensor.shape[d], rows);
        rows = block[d] == tensor.shape[d] ? rows / block[d] : 1;
        rows = std::max<std::int64_t>(rows, 1);
    }
    return block;
}

std::int64_t passesOf(const NpuHardware& hw, const ModelOp& op)
{
    switch (op.type) {
    case OpType::Softmax:
        return hw.passes.softmax;
    case OpType::LayerNorm:
        return hw.passes.layerNorm;
    case OpType::RmsNorm:
        return hw.passes.rmsNorm;
    default:
        return op.passes > 0 ? op.passes : hw.passes.elementwise;
    }
}

/// Tile of the input of a view for an output block: about `elements` elements, at the same relative position
/// (`along`, 0 to 1).
std::uint32_t proportionalTile(TileGraphBuilder& b, std::size_t input, double along, std::int64_t elements)
{
    const auto& shape = b.model().tensors[input].shape;
    Box at{}, size{1, 1, 1, 1};
    std::int64_t left = std::max<std::int64_t>(1, elements);
    for (std::size_t d = shape.size(); d-- > 0;) {
        size[d] = std::min(shape[d], left);
        left = ceilDiv(left, size[d]);
        // Whole dimensions begin at 0; the others begin at the relative position.
        const auto most = static_cast<double>(shape[d] - size[d]);
        at[d] = static_cast<std::int64_t>(along * most);
    }
    return b.tile(static_cast<std::uint32_t>(input), at, size);
}

/// Cuts the output of a vector operator into blocks and adds one node per block, built by `nodeOf(at, size,
/// elements)`.
template <class NodeOf>
void addBlocks(TileGraphBuilder& b, std::uint32_t out, const NpuTensor& tensor, const Box& block,
               NodeOf&& nodeOf)
{
    ProducerGrid grid;
    for (int d = 0; d < kMaxRank; ++d)
        grid.bounds[d] = blockBounds(0, tensor.shape[d], block[d]);
    Box at{};
    for (at[0] = 0; at[0] < tensor.shape[0]; at[0] += block[0])
        for (at[1] = 0; at[1] < tensor.shape[1]; at[1] += block[1])
            for (at[2] = 0; at[2] < tensor.shape[2]; at[2] += block[2])
                for (at[3] = 0; at[3] < tensor.shape[3]; at[3] += block[3]) {
                    if (b.tooMany())
                        return;
                    Box size{};
                    std::int64_t elements = 1;
                    for (int d = 0; d < kMaxRank; ++d) {
                        size[d] = std::min(block[d], tensor.shape[d] - at[d]);
                        elements *= size[d];
                    }
                    TileGraphBuilder::NodeSpec node = nodeOf(at, size, elements);
                    node.outputs = {b.tile(out, at, size)};
                    grid.nodes.push_back(b.addNode(std::move(node)));
                }
    b.addProducer(out, std::move(grid));
}

NpuTensor shapeOf(const TileGraphBuilder& b, std::uint32_t out)
{
    const auto& shape = b.model().tensors[out].shape;
    NpuTensor tensor;
    std::copy(shape.begin(), shape.end(), tensor.shape.begin());
    tensor.rank = static_cast<int>(shape.size());
    return tensor;
}

} // namespace

void tileView(TileGraphBuilder& b, const ModelOp& op)
{
    const auto out = static_cast<std::uint32_t>(op.outputs[0]);
    const NpuTensor tensor = shapeOf(b, out);
    const Box block = vectorBlock(b, op, tensor);
    std::int64_t all = 0; // elements of all inputs; a block reads the one input that contains its position
    std::vector<std::int64_t> ends;
    for (const std::size_t input : op.inputs) {
        std::int64_t elements = 1;
        for (const std::int64_t d : b.model().tensors[input].shape)
            elements *= d;
        ends.push_back(all += elements);
    }
    std::int64_t blocks = 1;
    for (int d = 0; d < kMaxRank; ++d)
        blocks = saturatingMul(blocks, ceilDiv(tensor.shape[d], block[d]));
    std::int64_t index = 0;
    addBlocks(b, out, tensor, block, [&](const Box&, const Box&, std::int64_t elements) {
        const double along = static_cast<double>(index++) / static_cast<double>(blocks);
        const double place = along * static_cast<double>(all);
        std::size_t i = 0;
        while (i + 1 < ends.size() && static_cast<double>(ends[i]) <= place)
            ++i;
        const double start = i > 0 ? static_cast<double>(ends[i - 1]) : 0;
        const double within = (place - start) / (static_cast<double>(ends[i]) - start);
        TileGraphBuilder::NodeSpec node;
        node.type = NodeType::Vector;
        node.inputs = {proportionalTile(b, op.inputs[i], within, elements)};
        node.computeCycles = 1; // the cost of a view is its load
        return node;
    });
}

void tileVectorOp(TileGraphBuilder& b, const ModelOp& op)
{
    const auto out = static_cast<std::uint32_t>(op.outputs[0]);
    const NpuTensor tensor = shapeOf(b, out);
    const Box block = vectorBlock(b, op, tensor);
    const int lastDim = tensor.rank - 1;
    TileSizes sizes;
    sizes.rows = block[0] * block[1] * block[2] * block[3] / block[lastDim];
    sizes.cols = block[lastDim];
    b.setTile(sizes);
    addBlocks(b, out, tensor, block, [&](const Box& at, const Box& size, std::int64_t elements) {
        TileGraphBuilder::NodeSpec node;
        node.type = op.type == OpType::Softmax ? NodeType::Softmax : NodeType::Vector;
        for (const std::size_t input : op.inputs) {
            const bool isRowVector = b.model().tensors[input].shape != b.model().tensors[out].shape;
            const std::uint32_t tile = isRowVector ? b.tile(static_cast<std::uint32_t>(input),
                                                            {at[lastDim], 0, 0, 0}, {size[lastDim], 1, 1, 1})
                                                   : b.tile(static_cast<std::uint32_t>(input), at, size);
            if (std::find(node.inputs.begin(), node.inputs.end(), tile) == node.inputs.end())
                node.inputs.push_back(tile);
        }
        node.computeCycles = ceilDiv(elements, b.hardware().vectorLanes) * passesOf(b.hardware(), op);
        return node;
    });
}

} // namespace tilewright::npu
