// SPDX-License-Identifier: GPL-3.0-or-later
#include "llm/shards.h"

#include "base/integer.h"

#include <algorithm>

namespace tilewright::llm {

namespace {

/// Returns stage `stage` with the layers of `config`; everything else comes from `frame`.
LlmConfig stageWith(const LlmConfig& frame, const LlmConfig& config, std::int64_t stages, std::int64_t stage)
{
    const auto layers = static_cast<std::int64_t>(config.layers.size());
    const std::int64_t few = layers / stages, shorter = stages - layers % stages;
    const std::int64_t first = stage * few + std::max<std::int64_t>(0, stage - shorter);
    const std::int64_t count = few + (stage >= shorter ? 1 : 0);
    LlmConfig out = frame;
    out.layers.assign(config.layers.begin() + first, config.layers.begin() + first + count);
    out.firstLayer = config.firstLayer + first;
    out.hasEmbedding = config.hasEmbedding && stage == 0;
    out.hasHead = config.hasHead && stage == stages - 1;
    return out;
}

LlmConfig withoutLayers(LlmConfig config)
{
    config.layers.clear();
    return config;
}

} // namespace

std::string undividedBy(const LlmConfig& c, std::int64_t chips)
{
    const auto named = [](std::int64_t n, const char* what) {
        return "the " + std::to_string(n) + " " + what;
    };
    const bool sparse =
        std::ranges::any_of(c.layers, [](const LlmLayer& l) { return l.sparse; }) && c.experts;
    const bool dense = !sparse || std::ranges::any_of(c.layers, [](const LlmLayer& l) { return !l.sparse; });
    if (c.heads % chips != 0)
        return named(c.heads, "heads of queries");
    if (!c.latent && c.kvHeads % chips != 0 && chips % c.kvHeads != 0)
        return named(c.kvHeads, "heads of keys and values");
    if (dense && c.feedForward % chips != 0)
        return named(c.feedForward, "columns of the feed forward");
    if (sparse && c.experts->size % chips != 0)
        return named(c.experts->size, "columns of an expert");
    if (sparse && c.experts->shared % chips != 0)
        return named(c.experts->shared, "columns of the shared experts");
    return {};
}

LlmConfig shardOf(LlmConfig c, std::int64_t chips, std::int64_t expertChips)
{
    c.heads /= chips;
    c.kvHeads = std::max<std::int64_t>(1, c.kvHeads / chips); // with fewer heads than chips, heads are copied
    c.feedForward /= chips;
    c.vocabulary = ceilDiv(c.vocabulary, chips);
    if (c.experts) {
        c.experts->size /= chips;
        c.experts->shared /= chips;
        c.experts->chips = expertChips;
    }
    return c;
}

LlmConfig stageOf(const LlmConfig& config, std::int64_t stages, std::int64_t stage)
{
    return stageWith(withoutLayers(config), config, stages, stage);
}

std::vector<LlmStage> stagesOf(const LlmConfig& config, std::int64_t stages)
{
    const LlmConfig frame = withoutLayers(config);
    std::vector<LlmStage> out;
    for (std::int64_t i = 0; i < stages; ++i) {
        LlmConfig stage = stageWith(frame, config, stages, i);
        const auto isSame = [&](const LlmStage& other) {
            return other.config.layers == stage.layers && other.config.hasEmbedding == stage.hasEmbedding &&
                   other.config.hasHead == stage.hasHead;
        };
        const auto same = std::ranges::find_if(out, isSame);
        if (same == out.end())
            out.push_back({std::move(stage), 1});
        else
            ++same->count;
    }
    return out;
}

} // namespace tilewright::llm
