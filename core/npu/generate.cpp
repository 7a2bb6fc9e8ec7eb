// SPDX-License-Identifier: GPL-3.0-or-later
#include "npu/generate.h"

#include <algorithm>
#include <tuple>

namespace tilewright::npu {

namespace {

/// Builds a model operator by operator. Tensors are created by the operator that writes them or by input().
class Builder
{
public:
    explicit Builder(NpuModel& model) : m_model(model) {}

    /// Sets the prefix of the names of the block's tensors and operators; empty if the model has only one
    /// block.
    void beginBlock(std::int64_t block, std::int64_t blocks)
    {
        m_prefix = blocks > 1 ? "block" + std::to_string(block) + "." : std::string();
    }
    std::size_t input(const std::string& name, std::vector<std::int64_t> shape)
    {
        return m_model.addTensor(m_prefix + name, std::move(shape));
    }
    ModelOp& add(OpType type, const std::string& name, std::vector<std::size_t> inputs, std::size_t output)
    {
        ModelOp op;
        op.type = type;
        op.name = m_prefix + name;
        op.inputs = std::move(inputs);
        op.outputs = {output};
        m_model.ops.push_back(std::move(op));
        return m_model.ops.back();
    }
    /// Appends a matmul of x [T,K] with new weights [K,N].
    std::size_t project(const std::string& name, std::size_t x, std::int64_t n, const TileSizes& tile)
    {
        const auto shape = m_model.tensors[x].shape;
        const std::size_t w = input("w_" + name, {shape[1], n});
        const std::size_t y = input(name, {shape[0], n});
        add(OpType::MatMul, name, {x, w}, y).tile = tile;
        return y;
    }
    /// Appends an operator of this type whose output has the shape of its first input.
    std::size_t same(OpType type, const std::string& name, std::vector<std::size_t> inputs)
    {
        const std::size_t y = input(name, m_model.tensors[inputs[0]].shape);
        add(type, name, std::move(inputs), y);
        return y;
    }

private:
    NpuModel& m_model;
    std::string m_prefix;
};

Error badOption(const char* field, const std::string& reason)
{
    return {ErrorCode::Problem, reason, field, {}};
}

Result<NpuModel> checked(NpuModel model)
{
    if (auto s = checkModel(model); !s)
        return s.error();
    return model;
}

/// Default tile of projections, wide along N: a row of its weight tile spans several DRAM channels. The
/// default rule (one engine width) would read only 128 bytes of every row.
TileSizes projectionTile(std::int64_t tokens)
{
    TileSizes tile;
    tile.m = std::min<std::int64_t>(128, std::max<std::int64_t>(tokens, 1));
    tile.n = 512;
    tile.k = 256;
    return tile;
}

Status checkHeads(std::int64_t hidden, std::int64_t heads)
{
    if (hidden < 1 || heads < 1 || hidden % heads != 0)
        return badOption("heads", "the hidden size " + std::to_string(hidden) +
                                      " must be a multiple of the heads (" + std::to_string(heads) + ")");
    return Unit{};
}

} // namespace

namespace {

/// Appends one decoder block that reads x [tokens, hidden]. Returns the output tensor, which has the same
/// shape.
std::size_t llamaBlock(Builder& b, NpuModel& model, const LlamaBlockOptions& o, std::size_t x)
{
    const bool decode = o.phase == LlamaPhase::Decode;
    const std::int64_t tokens = model.tensors[x].shape[0];
    const std::int64_t cached = decode ? o.cached : 0;
    const std::int64_t dim = o.hidden / o.heads;
    const std::int64_t kvHeads = o.kvHeads > 0 ? o.kvHeads : o.heads;
    const TileSizes tile = projectionTile(tokens);
    const std::size_t norm1 = b.same(OpType::RmsNorm, "attn_norm", {x, b.input("g_attn", {o.hidden})});
    const std::size_t q = b.project("q", norm1, o.hidden, tile);
    const std::size_t k = b.project("k", norm1, kvHeads * dim, tile);
    const std::size_t v = b.project("v", norm1, kvHeads * dim, tile);
    const std::size_t qRope = b.same(OpType::Elementwise, "q_rope", {q});
    const std::size_t kRope = b.same(OpType::Elementwise, "k_rope", {k});

    const std::vector<std::int64_t> cacheShape{1, kvHeads, cached + tokens, dim};
    const std::size_t kCache = b.input("k_cache", cacheShape);
    const std::size_t vCache = b.input("v_cache", cacheShape);
    for (const auto& [name, from, to] :
         {std::make_tuple("k_append", kRope, kCache), std::make_tuple("v_append", v, vCache)}) {
        ModelOp& op = b.add(OpType::KvAppend, name, {from}, to);
        op.heads = kvHeads;
        op.position = cached;
    }
    std::size_t keys = kRope;
    std::size_t values = v;
    if (decode) {
        // The load of all keys includes the token that was just appended, so it waits for the store of that
        // token.
        keys = b.input("k_all", cacheShape);
        values = b.input("v_all", cacheShape);
        b.add(OpType::KvLoad, "k_load", {kCache}, keys).range = {0, cached + 1};
        b.add(OpType::KvLoad, "v_load", {vCache}, values).range = {0, cached + 1};
    }
    const std::size_t context = b.input("context", {tokens, o.hidden});
    ModelOp& attention = b.add(OpType::Attention, "attention", {qRope, keys, values}, context);
    attention.heads = o.heads;
    attention.kvHeads = kvHeads == o.heads ? 0 : kvHeads;
    attention.causal = true;
    attention.flash = o.flash;

    const std::size_t projected = b.project("o", context, o.hidden, tile);
    const std::size_t residual = b.same(OpType::Elementwise, "attn_residual", {projected, x});
    const std::size_t norm2 = b.same(OpType::RmsNorm, "mlp_norm", {residual, b.input("g_mlp", {o.hidden})});
    const std::size_t gate = b.project("gate", norm2, o.ffn, tile);
    const std::size_t up = b.project("up", norm2, o.ffn, tile);
    const std::size_t act = b.same(OpType::Elementwise, "silu_mul", {gate, up});
    model.ops.back().passes = 2;
    const std::size_t down = b.project("down", act, o.hidden, tile);
    return b.same(OpType::Elementwise, "mlp_residual", {down, residual});
}

std::size_t bertBlock(Builder& b, NpuModel& model, const BertBlockOptions& o, std::size_t x)
{
    TileSizes tile = projectionTile(o.tokens);
    tile.n = 128;
    tile.k = 256;
    const std::size_t q = b.project("q", x, o.hidden, tile);
    const std::size_t k = b.project("k", x, o.hidden, tile);
    const std::size_t v = b.project("v", x, o.hidden, tile);
    const std::size_t context = b.input("context", {o.tokens, o.hidden});
    ModelOp& attention = b.add(OpType::Attention, "attention", {q, k, v}, context);
    attention.heads = o.heads;
    attention.flash = o.flash;
    const std::size_t projected = b.project("o", context, o.hidden, tile);
    const std::size_t sum1 = b.same(OpType::Elementwise, "attn_residual", {projected, x});
    const std::size_t norm1 =
        b.same(OpType::LayerNorm, "attn_norm", {sum1, b.input("g1", {o.hidden}), b.input("b1", {o.hidden})});
    const std::size_t hidden = b.project("ffn_in", norm1, o.ffn, tile);
    const std::size_t gelu = b.same(OpType::Elementwise, "gelu", {hidden, b.input("bias_in", {o.ffn})});
    model.ops.back().passes = 4;
    const std::size_t out = b.project("ffn_out", gelu, o.hidden, tile);
    const std::size_t sum2 = b.same(OpType::Elementwise, "ffn_residual", {out, norm1});
    return b.same(OpType::LayerNorm, "ffn_norm",
                  {sum2, b.input("g2", {o.hidden}), b.input("b2", {o.hidden})});
}

Status checkLayers(std::int64_t layers)
{
    if (layers < 1 || layers > 1000)
        return badOption("layers", "expected 1 to 1000, got " + std::to_string(layers));
    return Unit{};
}

} // namespace

Result<NpuModel> generateLlamaBlock(const LlamaBlockOptions& o)
{
    if (auto s = checkHeads(o.hidden, o.heads); !s)
        return s.error();
    if (o.kvHeads < 0 || (o.kvHeads > 0 && o.heads % o.kvHeads != 0))
        return badOption("kv_heads", "the heads (" + std::to_string(o.heads) +
                                         ") must be a multiple of the heads of keys and values (" +
                                         std::to_string(o.kvHeads) + ")");
    if (auto s = checkLayers(o.layers); !s)
        return s.error();
    const bool decode = o.phase == LlamaPhase::Decode;
    const std::int64_t tokens = decode ? 1 : o.tokens;
    if (tokens < 1)
        return badOption("tokens", "expected at least 1, got " + std::to_string(tokens));
    if (o.cached < 0)
        return badOption("cached", "expected at least 0, got " + std::to_string(o.cached));
    NpuModel model;
    model.name = decode ? "llama_block_decode" : "llama_block_prefill";
    model.dtypeBytes = o.dtypeBytes;
    Builder b(model);
    std::size_t x = b.input("x", {tokens, o.hidden});
    for (std::int64_t layer = 0; layer < o.layers; ++layer) {
        b.beginBlock(layer, o.layers);
        x = llamaBlock(b, model, o, x);
    }
    return checked(std::move(model));
}

Result<NpuModel> generateBertBlock(const BertBlockOptions& o)
{
    if (auto s = checkHeads(o.hidden, o.heads); !s)
        return s.error();
    if (auto s = checkLayers(o.layers); !s)
        return s.error();
    if (o.tokens < 1)
        return badOption("tokens", "expected at least 1, got " + std::to_string(o.tokens));
    NpuModel model;
    model.name = "bert_block";
    model.dtypeBytes = o.dtypeBytes;
    Builder b(model);
    std::size_t x = b.input("x", {o.tokens, o.hidden});
    for (std::int64_t layer = 0; layer < o.layers; ++layer) {
        b.beginBlock(layer, o.layers);
        x = bertBlock(b, model, o, x);
    }
    return checked(std::move(model));
}

Result<NpuModel> generateConvNet(const ConvNetOptions& o)
{
    if (o.stages < 1 || o.stages > 16)
        return badOption("stages", "expected 1 to 16, got " + std::to_string(o.stages));
    if (o.batch < 1 || o.channels < 1 || o.size < 1 || o.width < 1)
        return badOption("size", "batch, channels, size and width must be at least 1");
    NpuModel model;
    model.name = "conv_net";
    model.dtypeBytes = o.dtypeBytes;
    Builder b(model);
    std::size_t x = b.input("image", {o.batch, o.channels, o.size, o.size});
    const auto conv = [&](const std::string& name, std::int64_t cOut, std::int64_t kernel,
                          std::int64_t stride, std::int64_t groups) {
        const auto in = model.tensors[x].shape;
        const std::int64_t pad = kernel / 2;
        const std::size_t w = b.input("w_" + name, {cOut, in[1] / groups, kernel, kernel});
        const std::size_t y = b.input(name, {in[0], cOut, convOutput(in[2], kernel, stride, 2 * pad, 1),
                                             convOutput(in[3], kernel, stride, 2 * pad, 1)});
        ModelOp& op = b.add(OpType::Conv2d, name, {x, w}, y);
        op.stride = {stride, stride};
        op.padding.fill(pad);
        op.groups = groups;
        // A block is an eighth of the rows, so that eight cores have work in every layer.
        op.tile.height = std::max<std::int64_t>(1, (model.tensors[y].shape[2] + 7) / 8);
        x = y;
    };
    std::int64_t channels = o.width;
    for (std::int64_t s = 0; s < o.stages; ++s) {
        const std::string n = std::to_string(s + 1);
        conv("conv" + n, channels, 3, 1, 1);
        x = b.same(OpType::Elementwise, "relu" + n + "a", {x});
        conv("depthwise" + n, channels, 3, 2, channels);
        conv("pointwise" + n, channels * 2, 1, 1, 1);
        x = b.same(OpType::Elementwise, "relu" + n + "b", {x});
        channels *= 2;
    }
    return checked(std::move(model));
}

} // namespace tilewright::npu
