// SPDX-License-Identifier: GPL-3.0-or-later
#include "npu/default_tiles.h"

#include "base/integer.h"

#include <algorithm>

namespace tilewright::npu {

DefaultTiles::DefaultTiles(const NpuModel& model, const NpuHardware& hw, std::size_t mostNodes)
    : m_model(model), m_hw(hw)
{
    constexpr std::int64_t kCompared = 20'000, kMost = 500'000; // numbers of nodes of a whole model
    const auto ops = std::max<std::int64_t>(1, static_cast<std::int64_t>(model.ops.size()));
    m_limits.preferred =
        std::max<std::int64_t>(kCompared / ops, std::min<std::int64_t>(4 * hw.cores, kMost / ops));
    if (mostNodes > 0) {
        m_limits.most = static_cast<std::int64_t>(mostNodes) / ops;
        m_limits.preferred = std::min(m_limits.preferred, m_limits.most);
    }
    m_accumulated.assign(model.tensors.size(), false);
    for (const ModelOp& op : model.ops)
        if (op.type == OpType::MatMul || op.type == OpType::Conv2d || op.type == OpType::Attention)
            for (const std::size_t t : op.outputs)
                m_accumulated[t] = true;
}

TileSizes DefaultTiles::of(const ModelOp& op, const TileSizes& wish)
{
    const std::array<bool, 2> accumulated{m_accumulated[op.inputs[0]], m_accumulated[op.inputs[1]]};
    std::vector<std::int64_t> key{static_cast<std::int64_t>(op.type),
                                  op.groups,
                                  op.stride[0],
                                  op.stride[1],
                                  op.dilation[0],
                                  op.dilation[1],
                                  accumulated[0],
                                  accumulated[1]};
    for (const std::size_t t : {op.inputs[0], op.inputs[1], op.outputs[0]}) {
        const std::vector<std::int64_t>& shape = m_model.tensors[t].shape;
        key.push_back(m_model.bitsOf(t));
        key.push_back(static_cast<std::int64_t>(shape.size()));
        key.insert(key.end(), shape.begin(), shape.end());
    }
    for (const TileField& field : tileFields(op.type))
        key.push_back(wish.*field.size);
    const auto [known, isNew] = m_known.try_emplace(std::move(key));
    if (!isNew)
        return known->second;
    if (op.type == OpType::MatMul) {
        ProductToCut product = productToCut(m_model, op);
        product.wish = wish;
        product.accumulated = accumulated;
        return known->second = matmulTile(m_hw, product, m_limits);
    }
    return known->second = convTile(m_model, m_hw, op, wish, accumulated, m_limits);
}

std::int64_t DefaultTiles::vectorElements(const ModelOp& op) const
{
    constexpr std::int64_t kLeast = 16 << 10, kMost = 32 << 10; // sizes of a block in bytes
    const int dtype = m_model.widestBytes(op);
    const std::int64_t tiles = op.isReduction()
                                   ? m_model.reductionOf(op) + 1
                                   : static_cast<std::int64_t>(op.inputs.size() + op.outputs.size());
    const std::int64_t room = std::max<std::int64_t>(1, m_hw.spmBytes / (2 * tiles) / dtype);
    std::int64_t all = 1;
    for (const std::int64_t d : m_model.tensors[op.outputs[0]].shape)
        all = saturatingMul(all, d);
    // The blocks are made equal in size: the same number of rounds (one block per core) as with the largest
    // blocks.
    const std::int64_t most =
        std::min(room, std::max<std::int64_t>(kMost / dtype, ceilDiv(all, m_limits.preferred)));
    const std::int64_t rounds = ceilDiv(all, saturatingMul(most, m_hw.cores));
    return std::clamp(ceilDiv(all, rounds * m_hw.cores), std::min<std::int64_t>(most, kLeast / dtype), most);
}

std::int64_t DefaultTiles::queries(const ModelOp& op, std::int64_t most) const
{
    const HeadShape q = *headShape(m_model.tensors[op.inputs[0]], op.heads);
    std::int64_t out = std::min(q.tokens, most);
    while (out > m_hw.engineRows && q.batch * q.heads * ceilDiv(q.tokens, out) < m_hw.cores)
        out = std::max<std::int64_t>(m_hw.engineRows, (out + 1) / 2);
    return out;
}

} // namespace tilewright::npu
