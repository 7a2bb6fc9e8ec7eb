// SPDX-License-Identifier: GPL-3.0-or-later
// Small random models and machines for the NPU tests.
#pragma once

#include "npu/graph.h"
#include "npu/model.h"
#include "npu/run.h"

#include <random>
#include <string>

namespace tilewright::npu::test {

class RandomCase
{
public:
    explicit RandomCase(std::uint64_t seed) : m_rng(seed) {}

    std::int64_t pick(std::int64_t low, std::int64_t high)
    {
        return low + static_cast<std::int64_t>(m_rng() % static_cast<std::uint64_t>(high - low + 1));
    }

    NpuHardware hardware(int maxCores)
    {
        NpuHardware hw;
        hw.cores = static_cast<int>(pick(1, maxCores));
        hw.engineRows = pick(2, 8);
        hw.engineCols = pick(2, 8);
        hw.vectorLanes = pick(2, 16);
        hw.spmBytes = pick(0, 2) ? pick(60, 600) : pick(1500, 6000);
        hw.dram.channels = static_cast<int>(pick(1, 4));
        hw.dram.banks = static_cast<int>(pick(1, 4));
        hw.dram.bytesPerCycle = pick(3, 16);
        hw.dram.burstBytes = 8 << pick(0, 2);
        hw.dram.interleaveBytes = hw.dram.burstBytes << pick(0, 3);
        hw.dram.rowBytes = hw.dram.interleaveBytes << pick(0, 3);
        hw.dram.rowHitCycles = pick(0, 6);
        hw.dram.rowMissCycles = hw.dram.rowHitCycles + pick(0, 12);
        hw.dram.arbiter = pick(0, 1) ? Arbiter::DramAware : Arbiter::OldestFirst;
        hw.linkBytesPerCycle = pick(1, 24);
        hw.trunkBytesPerCycle = pick(2, 40);
        return hw;
    }

    /// Latencies, outstanding requests or both.
    void limitRequests(NpuHardware& hw)
    {
        const std::int64_t what = pick(0, 2);
        if (what != 1) {
            hw.dram.readLatencyCycles = pick(0, 40);
            hw.dram.writeLatencyCycles = pick(0, 40);
        }
        if (what != 0) {
            hw.dram.outstandingRequests = pick(1, 6);
            hw.dram.requestBytes = pick(1, 8 * hw.dram.burstBytes);
        }
    }

    /// A shared memory of `blocks` interleave blocks with two ports, with multicast, or with both.
    void sharedMemory(NpuHardware& hw, std::int64_t blocks)
    {
        hw.shared = {.bytes = hw.dram.interleaveBytes * blocks, .bytesPerCycle = pick(1, 40)};
        const std::int64_t what = pick(0, 2);
        if (what != 1) {
            hw.shared.readBytesPerCycle = pick(1, 40);
            hw.shared.writeBytesPerCycle = pick(1, 40);
        }
        hw.shared.multicast = what != 0;
    }

    RunOptions options()
    {
        RunOptions o;
        o.scheduler = pick(0, 1) ? Scheduler::Static : Scheduler::Dynamic;
        o.assignment = static_cast<Assignment>(pick(0, 2));
        o.weights = {static_cast<double>(pick(0, 4)) / 2, static_cast<double>(pick(0, 4)) / 4,
                     static_cast<double>(pick(0, 4)) / 4};
        o.memoryBoundFirst = pick(0, 3) == 0;
        o.recordDram = true;
        return o;
    }

    /// One to four operators, most of them fed by the one before; sizes up to `size`.
    NpuModel model(std::int64_t size)
    {
        m_model = NpuModel{};
        m_model.name = "random";
        m_model.dtypeBytes = static_cast<int>(pick(1, 4));
        m_size = size;
        m_last = tensor({pick(1, size), pick(1, size)});
        const std::int64_t count = pick(1, 4);
        for (std::int64_t i = 0; i < count; ++i)
            switch (pick(0, 6)) {
            case 0:
            case 1:
                addMatmul();
                break;
            case 2:
                addVector();
                break;
            case 3:
                addConv();
                break;
            case 4:
                addAttention();
                break;
            case 5:
                addNorm();
                break;
            default:
                addKv();
                break;
            }
        return m_model;
    }

    /// The graph; SPM grows until the largest node fits.
    NpuGraph graph(const NpuModel& model, NpuHardware& hw)
    {
        for (;; hw.spmBytes += hw.spmBytes / 4)
            if (auto g = buildGraph(model, hw); g || hw.spmBytes > (std::int64_t{1} << 30))
                return std::move(g.value());
    }

private:
    std::size_t tensor(std::vector<std::int64_t> shape)
    {
        // Some elements have a width of their own, of half a bit or more.
        const std::int64_t bits = pick(0, 3) == 0 ? pick(1, 40) * (kPartsOfByte / 16) : 0;
        return m_model.addTensor("t" + std::to_string(m_model.tensors.size()), std::move(shape), bits);
    }
    ModelOp& op(OpType type, std::vector<std::size_t> inputs, std::size_t output)
    {
        ModelOp o;
        o.type = type;
        o.name = std::string(toString(type)) + std::to_string(m_model.ops.size());
        o.inputs = std::move(inputs);
        o.outputs = {output};
        m_model.ops.push_back(o);
        m_last = output;
        return m_model.ops.back();
    }
    /// The last result when it has two dimensions, else a new input.
    std::size_t matrix()
    {
        if (m_model.tensors[m_last].shape.size() != 2)
            m_last = tensor({pick(1, m_size), pick(1, m_size)});
        return m_last;
    }
    std::int64_t maybe(std::int64_t high) { return pick(0, 1) ? pick(1, high) : 0; }

    void addMatmul()
    {
        const std::size_t a = matrix();
        const auto shape = m_model.tensors[a].shape;
        const std::int64_t n = pick(1, m_size);
        const std::size_t b = tensor({shape[1], n});
        op(OpType::MatMul, {a, b}, tensor({shape[0], n})).tile = tile(maybe(8), maybe(8), maybe(8));
    }
    static TileSizes tile(std::int64_t m, std::int64_t n, std::int64_t k)
    {
        TileSizes t;
        t.m = m;
        t.n = n;
        t.k = k;
        return t;
    }
    void addVector()
    {
        const std::size_t x = m_last;
        const auto shape = m_model.tensors[x].shape;
        std::vector<std::size_t> inputs{x};
        if (pick(0, 1))
            inputs.push_back(pick(0, 1) ? tensor({shape.back()}) : tensor(shape));
        ModelOp& o = op(OpType::Elementwise, inputs, tensor(shape));
        o.tile.rows = maybe(4);
        o.tile.cols = maybe(8);
        o.passes = maybe(3);
    }
    void addNorm()
    {
        const std::size_t x = m_last;
        const auto shape = m_model.tensors[x].shape;
        const OpType types[] = {OpType::Softmax, OpType::LayerNorm, OpType::RmsNorm};
        op(types[pick(0, 2)], {x}, tensor(shape)).tile.rows = maybe(4);
    }
    void addConv()
    {
        const std::int64_t groups = pick(1, 3);
        const std::int64_t cIn = groups * pick(1, 3);
        const std::int64_t cOut = groups * pick(1, 3);
        const std::int64_t kernel = pick(1, 3);
        ModelOp o;
        o.stride = {pick(1, 2), pick(1, 2)};
        o.dilation = {pick(1, 2), pick(1, 2)};
        for (std::size_t side = 0; side < o.padding.size(); ++side)
            o.padding[side] = pick(0, o.dilation[side % 2] * (kernel - 1) + (pick(1, 4) == 1 ? 3 : 0));
        o.groups = groups;
        const std::int64_t h = pick(o.dilation[0] * (kernel - 1) + 1, 9);
        const std::int64_t w = pick(o.dilation[1] * (kernel - 1) + 1, 9);
        const std::size_t x = tensor({pick(1, 2), cIn, h, w});
        const std::size_t weights = tensor({cOut, cIn / groups, kernel, kernel});
        const std::size_t y =
            tensor({m_model.tensors[x].shape[0], cOut,
                    convOutput(h, kernel, o.stride[0], o.padding[0] + o.padding[2], o.dilation[0]),
                    convOutput(w, kernel, o.stride[1], o.padding[1] + o.padding[3], o.dilation[1])});
        ModelOp& added = op(OpType::Conv2d, {x, weights}, y);
        added.stride = o.stride;
        added.padding = o.padding;
        added.dilation = o.dilation;
        added.groups = o.groups;
        added.tile.cOut = maybe(4);
        added.tile.cIn = maybe(2);
        added.tile.height = maybe(4);
        added.tile.width = maybe(4);
    }
    void addAttention()
    {
        const std::int64_t heads = pick(1, 3);
        const std::int64_t dims = pick(1, 6);
        const std::int64_t queries = pick(1, 9);
        const std::int64_t keys = queries + pick(0, 6);
        const bool flat = pick(0, 1) == 1;
        const auto shape = [&](std::int64_t tokens) {
            return flat ? std::vector<std::int64_t>{tokens, heads * dims}
                        : std::vector<std::int64_t>{1, heads, tokens, dims};
        };
        const std::size_t q = tensor(shape(queries));
        const std::size_t k = tensor(shape(keys));
        const std::size_t v = pick(0, 4) ? tensor(shape(keys)) : k;
        ModelOp& o = op(OpType::Attention, {q, k, v}, tensor(shape(queries)));
        o.heads = flat ? heads : 0;
        o.causal = pick(0, 1) == 1;
        o.flash = pick(0, 1) == 1;
        o.tile.tokens = pick(2, 6);
        o.tile.heads = maybe(2);
        o.tile.dims = maybe(4);
    }
    void addKv()
    {
        const std::int64_t heads = pick(1, 3);
        const std::int64_t dims = pick(1, 6);
        const std::int64_t past = pick(0, 8);
        const std::int64_t fresh = pick(1, 3);
        const std::size_t x = tensor({fresh, heads * dims});
        const std::size_t k = tensor({1, heads, past + fresh, dims});
        const std::size_t view = tensor({1, heads, past + fresh, dims});
        ModelOp& append = op(OpType::KvAppend, {x}, k);
        append.heads = heads;
        append.position = past;
        append.tile.tokens = pick(1, 4);
        const std::int64_t tokens = pick(1, 5);
        ModelOp& load = op(OpType::KvLoad, {k}, view);
        load.range = {0, past + fresh};
        load.tile.tokens = tokens;
        ModelOp& o = op(OpType::Attention, {x, view, view}, tensor({fresh, heads * dims}));
        o.heads = heads;
        o.causal = true;
        o.flash = pick(0, 1) == 1;
        o.tile.tokens = tokens;
    }

    std::mt19937_64 m_rng;
    NpuModel m_model;
    std::int64_t m_size = 16;
    std::size_t m_last = 0;
};

} // namespace tilewright::npu::test
