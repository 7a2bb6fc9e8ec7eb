// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/networks.h"

#include <algorithm>

namespace tilewright::model {

namespace {

constexpr NetworkKindInfo kNetworks[] = {
    {NetworkKind::ResNet18, "resnet-18", "residual convolutions, 18 layers"},
    {NetworkKind::ResNet50, "resnet-50", "residual bottlenecks, 50 layers"},
    {NetworkKind::MobileNetV2, "mobilenet-v2", "inverted residuals with depthwise convolutions"},
    {NetworkKind::Bert, "bert", "encoder blocks"},
    {NetworkKind::Gpt2, "gpt-2", "decoder blocks with embeddings and a vocabulary"},
    {NetworkKind::Llama, "llama",
     "decoder blocks with grouped-query attention and SwiGLU, all tokens at once"},
    {NetworkKind::LlamaDecode, "llama-decode",
     "decoder blocks as in llama, for one token after those in the KV cache"},
    {NetworkKind::MixtureOfExperts, "mixture-of-experts",
     "decoder blocks whose tokens are sent to two experts"},
};

/// Default sizes of a network: those of the published model.
NetworkOptions published(NetworkKind kind)
{
    NetworkOptions o;
    o.kind = kind;
    switch (kind) {
    case NetworkKind::ResNet18:
    case NetworkKind::ResNet50:
    case NetworkKind::MobileNetV2:
        o.batch = 1;
        o.size = 224;
        o.classes = 1000;
        break;
    case NetworkKind::Bert:
        o.layers = 12, o.tokens = 128, o.hidden = 768, o.ffn = 3072, o.heads = 12;
        break;
    case NetworkKind::Gpt2:
        o.layers = 12, o.tokens = 128, o.hidden = 768, o.ffn = 3072, o.heads = 12, o.classes = 50257;
        break;
    case NetworkKind::Llama:
    case NetworkKind::LlamaDecode:
    case NetworkKind::MixtureOfExperts:
        o.layers = 32, o.tokens = 128, o.hidden = 4096, o.ffn = 14336, o.heads = 32, o.kvHeads = 8;
        o.classes = kind == NetworkKind::MixtureOfExperts ? 32000 : 128256;
        o.experts = kind == NetworkKind::MixtureOfExperts ? 8 : 0;
        if (kind == NetworkKind::LlamaDecode)
            o.tokens = 1, o.cached = 2048;
        break;
    }
    return o;
}

struct OptionField
{
    const char* name;
    std::int64_t NetworkOptions::*value;
    std::int64_t most;
};
constexpr OptionField kFields[] = {
    {"layers", &NetworkOptions::layers, 4096},      {"batch", &NetworkOptions::batch, 1 << 16},
    {"size", &NetworkOptions::size, 1 << 14},       {"classes", &NetworkOptions::classes, 1 << 24},
    {"tokens", &NetworkOptions::tokens, 1 << 22},   {"cached", &NetworkOptions::cached, 1 << 24},
    {"hidden", &NetworkOptions::hidden, 1 << 18},   {"ffn", &NetworkOptions::ffn, 1 << 20},
    {"heads", &NetworkOptions::heads, 1 << 12},     {"kv-heads", &NetworkOptions::kvHeads, 1 << 12},
    {"experts", &NetworkOptions::experts, 1 << 10},
};

class Network
{
public:
    Network(const NetworkOptions& options, std::string name) : m_o(options), m_b(std::move(name)) {}

    Result<Model> run()
    {
        switch (m_o.kind) {
        case NetworkKind::ResNet18:
        case NetworkKind::ResNet50:
            resNet();
            break;
        case NetworkKind::MobileNetV2:
            mobileNet();
            break;
        case NetworkKind::Bert:
            bert();
            break;
        case NetworkKind::Gpt2:
            gpt2();
            break;
        default:
            llama();
        }
        return std::move(m_b).build();
    }

private:
    // Functions that build image networks:

    ModelTensorId conv(const std::string& name, ModelTensorId x, std::int64_t channels, std::int64_t kernel,
                       std::int64_t stride = 1, std::int64_t groups = 1)
    {
        WindowAttributes w;
        w.stride = {stride, stride};
        w.padding.fill(kernel / 2);
        w.groups = groups;
        const ModelTensorId weight =
            m_b.constant(name + ".weight", {channels, m_b.shape(x)[1] / groups, kernel, kernel});
        return m_b.add(OperatorKind::Conv2d, name, {x, weight, m_b.constant(name + ".bias", {channels})}, w);
    }

    ModelTensorId relu(const std::string& name, ModelTensorId x)
    {
        return m_b.elementwise("relu", name, {x});
    }

    void classify(ModelTensorId x)
    {
        x = m_b.add(OperatorKind::GlobalPool, "pool", {x});
        const std::int64_t channels = m_b.shape(x)[1];
        x = m_b.reshape("flatten", x, {m_o.batch, channels});
        m_b.add(
            OperatorKind::MatMul, "fc",
            {x, m_b.constant("fc.weight", {channels, m_o.classes}), m_b.constant("fc.bias", {m_o.classes})});
    }

    void resNet()
    {
        const bool deep = m_o.kind == NetworkKind::ResNet50;
        ModelTensorId x = m_b.input("image", {m_o.batch, 3, m_o.size, m_o.size});
        x = relu("relu1", conv("conv1", x, 64, 7, 2));
        WindowAttributes pool;
        pool.kernel = {3, 3};
        pool.stride = {2, 2};
        pool.padding.fill(1);
        x = m_b.add(OperatorKind::MaxPool, "maxpool", {x}, pool);
        constexpr std::array<std::int64_t, 4> kBlocks18{2, 2, 2, 2}, kBlocks50{3, 4, 6, 3};
        for (std::size_t stage = 0; stage < 4; ++stage) {
            const std::int64_t width = std::int64_t{64} << stage;
            const std::int64_t out = deep ? 4 * width : width;
            for (std::int64_t block = 0; block < (deep ? kBlocks50 : kBlocks18)[stage]; ++block) {
                const std::string p = "layer" + std::to_string(stage + 1) + "." + std::to_string(block) + ".";
                const std::int64_t stride = stage > 0 && block == 0 ? 2 : 1;
                ModelTensorId y = x;
                if (deep) {
                    y = relu(p + "relu1", conv(p + "conv1", x, width, 1));
                    y = relu(p + "relu2", conv(p + "conv2", y, width, 3, stride));
                    y = conv(p + "conv3", y, out, 1);
                } else {
                    y = relu(p + "relu1", conv(p + "conv1", x, width, 3, stride));
                    y = conv(p + "conv2", y, out, 3);
                }
                if (stride != 1 || m_b.shape(x)[1] != out)
                    x = conv(p + "downsample", x, out, 1, stride);
                x = relu(p + "relu", m_b.elementwise("add", p + "add", {y, x}));
            }
        }
        classify(x);
    }

    void mobileNet()
    {
        struct Stage
        {
            std::int64_t expansion, channels, repeats, stride;
        };
        constexpr Stage kStages[] = {{1, 16, 1, 1}, {6, 24, 2, 2},  {6, 32, 3, 2}, {6, 64, 4, 2},
                                     {6, 96, 3, 1}, {6, 160, 3, 2}, {6, 320, 1, 1}};
        ModelTensorId x = m_b.input("image", {m_o.batch, 3, m_o.size, m_o.size});
        x = relu("relu0", conv("conv0", x, 32, 3, 2));
        int block = 0;
        for (const Stage& s : kStages)
            for (std::int64_t i = 0; i < s.repeats; ++i) {
                const std::string p = "block" + std::to_string(++block) + ".";
                const std::int64_t in = m_b.shape(x)[1], inner = in * s.expansion,
                                   stride = i == 0 ? s.stride : 1;
                ModelTensorId y = x;
                if (s.expansion > 1)
                    y = relu(p + "relu1", conv(p + "expand", y, inner, 1));
                y = relu(p + "relu2", conv(p + "depthwise", y, inner, 3, stride, inner));
                y = conv(p + "project", y, s.channels, 1);
                x = stride == 1 && in == s.channels ? m_b.elementwise("add", p + "add", {y, x}) : y;
            }
        x = relu("relu_last", conv("conv_last", x, 1280, 1));
        classify(x);
    }

    // Functions that build transformer networks:

    [[nodiscard]] std::int64_t headSize() const { return m_o.hidden / m_o.heads; }

    ModelTensorId attend(const std::string& name, ModelTensorId q, ModelTensorId k, ModelTensorId v,
                         bool causal)
    {
        return m_b.add(OperatorKind::Attention, name, {q, k, v},
                       AttentionAttributes{m_o.heads, m_o.kvHeads == m_o.heads ? 0 : m_o.kvHeads, causal});
    }

    ModelTensorId biased(const std::string& name, ModelTensorId x, std::int64_t columns)
    {
        return m_b.add(OperatorKind::MatMul, name,
                       {x, m_b.constant(name + ".weight", {m_b.shape(x).back(), columns}),
                        m_b.constant(name + ".bias", {columns})});
    }

    ModelTensorId norm(OperatorKind kind, const std::string& name, ModelTensorId x)
    {
        std::vector<ModelTensorId> in{x, m_b.constant(name + ".gamma", {m_o.hidden})};
        if (kind == OperatorKind::LayerNorm)
            in.push_back(m_b.constant(name + ".beta", {m_o.hidden}));
        return m_b.add(kind, name, in);
    }

    ModelTensorId sum(const std::string& name, ModelTensorId a, ModelTensorId b)
    {
        return m_b.elementwise("add", name, {a, b});
    }

    ModelTensorId embedding()
    {
        const ModelTensorId ids = m_b.input("tokens", {m_o.tokens});
        const ModelTensorId table = m_b.constant("embedding.table", {m_o.classes, m_o.hidden});
        return m_b.add(OperatorKind::Gather, "embedding", {table, ids}, AxisAttributes{});
    }

    void bert()
    {
        ModelTensorId x = m_b.input("x", {m_o.tokens, m_o.hidden});
        for (std::int64_t l = 0; l < m_o.layers; ++l) {
            const std::string p = "layer" + std::to_string(l) + ".";
            const ModelTensorId q = biased(p + "q", x, m_o.hidden), k = biased(p + "k", x, m_o.hidden),
                                v = biased(p + "v", x, m_o.hidden);
            const ModelTensorId context = attend(p + "attention", q, k, v, false);
            const ModelTensorId projected = biased(p + "o", context, m_o.hidden);
            x = norm(OperatorKind::LayerNorm, p + "attention_norm", sum(p + "attention_add", projected, x));
            const ModelTensorId inner =
                m_b.elementwise("gelu", p + "gelu", {biased(p + "ffn_in", x, m_o.ffn)}, 4);
            x = norm(OperatorKind::LayerNorm, p + "ffn_norm",
                     sum(p + "ffn_add", biased(p + "ffn_out", inner, m_o.hidden), x));
        }
    }

    void gpt2()
    {
        ModelTensorId x =
            sum("position_add", embedding(), m_b.constant("position", {m_o.tokens, m_o.hidden}));
        for (std::int64_t l = 0; l < m_o.layers; ++l) {
            const std::string p = "layer" + std::to_string(l) + ".";
            const ModelTensorId normed = norm(OperatorKind::LayerNorm, p + "attention_norm", x);
            const ModelTensorId qkv = biased(p + "qkv", normed, 3 * m_o.hidden);
            AxisAttributes thirds{1, {m_o.hidden, m_o.hidden, m_o.hidden}};
            const ModelTensorId q = m_b.add(OperatorKind::Split, p + "qkv_split", {qkv}, thirds);
            const ModelTensorId context =
                attend(p + "attention", q, ModelTensorId(q.index() + 1), ModelTensorId(q.index() + 2), true);
            x = sum(p + "attention_add", biased(p + "o", context, m_o.hidden), x);
            const ModelTensorId normed2 = norm(OperatorKind::LayerNorm, p + "ffn_norm", x);
            const ModelTensorId inner =
                m_b.elementwise("gelu", p + "gelu", {biased(p + "ffn_in", normed2, m_o.ffn)}, 4);
            x = sum(p + "ffn_add", biased(p + "ffn_out", inner, m_o.hidden), x);
        }
        m_b.linear("head", norm(OperatorKind::LayerNorm, "norm", x), m_o.classes);
    }

    ModelTensorId rotary(const std::string& name, ModelTensorId x)
    {
        return m_b.add(OperatorKind::Rotary, name,
                       {x, m_b.constant(name + ".cos", {m_o.tokens, headSize()}),
                        m_b.constant(name + ".sin", {m_o.tokens, headSize()})});
    }

    ModelTensorId append(const std::string& name, ModelTensorId fresh)
    {
        const ModelTensorId past = m_b.input(name + ".past", {1, m_o.kvHeads, m_o.cached, headSize()});
        KvAttributes kv;
        kv.heads = m_o.kvHeads;
        kv.position = m_o.cached;
        return m_b.add(OperatorKind::KvAppend, name, {fresh, past}, kv);
    }

    ModelTensorId swiGlu(const std::string& p, ModelTensorId x)
    {
        const ModelTensorId gate = m_b.linear(p + "gate", x, m_o.ffn), up = m_b.linear(p + "up", x, m_o.ffn);
        return m_b.linear(p + "down", m_b.elementwise("silu_mul", p + "silu_mul", {gate, up}, 2), m_o.hidden);
    }

    /// Mixture of experts with two experts per token. Which experts a token uses depends on the input, so
    /// each expert is assumed to get an equal share of the tokens.
    ModelTensorId mixture(const std::string& p, ModelTensorId x)
    {
        const ModelTensorId gates =
            m_b.add(OperatorKind::Softmax, p + "gates", {m_b.linear(p + "router", x, m_o.experts)});
        const std::int64_t share = ceilDiv(2 * m_o.tokens, m_o.experts);
        std::vector<ModelTensorId> parts;
        for (std::int64_t e = 0; e < m_o.experts; ++e) {
            const std::string q = p + "expert" + std::to_string(e) + ".";
            const ModelTensorId chosen = m_b.input(q + "chosen", {share});
            const ModelTensorId rows =
                m_b.add(OperatorKind::Gather, q + "rows", {x, chosen}, AxisAttributes{});
            parts.push_back(swiGlu(q, rows));
        }
        const ModelTensorId all = m_b.add(OperatorKind::Concat, p + "experts", parts, AxisAttributes{});
        ModelTensorId out = x;
        for (const char* which : {"first", "second"}) {
            const ModelTensorId place = m_b.input(p + which + "_place", {m_o.tokens});
            const ModelTensorId back =
                m_b.add(OperatorKind::Gather, p + which, {all, place}, AxisAttributes{});
            SliceAttributes column{{1}, {which[0] == 'f' ? 0 : 1}, {which[0] == 'f' ? 1 : 2}, {}};
            const ModelTensorId gate = m_b.add(OperatorKind::Slice, p + which + "_gate", {gates}, column);
            const ModelTensorId scaled = m_b.elementwise("mul", p + which + "_scaled", {back, gate});
            out = out == x ? scaled : sum(p + "expert_add", out, scaled);
        }
        return out;
    }

    void llama()
    {
        ModelTensorId x = embedding();
        for (std::int64_t l = 0; l < m_o.layers; ++l) {
            const std::string p = "layer" + std::to_string(l) + ".";
            const ModelTensorId normed = norm(OperatorKind::RmsNorm, p + "attention_norm", x);
            const std::int64_t kvWidth = m_o.kvHeads * headSize();
            const ModelTensorId q = rotary(p + "q_rope", m_b.linear(p + "q", normed, m_o.hidden));
            ModelTensorId k = rotary(p + "k_rope", m_b.linear(p + "k", normed, kvWidth));
            ModelTensorId v = m_b.linear(p + "v", normed, kvWidth);
            if (m_o.cached > 0) {
                k = append(p + "k_cache", k);
                v = append(p + "v_cache", v);
            }
            const ModelTensorId context = attend(p + "attention", q, k, v, true);
            x = sum(p + "attention_add", m_b.linear(p + "o", context, m_o.hidden), x);
            const ModelTensorId normed2 = norm(OperatorKind::RmsNorm, p + "ffn_norm", x);
            x = sum(p + "ffn_add", m_o.experts > 0 ? mixture(p, normed2) : swiGlu(p, normed2), x);
        }
        m_b.linear("head", norm(OperatorKind::RmsNorm, "norm", x), m_o.classes);
    }

    NetworkOptions m_o;
    ModelBuilder m_b;
};

} // namespace

std::span<const NetworkKindInfo> networkKinds()
{
    return kNetworks;
}

std::optional<NetworkKind> networkKindOf(std::string_view name)
{
    for (const NetworkKindInfo& info : kNetworks)
        if (info.name == name)
            return info.kind;
    return std::nullopt;
}

Result<Model> generateNetwork(const NetworkOptions& options)
{
    NetworkOptions o = options;
    const NetworkOptions own = published(options.kind);
    for (const OptionField& field : kFields) {
        std::int64_t& value = o.*field.value;
        if (value < 0 || value > field.most)
            return problemError(field.name, "expected a whole number from 1 to " +
                                                std::to_string(field.most) + ", got " +
                                                std::to_string(value));
        if (value > 0 && own.*field.value == 0 && field.value != &NetworkOptions::cached &&
            field.value != &NetworkOptions::kvHeads)
            return problemError(field.name, "this kind of network has no such size");
        if (value == 0)
            value = own.*field.value;
    }
    if (own.heads > 0) {
        if (options.heads > 0 && options.kvHeads == 0)
            o.kvHeads = own.kvHeads > 0 && o.heads % own.kvHeads == 0 ? own.kvHeads : o.heads;
        if (o.kvHeads == 0)
            o.kvHeads = o.heads;
        if (o.hidden % o.heads != 0)
            return problemError("heads", "the hidden size " + std::to_string(o.hidden) +
                                             " must be a multiple of the heads (" + std::to_string(o.heads) +
                                             ")");
        if (o.heads % o.kvHeads != 0)
            return problemError("kv-heads", "the heads (" + std::to_string(o.heads) +
                                                ") must be a multiple of the heads of keys and values (" +
                                                std::to_string(o.kvHeads) + ")");
        if (own.kvHeads == 0 && o.kvHeads != o.heads)
            return problemError("kv-heads",
                                "this kind of network has as many heads of keys and values as heads");
        if (own.kvHeads == 0 && o.cached > 0)
            return problemError("cached", "this kind of network has no KV cache");
    }
    std::string name(kNetworks[static_cast<std::size_t>(o.kind)].name);
    return Network(o, std::move(name)).run();
}

} // namespace tilewright::model
