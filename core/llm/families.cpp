// SPDX-License-Identifier: GPL-3.0-or-later
#include "llm/families.h"

#include <algorithm>
#include <array>

namespace tilewright::llm {

namespace {

Family rms(std::string_view type)
{
    Family out;
    out.type = type;
    return out;
}

Family windowed(std::string_view type, Windows windows, Routing routing = Routing::None)
{
    Family out = rms(type);
    out.windows = windows;
    out.routing = routing;
    return out;
}

Family qwen(std::string_view type, bool third, Routing routing)
{
    Family out = windowed(type, Windows::FromLayer, routing);
    out.biases = third ? Biases::Fields : Biases::Qkv;
    out.qkNorm = third;
    return out;
}

Family gemma(std::string_view type, Windows windows, std::int64_t norms, bool qkNorm)
{
    Family out = windowed(type, windows);
    out.norms = norms;
    out.qkNorm = qkNorm;
    out.tied = true;
    out.activation = "gelu";
    return out;
}

Family deepSeek(std::string_view type)
{
    Family out = rms(type);
    out.routing = Routing::DeepSeek;
    out.latent = true;
    return out;
}

/// A family with layer norms and a feed forward of two matrices with biases.
Family classic(std::string_view type, bool tied, bool learnedPositions)
{
    Family out;
    out.type = type;
    out.norm = LlmNorm::Layer;
    out.gated = false;
    out.tied = tied;
    out.biases = Biases::All;
    out.learnedPositions = learnedPositions;
    out.activation = "gelu";
    return out;
}

Family encoder(std::string_view type, bool tied)
{
    Family out = classic(type, tied, true);
    out.causal = false;
    return out;
}

/// A family in which attention and feed forward are computed side by side. `norms` 1: both read the same
/// norm.
Family parallel(std::string_view type, Biases biases, std::int64_t norms, bool fused)
{
    Family out = classic(type, false, false);
    out.biases = biases;
    out.norms = norms;
    out.fused = fused;
    out.parallel = true;
    out.headBias = norms == 1;
    return out;
}

Family gpt2()
{
    Family out = classic("gpt2", true, true);
    out.fused = true;
    return out;
}

Family phi3()
{
    Family out = windowed("phi3", Windows::All);
    out.fused = true;
    return out;
}

const std::array<Family, 25>& families()
{
    static const std::array<Family, 25> kFamilies{
        rms("llama"),
        windowed("mistral", Windows::All),
        qwen("qwen2", false, Routing::None),
        qwen("qwen3", true, Routing::None),
        qwen("qwen2_moe", false, Routing::Qwen),
        qwen("qwen3_moe", true, Routing::Qwen),
        windowed("mixtral", Windows::All, Routing::Mixtral),
        windowed("gpt_oss", Windows::EvenLayers, Routing::Mixtral),
        gemma("gemma", Windows::None, 2, false),
        gemma("gemma2", Windows::EvenLayers, 4, false),
        gemma("gemma3_text", Windows::Pattern, 4, true),
        gemma("gemma3", Windows::Pattern, 4, true),
        phi3(),
        deepSeek("deepseek_v2"),
        deepSeek("deepseek_v3"),
        deepSeek("deepseek_v32"),
        deepSeek("kimi_k2"),
        deepSeek("kimi_k25"),
        gpt2(),
        classic("opt", true, true),
        encoder("bert", true),
        encoder("vit", false),
        parallel("gpt_neox", Biases::All, 2, true),
        parallel("gptj", Biases::Mlp, 1, false),
        parallel("phi", Biases::All, 1, false),
    };
    return kFamilies;
}

struct Missing
{
    std::string_view type, what;
};
constexpr Missing kMissing[] = {
    {"nemotron_h",
     "state space layers (mamba_*, ssm_state_size), whose state is no cache of keys and values"},
    {"qwen3_next", "linear attention (linear_*), whose state is no cache of keys and values"},
    {"qwen3_5", "linear attention (linear_*), whose state is no cache of keys and values"},
    {"qwen3_5_moe", "linear attention (linear_*), whose state is no cache of keys and values"},
    {"gemma4",
     "keys that are values too (attention_k_eq_v), heads of two sizes (global_head_dim) and a dense "
     "branch beside the experts"},
    {"llama4",
     "interleaved experts (interleave_moe_layer_step) and chunked attention (attention_chunk_size)"},
    {"phimoe", "layer norms with biases beside experts (lm_head_bias, sparsemixer routing)"},
};

} // namespace

const Family* familyOf(std::string_view type)
{
    const auto& all = families();
    const auto found = std::find_if(all.begin(), all.end(), [&](const Family& f) { return f.type == type; });
    return found == all.end() ? nullptr : &*found;
}

std::string_view missingOf(std::string_view type)
{
    for (const Missing& m : kMissing)
        if (m.type == type || (type.starts_with(m.type) && type.substr(m.type.size()) == "_text"))
            return m.what;
    return {};
}

std::span<const std::string_view> llmFamilies()
{
    static const auto kNames = [] {
        std::array<std::string_view, 25> out{};
        for (std::size_t i = 0; i < out.size(); ++i)
            out[i] = families()[i].type;
        return out;
    }();
    return kNames;
}

} // namespace tilewright::llm
