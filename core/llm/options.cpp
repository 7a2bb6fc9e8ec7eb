// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/integer.h"
#include "llm/model.h"
#include "llm/shards.h"

#include <algorithm>
#include <array>

namespace tilewright::llm {

namespace {

constexpr std::int64_t kMostBatch = 1 << 16;
constexpr std::int64_t kMostTokens = 1 << 24;
constexpr std::int64_t kUsualTokens = 2048, kUsualChunk = 512;

bool hasRouted(const LlmConfig& c)
{
    return c.experts && std::ranges::any_of(c.layers, [](const LlmLayer& l) { return l.sparse; });
}

/// The reason why this number of chips cannot share the routed experts; empty if it can.
std::string expertChipsRefused(const LlmConfig& c, const LlmOptions& o)
{
    if (o.expertChips == 1)
        return {};
    if (!hasRouted(c))
        return "a model of the family " + c.family + " has no routed experts";
    if (o.chips > 1)
        return "chips that share every layer (--chips) and chips that share the experts are not computed "
               "together";
    if (o.expertChips < 1 || c.experts->count % o.expertChips != 0)
        return std::to_string(o.expertChips) + " chips cannot share the " + std::to_string(c.experts->count) +
               " routed experts equally";
    return {};
}

Error refused(const char* option, std::string why)
{
    return {ErrorCode::Field, std::move(why), option, {}};
}

struct Size
{
    const char* name;
    std::int64_t LlmOptions::*value;
    std::int64_t most, least = 1;
};
constexpr Size kSizes[] = {
    {"batch", &LlmOptions::batch, kMostBatch},
    {"prompt", &LlmOptions::prompt, kMostTokens},
    {"cached", &LlmOptions::cached, kMostTokens},
    {"tokens", &LlmOptions::tokens, kMostTokens},
    {"layers", &LlmOptions::layers, 1 << 20},
    {"chips", &LlmOptions::chips, kMostChips},
    {"stages", &LlmOptions::stages, 1 << 20},
    {"expert_chips", &LlmOptions::expertChips, kMostChips},
    {"expert_skew_1000ths", &LlmOptions::expertSkew, kMostSkew, 0},
};
struct Width
{
    const char *name, *rest;
    std::int64_t LlmOptions::*value;
};
constexpr Width kWidths[] = {
    {"kv_bits", "kv_1024ths", &LlmOptions::kvBits},
    {"weight_bits", "weight_1024ths", &LlmOptions::weightBits},
    {"activation_bits", "activation_1024ths", &LlmOptions::activationBits},
};

} // namespace

std::map<std::string, std::int64_t> dimensionsOf(const LlmOptions& options)
{
    std::map<std::string, std::int64_t> out;
    const LlmOptions usual;
    if (options.phase != usual.phase)
        out["phase"] = static_cast<std::int64_t>(options.phase) + 1;
    for (const Size& s : kSizes)
        if (options.*s.value != usual.*s.value && options.*s.value > 0)
            out[s.name] = options.*s.value;
    if (options.layers == kAllLayers)
        out["all_layers"] = 1;
    for (const Width& w : kWidths) {
        if (options.*w.value >= kBit)
            out[w.name] = options.*w.value / kBit;
        if (options.*w.value % kBit > 0)
            out[w.rest] = options.*w.value % kBit;
    }
    return out;
}

Result<LlmOptions> optionsOf(const std::map<std::string, std::int64_t>& dimensions)
{
    LlmOptions out;
    std::string known = "phase, all_layers";
    for (const Size& s : kSizes)
        known += std::string(", ") + s.name;
    for (const Width& w : kWidths)
        known += std::string(", ") + w.name;
    for (const auto& dimension : dimensions) { // no structured binding, because the lambda captures the name
        const std::string& name = dimension.first;
        const std::int64_t value = dimension.second;
        const auto outside = [&name](std::int64_t most, std::int64_t least = 1) {
            return Error{ErrorCode::Field,
                         "must be " + std::to_string(least) + " to " + std::to_string(most),
                         name,
                         {}};
        };
        bool isKnown = name == "phase" || name == "all_layers";
        if (isKnown && (value < 1 || value > (name == "phase" ? 3 : 1)))
            return outside(name == "phase" ? 3 : 1);
        if (name == "phase")
            out.phase = static_cast<LlmPhase>(value - 1);
        else if (name == "all_layers")
            out.layers = kAllLayers;
        for (const Size& s : kSizes)
            if (name == s.name) {
                isKnown = true;
                if (value < s.least || value > s.most)
                    return outside(s.most, s.least);
                out.*s.value = value;
            }
        for (const Width& w : kWidths)
            if (name == w.name || name == w.rest) {
                isKnown = true;
                const std::int64_t most = name == w.name ? 64 : kBit - 1;
                if (value < 1 || value > most)
                    return outside(most);
                out.*w.value += name == w.name ? value * kBit : value;
            }
        if (!isKnown)
            return Error{ErrorCode::Field, "is not a size of a language model; there are " + known, name, {}};
    }
    return out;
}

std::string_view toString(LlmPhase phase) noexcept
{
    constexpr std::array<std::string_view, 3> kNames{"prefill", "decode", "chunked"};
    return kNames[static_cast<std::size_t>(phase)];
}

Result<LlmOptions> resolved(const LlmConfig& c, const LlmOptions& options)
{
    LlmOptions o = options;
    const bool decode = o.phase == LlmPhase::Decode, cached = o.phase != LlmPhase::Prefill;
    const std::string family = "a model of the family " + c.family;
    if (cached && !c.causal)
        return refused("--phase", family + " has no cache of keys and values: only prefill");
    if (c.images.patch > 0 && o.prompt != 0)
        return refused("--prompt", family + " has the tokens of its images");
    if (decode && o.prompt != 0)
        return refused("--prompt", "needs --phase prefill or chunked");
    if (!decode && o.tokens != 0)
        return refused("--tokens", "needs --phase decode");
    if (!cached && o.cached != 0)
        return refused("--cached", "needs --phase decode or chunked");
    if (o.batch < 1 || o.batch > kMostBatch)
        return refused("--batch", "must be 1 to " + std::to_string(kMostBatch));
    const auto layers = static_cast<std::int64_t>(c.layers.size());
    if (o.chips < 1 || o.chips > kMostChips)
        return refused("--chips", "must be 1 to " + std::to_string(kMostChips));
    if (const std::string rest = undividedBy(c, o.chips); !rest.empty())
        return refused("--chips", std::to_string(o.chips) + " chips cannot share " + rest + " equally");
    if (const std::string why = expertChipsRefused(c, o); !why.empty())
        return refused("--expert-chips", why);
    if (o.expertSkew != 0 && !hasRouted(c))
        return refused("--expert-skew", family + " has no routed experts");
    if (o.expertSkew < 0 || o.expertSkew > kMostSkew)
        return refused("--expert-skew", "must be 0 to " + std::to_string(kMostSkew / kSkewOfOne));
    if (o.stages < 1 || o.stages > layers)
        return refused("--stages", "must be 1 to " + std::to_string(layers) + ", the layers of the model");
    if (o.layers > ceilDiv(layers, o.stages))
        return refused("--layers", (o.stages > 1 ? "a stage has " : "the model has ") +
                                       std::to_string(ceilDiv(layers, o.stages)) + " layers");
    if (o.layers < kAllLayers)
        return refused("--layers", "must be 1 or more, or all");
    const std::int64_t most = c.mostPositions > 0 ? c.mostPositions : kMostTokens;
    if (decode)
        o.tokens = std::max<std::int64_t>(1, o.tokens);
    else if (c.images.patch > 0)
        o.prompt = c.positions;
    else if (o.prompt == 0)
        o.prompt = std::min(most, cached ? kUsualChunk : kUsualTokens);
    if (cached && o.cached == 0)
        o.cached = std::clamp<std::int64_t>(most - o.computed(), 1, kUsualTokens);
    if (o.prompt < 0 || o.tokens < 0 || o.cached < 0 || o.keys() > kMostTokens)
        return refused(decode ? "--cached" : "--prompt",
                       "there must be 1 to " + std::to_string(kMostTokens) + " tokens");
    if (c.positions > 0 && o.keys() > most)
        return refused(decode ? "--cached" : "--prompt", std::to_string(o.keys()) +
                                                             " tokens, but the model has " +
                                                             std::to_string(most) + " positions");
    return o;
}

LlmConfig withOptions(LlmConfig config, const LlmOptions& options)
{
    if (options.kvBits > 0)
        config.kvBits = options.kvBits;
    if (config.experts)
        config.experts->skew = options.expertSkew;
    if (options.activationBits > 0)
        config.activationBits = options.activationBits;
    if (options.weightBits > 0)
        for (LlmLayer& layer : config.layers) {
            const auto matrices = matricesOf(config, layer);
            for (std::size_t i = 0; i < matrices.size(); ++i)
                if (!matrices[i].router)
                    layer.bits[i] = options.weightBits;
        }
    return config;
}

} // namespace tilewright::llm
