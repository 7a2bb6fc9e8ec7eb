// SPDX-License-Identifier: GPL-3.0-or-later
#include "npu/fit_tiles.h"

#include "base/integer.h"
#include "base/text.h"
#include "npu/default_tiles.h"
#include "npu/tile_graph_builder.h"
#include "npu/tile_search.h"

#include <algorithm>
#include <array>
#include <optional>

namespace tilewright::npu {

namespace {

/// Bytes of SPM that the largest node of an operator needs: with one set of its inputs (once), and with two
/// (doubled).
struct SpmNeed
{
    std::int64_t once = 0, doubled = 0;
    TileSizes sizes; ///< tile sizes of the operator, with default sizes for those that were not requested
};

/// SPM need of a matmul. It is computed without a graph, because small tiles make very many nodes.
SpmNeed needOfMatmul(const NpuModel& model, const NpuHardware& hw, DefaultTiles& defaults, const ModelOp& op,
                     const TileSizes& wish)
{
    SpmNeed need;
    need.sizes = defaults.of(op, wish);
    const TileSizes& t = need.sizes;
    const auto bytes = [&](std::size_t input, std::int64_t elements) {
        return ceilDiv(elements * model.bitsOf(op.inputs[input]), kPartsOfByte);
    };
    const std::int64_t inputs = bytes(0, t.m * t.k) + bytes(1, t.k * t.n);
    need.once = inputs + t.m * t.n * hw.accumulatorBytes;
    need.doubled = need.once + inputs;
    return need;
}

/// SPM need of an operator with these tile sizes; nullopt if it has too many nodes to compute the need.
std::optional<SpmNeed> needOf(const NpuModel& model, const NpuHardware& hw, DefaultTiles& defaults,
                              std::size_t op, const TileSizes& tile)
{
    constexpr std::size_t kMostNodes = 100'000;
    if (model.ops[op].type == OpType::MatMul)
        return needOfMatmul(model, hw, defaults, model.ops[op], tile);
    const NpuModel alone = operatorAlone(model, op, tile);
    const auto graph = TileGraphBuilder(alone, hw, kMostNodes).build(SpmCheck::None);
    if (!graph)
        return std::nullopt;
    SpmNeed need;
    need.sizes = graph->tileSizes.back();
    for (std::size_t i = 0; i < graph->nodes.size(); ++i) {
        const std::int64_t once = graph->spmOf(i);
        std::int64_t inputs = 0;
        for (const std::uint32_t t : graph->inputs(i))
            inputs += graph->tiles[t].spmRequired;
        need.once = std::max(need.once, once);
        need.doubled = std::max(need.doubled, once + inputs);
    }
    return need;
}

/// Halves the largest of the requested sizes. Returns false if all of them are 1.
bool halveLargest(OpType type, const TileSizes& sizes, TileSizes& tile)
{
    std::int64_t TileSizes::*largest = nullptr;
    for (const TileField& field : tileFields(type))
        if (tile.*field.size > 0 && sizes.*field.size > 1 && (!largest || sizes.*field.size > sizes.*largest))
            largest = field.size;
    if (!largest)
        return false;
    tile.*largest = (sizes.*largest + 1) / 2;
    return true;
}

/// Returns smaller tile sizes; nullopt if the tile fits as it is, or if no smaller tile fits.
std::optional<TileSizes> smallerTile(const NpuModel& model, const NpuHardware& hw, DefaultTiles& defaults,
                                     std::size_t op)
{
    const OpType type = model.ops[op].type;
    // These types need room for two sets of inputs, as in docs/rules/npu.md 2.6.
    const bool doubles = type == OpType::MatMul || type == OpType::Conv2d;
    TileSizes tile = model.ops[op].tile;
    auto need = needOf(model, hw, defaults, op, tile);
    if (!need || need->once <= hw.spmBytes)
        return std::nullopt;
    std::optional<TileSizes> tight; // first tile found that fits with one set of inputs only
    while (halveLargest(type, need->sizes, tile)) {
        need = needOf(model, hw, defaults, op, tile);
        if (!need)
            break;
        if ((doubles ? need->doubled : need->once) <= hw.spmBytes)
            return tile;
        if (!tight && need->once <= hw.spmBytes)
            tight = tile;
    }
    return tight;
}

/// Text of the sizes of `a` that differ from those of `b`: "n 512, k 256".
std::string changedSizes(OpType type, const TileSizes& a, const TileSizes& b)
{
    std::string out;
    for (const TileField& field : tileFields(type))
        if (a.*field.size != b.*field.size)
            out += (out.empty() ? "" : ", ") + std::string(field.key) + " " + formatGrouped(a.*field.size);
    return out;
}

} // namespace

std::string FittedModel::text(const NpuHardware& hardware) const
{
    // Maximum number of operators that the text names; many have equal tiles.
    constexpr std::size_t kNamed = 4;
    if (changed.empty())
        return {};
    const bool isOne = changed.size() == 1;
    std::string out =
        isOne ? "The tile of 1 operator does not fit into the "
              : "The tiles of " + formatGrouped(changed.size()) + " operators do not fit into the ";
    out += formatGrouped(hardware.spmBytes) + " bytes of SPM and " + (isOne ? "is" : "are") + " cut anew: ";
    for (std::size_t i = 0; i < std::min(kNamed, changed.size()); ++i) {
        const CutAnew& c = changed[i];
        const OpType type = model.ops[c.op].type;
        out += (i > 0 ? "; " : "") + model.ops[c.op].name + " " + changedSizes(type, c.now, c.before) +
               " instead of " + changedSizes(type, c.before, c.now);
    }
    if (changed.size() > kNamed)
        out += "; and " + formatGrouped(changed.size() - kNamed) + " more";
    return out;
}

FittedModel fitTiles(NpuModel model, const NpuHardware& hardware, const std::vector<bool>& kept)
{
    FittedModel out;
    std::vector<OpTiling> tiling = tilingOf(model);
    DefaultTiles defaults(model, hardware);
    for (std::size_t op = 0; op < model.ops.size(); ++op) {
        if (model.ops[op].tile == TileSizes{} || (op < kept.size() && kept[op]))
            continue;
        if (const auto tile = smallerTile(model, hardware, defaults, op)) {
            out.changed.push_back({op, model.ops[op].tile, *tile});
            tiling = withTile(model, std::move(tiling), std::array{static_cast<std::uint32_t>(op)}, *tile);
        }
    }
    out.model = out.changed.empty() ? std::move(model) : withTiling(std::move(model), tiling);
    return out;
}

std::optional<std::int64_t> spmOfLargestNode(const NpuModel& model, const NpuHardware& hardware,
                                             std::size_t op, const TileSizes& tile)
{
    DefaultTiles defaults(model, hardware);
    const auto need = needOf(model, hardware, defaults, op, tile);
    return need ? std::optional(need->once) : std::nullopt;
}

} // namespace tilewright::npu
