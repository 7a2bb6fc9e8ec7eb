// SPDX-License-Identifier: GPL-3.0-or-later
// Candidates of the tile search, and lower bounds on their run times.
#include "npu/tile_candidates.h"

#include "base/integer.h"
#include "npu/graph.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace tilewright::npu {

namespace {

using Sizes = std::vector<std::int64_t>;

constexpr std::int64_t kExhaustiveLimit = 1024; // with fewer candidates, all are tried
constexpr std::int64_t kMostBlocks = 16;        ///< largest number of even blocks along a dimension
constexpr std::int64_t kLongestChunk = 2048;

Sizes tidy(Sizes sizes, std::int64_t extent)
{
    for (std::int64_t& s : sizes)
        s = std::clamp<std::int64_t>(s, 1, extent);
    std::sort(sizes.begin(), sizes.end());
    sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
    return sizes;
}

Sizes everySize(std::int64_t extent)
{
    Sizes out;
    for (std::int64_t s = 1; s <= extent; ++s)
        out.push_back(s);
    return out;
}

/// Block sizes for `extent`: even parts rounded to multiples of `unit`, and small multiples of `unit`.
Sizes parts(std::int64_t extent, std::int64_t unit)
{
    Sizes out;
    for (std::int64_t blocks = 1; blocks <= kMostBlocks; ++blocks)
        out.push_back(roundUp(ceilDiv(extent, blocks), unit));
    for (const std::int64_t times : {1, 2, 3, 4, 6, 8})
        out.push_back(times * unit);
    return tidy(std::move(out), extent);
}

Sizes doublings(std::int64_t from, std::int64_t extent)
{
    Sizes out{extent};
    for (std::int64_t s = from; s < extent; s *= 2)
        out.push_back(s);
    return tidy(std::move(out), extent);
}

const std::vector<std::int64_t>& shapeOf(const NpuModel& model, std::size_t tensor)
{
    return model.tensors[tensor].shape;
}

/// Size of the dimension of an operator that this tile size cuts.
std::int64_t extentOf(const NpuModel& model, const ModelOp& op, std::int64_t TileSizes::*size)
{
    const auto &x = shapeOf(model, op.inputs[0]), &y = shapeOf(model, op.outputs[0]);
    switch (op.type) {
    case OpType::MatMul:
        return size == &TileSizes::m ? y[y.size() - 2] : size == &TileSizes::n ? y.back() : x.back();
    case OpType::Conv2d:
        return size == &TileSizes::cOut     ? y[1]
               : size == &TileSizes::cIn    ? x[1] / op.groups
               : size == &TileSizes::height ? y[2]
                                            : y[3];
    case OpType::Attention:
    case OpType::KvAppend: {
        const HeadShape q = *headShape(model.tensors[op.inputs[0]], op.heads);
        if (size == &TileSizes::heads) // with grouped queries a block has one head
            return op.headsOfKeys() == op.heads ? q.heads : 1;
        if (size == &TileSizes::dims)
            return q.dims;
        if (op.type == OpType::Attention && size == &TileSizes::tokens)
            return headShape(model.tensors[op.inputs[1]], op.headsOfKeys())->tokens;
        return q.tokens;
    }
    default: {
        std::int64_t rows = 1;
        for (std::size_t d = 0; d + 1 < y.size(); ++d)
            rows *= y[d];
        return size == &TileSizes::cols ? y.back() : rows;
    }
    }
}

Sizes someSizes(const NpuHardware& hw, const ModelOp& op, std::int64_t TileSizes::*size, std::int64_t extent)
{
    switch (op.type) {
    case OpType::MatMul:
        if (size == &TileSizes::k) {
            Sizes sizes = parts(extent, hw.engineRows);
            for (const std::int64_t s : doublings(32, extent))
                sizes.push_back(s);
            return tidy(std::move(sizes), extent);
        }
        return parts(extent, size == &TileSizes::m ? hw.engineRows : hw.engineCols);
    case OpType::Conv2d:
        if (size == &TileSizes::height)
            return parts(extent, 1);
        if (size == &TileSizes::cOut)
            return parts(extent, std::min<std::int64_t>(hw.engineCols, 16));
        return tidy({extent, ceilDiv(extent, 2), ceilDiv(extent, 4)}, extent);
    case OpType::Attention:
    case OpType::KvAppend:
        if (size == &TileSizes::heads)
            return doublings(1, std::min<std::int64_t>(extent, 8));
        if (size == &TileSizes::dims)
            return {extent};
        return doublings(16, std::min(extent, kLongestChunk));
    default:
        return doublings(size == &TileSizes::cols ? hw.vectorLanes : 1, extent);
    }
}

/// Sum of ceil(block / unit) over all blocks of [0, extent).
std::int64_t foldsOver(std::int64_t extent, std::int64_t block, std::int64_t unit)
{
    const std::int64_t last = extent % block;
    return extent / block * ceilDiv(block, unit) + ceilDiv(last, unit);
}

/// Lower bound on the bytes from DRAM for chains of m x n blocks. Any w whole blocks that a core processes
/// one after another touch at least 2 sqrt(w) different panels, because rows times columns of the covered
/// blocks is at least w. At most as many of these panels as fit into the SPM were loaded before.
double minBytes(const NpuHardware& hw, double rowPanel, double colPanel, std::int64_t units)
{
    double best = 0;
    for (std::int64_t blocks = 1; blocks <= 4096; blocks *= 2) {
        const auto w = static_cast<double>(blocks);
        const double groups = (static_cast<double>(units) - hw.cores * (w - 1)) / w;
        const double fresh = 2 * std::sqrt(w * rowPanel * colPanel) - static_cast<double>(hw.spmBytes);
        if (groups > 0 && fresh > 0)
            best = std::max(best, std::floor(groups) * fresh);
    }
    return best;
}

/// Bytes of all DRAM bursts that `runs` contiguous runs of `bytes` bytes each touch, at any alignment.
double inBursts(const NpuHardware& hw, double runs, double bytes)
{
    const auto burst = static_cast<double>(hw.dram.burstBytes);
    return runs * std::ceil(bytes / burst) * burst;
}

/// Bytes of the DRAM bursts of a matrix that is read in blocks of `block` columns. Whole rows are one
/// contiguous run; otherwise each row of a block is a run.
double matrixBytes(const NpuHardware& hw, double rows, std::int64_t cols, std::int64_t block,
                   double elementBytes)
{
    if (block >= cols)
        return rows * static_cast<double>(cols) * elementBytes;
    const std::int64_t whole = cols / block;
    const double last = static_cast<double>(cols % block) * elementBytes;
    return static_cast<double>(whole) * inBursts(hw, rows, static_cast<double>(block) * elementBytes) +
           (last > 0 ? inBursts(hw, rows, last) : 0);
}

/// Bytes of the DRAM bursts of images that are read in blocks of rows and columns. Whole images and whole
/// rows of a channel are contiguous.
double imageBytes(const NpuHardware& hw, double channels, std::int64_t rows, std::int64_t cols,
                  bool wholeRows, bool wholeCols, double elementBytes)
{
    const double run = static_cast<double>(cols) * elementBytes;
    if (!wholeCols)
        return inBursts(hw, channels * static_cast<double>(rows), run);
    return wholeRows ? channels * static_cast<double>(rows) * run
                     : inBursts(hw, channels, static_cast<double>(rows) * run);
}

struct Work
{
    double tensor = 0;  ///< compute cycles of one tensor engine
    double longest = 0; ///< cycles of one chain
    double bytes = 0;   ///< lower bound on the DRAM traffic in bytes
    double likely = 0;  ///< estimated DRAM traffic in bytes if only the last panel is reused
};

Work matmulWork(const NpuModel& model, const NpuHardware& hw, const ModelOp& op, const TileSizes& t)
{
    const std::int64_t m = extentOf(model, op, &TileSizes::m), n = extentOf(model, op, &TileSizes::n),
                       k = extentOf(model, op, &TileSizes::k);
    const double lhsBytes = model.bytesOf(op.inputs[0]), rhsBytes = model.bytesOf(op.inputs[1]);
    const double depth = static_cast<double>(k);
    const auto batches = static_cast<double>(matmulShape(model, op).batches());
    /// Number of matrices in the batch of an operand.
    const auto matrices = [&](std::size_t input) {
        const auto& shape = shapeOf(model, op.inputs[input]);
        double count = 1;
        for (std::size_t d = 0; d + 2 < shape.size(); ++d)
            count *= static_cast<double>(shape[d]);
        return count;
    };
    Work w;
    w.tensor = batches *
               static_cast<double>(foldsOver(m, t.m, hw.engineRows) * foldsOver(n, t.n, hw.engineCols)) *
               depth;
    w.longest = static_cast<double>(ceilDiv(std::min(t.m, m), hw.engineRows) *
                                    ceilDiv(std::min(t.n, n), hw.engineCols)) *
                depth;
    const bool square = op.inputs[0] == op.inputs[1];
    const double out =
        batches * matrixBytes(hw, static_cast<double>(m), n, t.n, model.bytesOf(op.outputs[0]));
    const double once = square ? matrices(0) * static_cast<double>(m) * depth * lhsBytes
                               : matrices(0) * matrixBytes(hw, static_cast<double>(m), k, t.k, lhsBytes) +
                                     matrices(1) * matrixBytes(hw, depth, n, t.n, rhsBytes);
    const double rowPanel = static_cast<double>(t.m) * depth * lhsBytes;
    const double colPanel = static_cast<double>(t.n) * depth * rhsBytes;
    // The bound minBytes() holds for a single product, not for a batch.
    w.bytes = out + (square || batches > 1
                         ? once
                         : std::max(once, minBytes(hw, rowPanel, colPanel, (m / t.m) * (n / t.n))));
    const double rows = static_cast<double>(ceilDiv(m, t.m)), cols = static_cast<double>(ceilDiv(n, t.n));
    // A panel that fits into SPM stays there while the other operand changes. Runs shorter than an interleave
    // block cost more.
    const double room = static_cast<double>(hw.spmBytes) / 2,
                 block = static_cast<double>(hw.dram.interleaveBytes);
    const auto costFactor = [&](std::int64_t elements, double bytes) {
        const double run = static_cast<double>(elements) * bytes;
        return run < block ? 1 + 0.25 * (block - run) / block : 1.0;
    };
    const double lhs = batches * static_cast<double>(m) * depth * lhsBytes * costFactor(t.k, lhsBytes);
    const double rhs = batches * static_cast<double>(n) * depth * rhsBytes * costFactor(t.n, rhsBytes);
    w.likely = std::max(w.bytes, out + (rowPanel <= room ? lhs : lhs * cols) + rhs * rows);
    if (colPanel <= room && rowPanel > room)
        w.likely = std::max(w.bytes, out + lhs * cols + rhs);
    // If the cores do not divide the number of chains, some cores are idle at the end.
    const double chains = batches * rows * cols, cores = hw.cores;
    w.likely *= 0.75 + 0.25 * std::ceil(chains / cores) * cores / chains;
    return w;
}

Work convWork(const NpuModel& model, const NpuHardware& hw, const ModelOp& op, const TileSizes& t)
{
    const auto &y = shapeOf(model, op.outputs[0]), &k = shapeOf(model, op.inputs[1]),
               &x = shapeOf(model, op.inputs[0]);
    const double bytes = model.bytesOf(op.inputs[0]), weightBytes = model.bytesOf(op.inputs[1]);
    const std::int64_t inner = k[1] * k[2] * k[3];
    const std::int64_t perGroup = y[1] / op.groups;
    const std::int64_t channels = t.cOut <= perGroup ? op.groups * foldsOver(perGroup, t.cOut, hw.engineCols)
                                                     : op.groups * ceilDiv(perGroup, hw.engineCols);
    Work w;
    const double pixels = static_cast<double>(y[0]) *
                          std::ceil(static_cast<double>(y[2] * y[3]) / static_cast<double>(hw.engineRows));
    w.tensor = pixels * static_cast<double>(channels * inner);
    // Every block of pixels is loaded once, with its halo, and stored once. Weights are loaded once per block
    // of output channels.
    const std::int64_t depth = t.cOut <= perGroup ? std::min(t.cIn, k[1]) : k[1];
    const double weights =
        matrixBytes(hw, static_cast<double>(k[0]), inner, depth * k[2] * k[3], weightBytes);
    const auto images = static_cast<double>(y[0]);
    double in = 0, out = 0, leastBlock = std::numeric_limits<double>::infinity();
    std::pair<std::int64_t, std::int64_t> rowsBefore{-1, -1};
    for (std::int64_t h = 0; h < y[2]; h += t.height) {
        const std::int64_t height = std::min(t.height, y[2] - h);
        const auto rowRange =
            convInputRange(h, h + height, k[2], op.stride[0], op.padding[0], op.dilation[0], x[2]);
        std::pair<std::int64_t, std::int64_t> colsBefore{-1, -1};
        for (std::int64_t c = 0; c < y[3]; c += t.width) {
            const std::int64_t width = std::min(t.width, y[3] - c);
            const auto colRange =
                convInputRange(c, c + width, k[3], op.stride[1], op.padding[1], op.dilation[1], x[3]);
            const std::int64_t rows = rowRange.second - rowRange.first,
                               cols = colRange.second - colRange.first;
            const double block =
                imageBytes(hw, static_cast<double>(x[1]), rows, cols, rows == x[2], cols == x[3], bytes);
            if (rowRange != rowsBefore && colRange != colsBefore) // equal rows and columns give the same tile
                in += block;
            if (height == t.height && width == t.width)
                leastBlock = std::min(leastBlock, static_cast<double>(x[1] * rows * cols) * bytes);
            out += imageBytes(hw, static_cast<double>(y[1]), height, width, height == y[2], width == y[3],
                              model.bytesOf(op.outputs[0]));
            colsBefore = colRange;
        }
        rowsBefore = rowRange;
    }
    in *= images;
    out *= images;
    if (op.groups == 1)
        in =
            std::max(in + weights, minBytes(hw, leastBlock, static_cast<double>(t.cOut * inner) * weightBytes,
                                            y[0] * (y[2] / t.height) * (y[3] / t.width) * (y[1] / t.cOut))) -
            weights;
    w.bytes = in + weights + out;
    const std::int64_t blocks = ceilDiv(y[2], t.height) * ceilDiv(y[3], t.width);
    w.likely = out + in * (op.groups > 1 ? 1.0 : static_cast<double>(ceilDiv(y[1], t.cOut))) +
               weights * std::min<double>(static_cast<double>(blocks), hw.cores);
    return w;
}

Work otherWork(const NpuModel& model, const NpuHardware& hw, const ModelOp& op)
{
    const auto bytesOf = [&](std::size_t tensor) {
        double out = model.bytesOf(tensor);
        for (const std::int64_t d : shapeOf(model, tensor))
            out *= static_cast<double>(d);
        return out;
    };
    Work w;
    w.bytes = w.likely =
        bytesOf(op.outputs[0]) + (op.type == OpType::View && !op.isReduction() ? 0 : bytesOf(op.inputs[0]));
    if (op.type == OpType::KvAppend)
        w.bytes = w.likely = 2 * bytesOf(op.inputs[0]);
    if (op.type == OpType::Attention) {
        const HeadShape q = *headShape(model.tensors[op.inputs[0]], op.heads);
        const auto keys =
            static_cast<double>(headShape(model.tensors[op.inputs[1]], op.headsOfKeys())->tokens);
        const auto rows = static_cast<double>(q.tokens);
        const double seen = op.causal ? rows * (keys - rows) + rows * (rows + 1) / 2 : rows * keys;
        w.tensor = 2 * seen * static_cast<double>(q.dims * q.heads * q.batch) /
                   static_cast<double>(hw.engineRows * hw.engineCols);
    }
    return w;
}

/// Multiply-accumulates of a matmul, convolution or attention; nullopt for other operators.
std::optional<double> macsOf(const NpuModel& model, const ModelOp& op)
{
    if (op.type == OpType::MatMul) {
        const MatmulShape s = matmulShape(model, op);
        return static_cast<double>(s.batches() * s.m) * static_cast<double>(s.n) * static_cast<double>(s.k);
    }
    if (op.type != OpType::Conv2d)
        return std::nullopt;
    double out = 1;
    for (const std::int64_t size : shapeOf(model, op.outputs[0]))
        out *= static_cast<double>(size);
    const auto& kernel = shapeOf(model, op.inputs[1]);
    return out * static_cast<double>(kernel[1] * kernel[2] * kernel[3]);
}

Work workOf(const NpuModel& model, const NpuHardware& hw, const ModelOp& op, const TileSizes& tile)
{
    Work out = op.type == OpType::MatMul   ? matmulWork(model, hw, op, tile)
               : op.type == OpType::Conv2d ? convWork(model, hw, op, tile)
                                           : otherWork(model, hw, op);
    if (!hw.fixed && hw.arrays == 1 && op.rate == 1)
        return out;
    // Bound for every kind of engine: the cycles if all of its PEs work in every cycle.
    const auto pes = static_cast<double>(hw.engineRows * hw.engineCols);
    out.tensor =
        macsOf(model, op).value_or(out.tensor * pes) / (pes * static_cast<double>(hw.arrays) * op.rate);
    out.longest = 0;
    return out;
}

Cycle cyclesOf(const NpuHardware& hw, const Work& work, double bytes)
{
    // A shared memory supplies to all cores what one core has loaded. Then only its port limits the rate.
    const auto rate = static_cast<double>(
        hw.shared.bytes > 0 ? hw.rateOfAllCores() : std::min(hw.rateOfAllCores(), hw.dramBytesPerCycle()));
    const double cycles = std::max({work.tensor / hw.cores, work.longest, bytes / rate});
    return static_cast<Cycle>(std::floor(cycles)); // rounded down, so that it is a lower bound
}

} // namespace

std::vector<TileSizes> tileCandidates(const NpuModel& model, const NpuHardware& hw, std::size_t index,
                                      const TileSizes& current)
{
    const ModelOp& op = model.ops[index];
    const auto fields = tileFields(op.type);
    std::int64_t all = 1;
    for (const TileField& f : fields)
        all = saturatingMul(all, extentOf(model, op, f.size));
    std::vector<TileSizes> out{TileSizes{}};
    for (const TileField& f : fields) {
        const std::int64_t extent = extentOf(model, op, f.size);
        const Sizes sizes = all <= kExhaustiveLimit ? everySize(extent) : someSizes(hw, op, f.size, extent);
        std::vector<TileSizes> next;
        next.reserve(out.size() * sizes.size());
        for (const TileSizes& base : out)
            for (const std::int64_t s : sizes) {
                next.push_back(base);
                next.back().*f.size = s;
            }
        out = std::move(next);
    }
    const int widest = model.widestBytes(op);
    std::erase_if(out, [&](const TileSizes& t) {
        return t == current ||
               (op.type == OpType::MatMul &&
                (t.m * t.k + t.k * t.n) * widest + t.m * t.n * hw.accumulatorBytes > hw.spmBytes);
    });
    if (op.type == OpType::MatMul)
        if (const TileSizes wide =
                wideMatmulTile(hw, widest, extentOf(model, op, &TileSizes::m),
                               extentOf(model, op, &TileSizes::n), extentOf(model, op, &TileSizes::k));
            wide != current && std::find(out.begin(), out.end(), wide) == out.end())
            out.push_back(wide);
    out.insert(out.begin(), current);
    return out;
}

Cycle boundAlone(const NpuModel& model, const NpuHardware& hw, std::size_t op, const TileSizes& tile)
{
    const Work work = workOf(model, hw, model.ops[op], tile);
    return cyclesOf(hw, work, work.bytes);
}

Cycle estimatedAlone(const NpuModel& model, const NpuHardware& hw, std::size_t op, const TileSizes& tile)
{
    const Work work = workOf(model, hw, model.ops[op], tile);
    return cyclesOf(hw, work, work.likely);
}

} // namespace tilewright::npu
