// SPDX-License-Identifier: GPL-3.0-or-later
// Tiling rules of matrix products, convolutions and vector operators.
#include "base/integer.h"
#include "npu/conv_shape.h"
#include "npu/default_tiles.h"
#include "npu/tile_graph_builder.h"

#include <algorithm>
#include <cmath>

namespace tilewright::npu {

namespace {

/// A tile that grows as long as two sets of its operands fit into SPM.
struct GrowingTile
{
    const NpuHardware& hw;
    int dtypeBytes;
    std::int64_t m, n, k;
    TileSizes tile;

    GrowingTile(const NpuHardware& hardware, int dtype, std::int64_t rows, std::int64_t cols,
                std::int64_t depth)
        : hw(hardware), dtypeBytes(dtype), m(rows), n(cols), k(depth)
    {
        tile.m = std::min(m, hw.engineRows);
        tile.n = std::min(n, hw.engineCols);
        tile.k = std::min(k, kMatmulDepth);
    }
    [[nodiscard]] std::int64_t chains(const TileSizes& t) const { return ceilDiv(m, t.m) * ceilDiv(n, t.n); }
    /// Increases a field by `step`. Returns false if the field is complete, the node would not fit, or fewer
    /// than `leastChains` chains would remain.
    bool grow(std::int64_t TileSizes::*field, std::int64_t step, std::int64_t limit, std::int64_t leastChains)
    {
        TileSizes larger = tile;
        larger.*field = std::min(limit, tile.*field + step);
        if (tile.*field >= limit || !matmulFits(hw, dtypeBytes, larger) || chains(larger) < leastChains)
            return false;
        tile = larger;
        return true;
    }
    bool growRows(std::int64_t leastChains) { return grow(&TileSizes::m, hw.engineRows, m, leastChains); }
    bool growCols(std::int64_t leastChains) { return grow(&TileSizes::n, hw.engineCols, n, leastChains); }
    void growDepth()
    {
        while (grow(&TileSizes::k, kMatmulDepth, k, 0)) {
        }
    }
};

} // namespace

TileSizes wideMatmulTile(const NpuHardware& hw, int dtypeBytes, std::int64_t m, std::int64_t n,
                         std::int64_t k)
{
    GrowingTile t(hw, dtypeBytes, m, n, k);
    constexpr std::int64_t kLeastChains = 16; // number of chains to keep, also on machines with fewer cores
    const std::int64_t enough = std::min(std::max<std::int64_t>(kLeastChains, hw.cores), t.chains(t.tile));
    while (t.tile.m < t.tile.n ? t.growRows(enough) || t.growCols(enough)
                               : t.growCols(enough) || t.growRows(enough)) {
    }
    // Makes the blocks nearly equal in size without changing their number.
    t.tile.m = std::min(t.tile.m, roundUp(ceilDiv(m, ceilDiv(m, t.tile.m)), hw.engineRows));
    t.tile.n = std::min(t.tile.n, roundUp(ceilDiv(n, ceilDiv(n, t.tile.n)), hw.engineCols));
    t.growDepth();
    return t.tile;
}

void tileMatmul(TileGraphBuilder& b, const ModelOp& op)
{
    const MatmulShape s = matmulShape(b.model(), op);
    const std::int64_t m = s.m, n = s.n, k = s.k;
    const auto tensorA = static_cast<std::uint32_t>(op.inputs[0]);
    const auto tensorB = static_cast<std::uint32_t>(op.inputs[1]);
    const auto tensorC = static_cast<std::uint32_t>(op.outputs[0]);
    const TileSizes t = b.defaults().of(op, op.tile);
    b.setTile(t);
    ProducerGrid grid;
    // Tile of an operand for one matrix of the batch. Dimensions of operands are aligned at the last one;
    // along a dimension of size 1 all matrices of the batch use the same operand.
    const auto tileOf = [&](std::uint32_t tensor, std::int64_t i, std::int64_t r0, std::int64_t c0,
                            std::int64_t rows, std::int64_t cols, bool accumulator = false) {
        const auto& shape = b.model().tensors[tensor].shape;
        const std::size_t rank = shape.size();
        const std::array<std::int64_t, 2> batch{i / s.batch[1], i % s.batch[1]};
        Box at{0, 0, 0, 0}, size{1, 1, 1, 1};
        for (std::size_t d = 0; d + 2 < rank; ++d)
            at[d] = shape[d] > 1 ? batch[d + 4 - rank] : 0;
        at[rank - 2] = r0;
        at[rank - 1] = c0;
        size[rank - 2] = rows;
        size[rank - 1] = cols;
        return b.tile(tensor, at, size, accumulator);
    };
    const std::size_t rank = b.model().tensors[op.outputs[0]].shape.size();
    grid.bounds.fill({0, 1});
    for (std::size_t d = 0; d + 2 < rank; ++d)
        grid.bounds[d] = blockBounds(0, b.model().tensors[op.outputs[0]].shape[d], 1);
    grid.bounds[rank - 2] = blockBounds(0, m, t.m);
    grid.bounds[rank - 1] = blockBounds(0, n, t.n);
    for (std::int64_t i = 0; i < s.batches(); ++i)
        for (std::int64_t m0 = 0; m0 < m; m0 += t.m)
            for (std::int64_t n0 = 0; n0 < n; n0 += t.n) {
                if (b.tooMany())
                    return;
                const std::int64_t mt = std::min(t.m, m - m0);
                const std::int64_t nt = std::min(t.n, n - n0);
                const std::uint32_t c = tileOf(tensorC, i, m0, n0, mt, nt, true);
                std::uint32_t last = 0;
                for (std::int64_t k0 = 0; k0 < k && !b.tooMany(); k0 += t.k) {
                    const std::int64_t kt = std::min(t.k, k - k0);
                    const bool isLast = k0 + kt == k;
                    TileGraphBuilder::NodeSpec node;
                    node.type = NodeType::MatMul;
                    node.inputs = {tileOf(tensorA, i, m0, k0, mt, kt), tileOf(tensorB, i, k0, n0, kt, nt)};
                    if (node.inputs[0] == node.inputs[1])
                        // For the product of a tile with itself: the tile is one input.
                        node.inputs.pop_back();
                    if (isLast)
                        node.outputs = {c};
                    node.accumulator = c;
                    node.computeCycles = tensorCycles(b.hardware(), productWork(mt, nt, kt), op.rate, isLast);
                    node.m = mt;
                    node.n = nt;
                    node.k = kt;
                    last = b.addNode(std::move(node), k0 > 0);
                }
                grid.nodes.push_back(last);
            }
    b.addProducer(tensorC, std::move(grid));
}

std::pair<std::int64_t, std::int64_t> convInputRange(std::int64_t from, std::int64_t to, std::int64_t kernel,
                                                     std::int64_t stride, std::int64_t padding,
                                                     std::int64_t dilation, std::int64_t in)
{
    const std::int64_t first = from * stride - padding;
    const std::int64_t end = (to - 1) * stride - padding + dilation * (kernel - 1) + 1;
    const std::int64_t begin = std::clamp<std::int64_t>(first, 0, in);
    return {begin, std::clamp(end, begin, in)};
}

void tileConv(TileGraphBuilder& b, const ModelOp& op)
{
    const ConvShape s(b.model(), b.hardware(), op);
    const TileSizes t = b.defaults().of(op, op.tile);
    b.setTile(t);
    const auto x = static_cast<std::uint32_t>(op.inputs[0]);
    const auto w = static_cast<std::uint32_t>(op.inputs[1]);
    const auto y = static_cast<std::uint32_t>(op.outputs[0]);
    ProducerGrid grid;
    grid.bounds = {blockBounds(0, s.images, 1), s.channelBounds(t.cOut), blockBounds(0, s.hOut, t.height),
                   blockBounds(0, s.wOut, t.width)};
    const auto& channels = grid.bounds[1];
    for (std::int64_t image = 0; image < s.images; ++image)
        for (std::size_t c = 0; c + 1 < channels.size(); ++c)
            for (std::int64_t h0 = 0; h0 < s.hOut; h0 += t.height)
                for (std::int64_t w0 = 0; w0 < s.wOut; w0 += t.width) {
                    if (b.tooMany())
                        return;
                    const std::int64_t c0 = channels[c];
                    const std::int64_t ct = channels[c + 1] - c0;
                    const std::int64_t ht = std::min(t.height, s.hOut - h0);
                    const std::int64_t wt = std::min(t.width, s.wOut - w0);
                    const auto [r0, r1] =
                        convInputRange(h0, h0 + ht, s.kh, op.stride[0], op.padding[0], op.dilation[0], s.hIn);
                    const auto [q0, q1] =
                        convInputRange(w0, w0 + wt, s.kw, op.stride[1], op.padding[1], op.dilation[1], s.wIn);
                    const std::int64_t groups = s.groupsOf(ct);
                    const std::int64_t firstIn = c0 / s.cOutGroup * s.cInGroup;
                    const std::uint32_t out = b.tile(y, {image, c0, h0, w0}, {1, ct, ht, wt}, true);
                    std::uint32_t last = 0;
                    for (std::int64_t i0 = 0; i0 < s.cInGroup && !b.tooMany(); i0 += t.cIn) {
                        const std::int64_t it = std::min(t.cIn, s.cInGroup - i0);
                        const bool isLast = i0 + it == s.cInGroup;
                        TileGraphBuilder::NodeSpec node;
                        node.type = NodeType::Conv;
                        if (r0 < r1 && q0 < q1) // padding is not loaded
                            node.inputs.push_back(
                                b.tile(x, {image, firstIn + i0, r0, q0},
                                       {1, groups > 1 ? groups * it : it, r1 - r0, q1 - q0}));
                        node.inputs.push_back(b.tile(w, {c0, i0, 0, 0}, {ct, it, s.kh, s.kw}));
                        if (isLast)
                            node.outputs = {out};
                        node.accumulator = out;
                        node.m = ht * wt;
                        node.n = ct / groups;
                        node.k = it * s.kh * s.kw;
                        node.repeats = groups;
                        TileSizes block;
                        block.cOut = ct, block.cIn = it, block.height = ht, block.width = wt;
                        node.computeCycles = s.cyclesOf(block, isLast);
                        last = b.addNode(std::move(node), i0 > 0);
                    }
                    grid.nodes.push_back(last);
                }
    b.addProducer(y, std::move(grid));
}

namespace {

/// Block of a vector operator: as many whole rows of the last dimension as fit the tile (elementwise
/// operators may also cut rows). A block crosses an outer dimension only if it contains the inner dimensions
/// whole.
Box vectorBlock(TileGraphBuilder& b, const ModelOp& op, const NpuTensor& tensor)
{
    const std::int64_t target = b.defaults().vectorElements(op);
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

std::int64_t elementsOf(const TileGraphBuilder& b, std::size_t tensor)
{
    std::int64_t out = 1;
    for (const std::int64_t d : b.model().tensors[tensor].shape)
        out *= d;
    return out;
}

/// Tile of the input that a view or reduction reads for one output block: about `elements` elements, starting
/// at the relative position `along` (0 to 1) of the input in row-major order.
std::uint32_t proportionalTile(TileGraphBuilder& b, std::size_t input, double along, std::int64_t elements)
{
    const auto& shape = b.model().tensors[input].shape;
    Box at{}, size{1, 1, 1, 1};
    std::int64_t left = std::max<std::int64_t>(1, elements);
    std::int64_t place = std::llround(along * static_cast<double>(elementsOf(b, input)));
    for (std::size_t d = shape.size(); d-- > 0;) {
        size[d] = std::min(shape[d], left);
        left = ceilDiv(left, size[d]);
        // 0 in dimensions that the tile contains whole.
        at[d] = std::min(place % shape[d], shape[d] - size[d]);
        place /= shape[d];
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

/// Number of elements of as many whole inner dimensions as have at most `most` elements.
std::int64_t wholeRows(const std::vector<std::int64_t>& shape, std::int64_t most)
{
    std::int64_t out = 1;
    for (std::size_t d = shape.size(); d-- > 0;)
        out *= std::clamp<std::int64_t>(most / out, 1, shape[d]);
    return out;
}

/// Relative position (0 to 1) of an element in a tensor in row-major order.
double positionOf(const NpuTensor& tensor, const Box& at)
{
    double place = 0, all = 1;
    for (int d = 0; d < kMaxRank; ++d) {
        place = place * static_cast<double>(tensor.shape[d]) + static_cast<double>(at[d]);
        all *= static_cast<double>(tensor.shape[d]);
    }
    return place / all;
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
    ends.reserve(op.inputs.size());
    for (const std::size_t input : op.inputs)
        ends.push_back(all += elementsOf(b, input));
    addBlocks(b, out, tensor, block, [&](const Box& at, const Box&, std::int64_t elements) {
        const double place = positionOf(tensor, at) * static_cast<double>(all);
        std::size_t i = 0;
        while (i + 1 < ends.size() && static_cast<double>(ends[i]) <= place)
            ++i;
        const double start = i > 0 ? static_cast<double>(ends[i - 1]) : 0;
        const double within = (place - start) / (static_cast<double>(ends[i]) - start);
        TileGraphBuilder::NodeSpec node;
        node.type = NodeType::Vector;
        node.inputs = {proportionalTile(b, op.inputs[i], within, elements)};
        node.computeCycles = 1; // a view costs only its load
        return node;
    });
}

void tileReduce(TileGraphBuilder& b, const ModelOp& op)
{
    const auto out = static_cast<std::uint32_t>(op.outputs[0]);
    const std::size_t input = op.inputs[0];
    const NpuTensor tensor = shapeOf(b, out);
    const Box block = vectorBlock(b, op, tensor);
    const auto inputs = static_cast<double>(elementsOf(b, input));
    const auto results = static_cast<double>(elementsOf(b, out));
    const auto most =
        std::max<std::int64_t>(1, static_cast<std::int64_t>(static_cast<double>(b.hardware().spmBytes) / 2 /
                                                            b.model().bytesOf(input)));
    const std::int64_t held = wholeRows(b.model().tensors[input].shape, most);
    addBlocks(b, out, tensor, block, [&](const Box& at, const Box&, std::int64_t elements) {
        const auto share =
            static_cast<std::int64_t>(std::ceil(static_cast<double>(elements) * inputs / results));
        TileGraphBuilder::NodeSpec node;
        node.type = NodeType::Vector;
        node.inputs = {proportionalTile(b, input, positionOf(tensor, at), std::min(share, held))};
        node.computeCycles = ceilDiv(elements, b.hardware().vectorLanes) * op.passes;
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
