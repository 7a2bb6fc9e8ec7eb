// SPDX-License-Identifier: GPL-3.0-or-later
// Small models of one operator, and the graph of a model.
#pragma once

#include "npu/generate.h"
#include "npu/graph.h"

#include <QTest>

#include <algorithm>
#include <set>

namespace tilewright::npu::test {

inline NpuModel matmulModel(std::int64_t m, std::int64_t n, std::int64_t k, TileSizes tile = {})
{
    NpuModel model;
    model.name = "matmul";
    ModelOp op;
    op.type = OpType::MatMul;
    op.name = "mm";
    op.inputs = {model.addTensor("a", {m, k}), model.addTensor("b", {k, n})};
    op.outputs = {model.addTensor("c", {m, n})};
    op.tile = tile;
    model.ops.push_back(op);
    return model;
}

inline TileSizes mnk(std::int64_t m, std::int64_t n, std::int64_t k)
{
    TileSizes t;
    t.m = m;
    t.n = n;
    t.k = k;
    return t;
}

/// Every byte of the tile by its definition: element by element.
inline std::set<std::int64_t> bytesByElement(const NpuTensor& tensor, const TileDesc& tile)
{
    std::set<std::int64_t> out;
    std::array<std::int64_t, 4> i{};
    for (i[0] = 0; i[0] < tile.shape[0]; ++i[0])
        for (i[1] = 0; i[1] < tile.shape[1]; ++i[1])
            for (i[2] = 0; i[2] < tile.shape[2]; ++i[2])
                for (i[3] = 0; i[3] < tile.shape[3]; ++i[3]) {
                    std::int64_t index = 0;
                    for (int d = 0; d < 4; ++d)
                        index = index * tensor.shape[d] + tile.offset[d] + i[d];
                    const std::int64_t end = ((index + 1) * tensor.bits + kPartsOfByte - 1) / kPartsOfByte;
                    for (std::int64_t b = index * tensor.bits / kPartsOfByte; b < end; ++b)
                        out.insert(tensor.dramBase + b);
                }
    return out;
}

inline NpuGraph graphOf(const NpuModel& model, const NpuHardware& hw = {})
{
    auto graph = buildGraph(model, hw);
    if (!graph)
        qFatal("%s", graph.error().text().c_str());
    return std::move(graph.value());
}

inline NpuModel attentionModel(std::int64_t queries, std::int64_t keys, bool causal, bool flash)
{
    NpuModel model;
    model.name = "attention";
    ModelOp op;
    op.type = OpType::Attention;
    op.name = "att";
    op.inputs = {model.addTensor("q", {1, 2, queries, 8}), model.addTensor("k", {1, 2, keys, 8}),
                 model.addTensor("v", {1, 2, keys, 8})};
    op.outputs = {model.addTensor("o", {1, 2, queries, 8})};
    op.causal = causal;
    op.flash = flash;
    op.tile.tokens = 4;
    op.tile.dims = 4;
    model.ops.push_back(op);
    return model;
}

inline std::size_t countOf(const NpuGraph& g, NodeType type)
{
    return static_cast<std::size_t>(
        std::count_if(g.nodes.begin(), g.nodes.end(), [&](const TileNode& n) { return n.type == type; }));
}

} // namespace tilewright::npu::test
