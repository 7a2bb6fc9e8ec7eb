// SPDX-License-Identifier: GPL-3.0-or-later
#include "llm/config.h"

#include "base/integer.h"

#include <algorithm>
#include <array>

namespace tilewright::llm {

namespace {

constexpr std::array<std::string_view, kLlmParts> kParts{"attention", "mlp",       "experts",
                                                         "norm",      "embedding", "head"};

void addAttention(std::vector<LlmMatrix>& out, const LlmConfig& c)
{
    const auto add = [&](std::string name, std::string module, std::int64_t rows, std::int64_t columns,
                         bool biased) {
        out.push_back({"attn." + std::move(name), "self_attn." + std::move(module), LlmPart::Attention, rows,
                       columns, 1, biased, false});
    };
    if (const auto& m = c.latent) {
        const std::int64_t queries = c.heads * (m->nope + m->rope);
        if (m->queryRank > 0) {
            add("q_a", "q_a_proj", c.hidden, m->queryRank, c.qkvBias);
            add("q_b", "q_b_proj", m->queryRank, queries, false);
        } else {
            add("q", "q_proj", c.hidden, queries, false);
        }
        add("kv_a", "kv_a_proj_with_mqa", c.hidden, m->cacheRank + m->rope, c.qkvBias);
        add("kv_b", "kv_b_proj", m->cacheRank, c.heads * (m->nope + m->value), false);
        if (const auto& i = c.indexer) {
            add("indexer.q", "indexer.wq_b", m->queryRank > 0 ? m->queryRank : c.hidden,
                i->heads * i->headSize, false);
            add("indexer.k", "indexer.wk", c.hidden, i->headSize, false);
            add("indexer.weights", "indexer.weights_proj", c.hidden, i->heads, false);
            out.back().router = true;
        }
    } else if (c.fusedQkv) {
        add("qkv", "qkv_proj", c.hidden, (c.heads + 2 * c.kvHeads) * c.headSize, c.qkvBias);
    } else {
        add("q", "q_proj", c.hidden, c.heads * c.headSize, c.qkvBias);
        add("k", "k_proj", c.hidden, c.kvHeads * c.headSize, c.qkvBias);
        add("v", "v_proj", c.hidden, c.kvHeads * c.headSize, c.qkvBias);
    }
    add("o", "o_proj", c.contextSize(), c.hidden, c.outBias);
}

/// Adds the two or three matrices of a feed forward with the given inner width.
void addFeedForward(std::vector<LlmMatrix>& out, const LlmConfig& c, const std::string& name,
                    const std::string& module, LlmPart part, std::int64_t inner, std::int64_t count,
                    bool biased)
{
    const auto add = [&](const char* which, const char* projection, std::int64_t rows, std::int64_t columns) {
        out.push_back({name + which, module + projection, part, rows, columns, count, biased, false});
    };
    if (c.gated && c.fusedGateUp) {
        add("gate_up", "gate_up_proj", c.hidden, 2 * inner);
    } else {
        if (c.gated)
            add("gate", "gate_proj", c.hidden, inner);
        add("up", "up_proj", c.hidden, inner);
    }
    add("down", "down_proj", inner, c.hidden);
}

} // namespace

std::string_view toString(LlmPart part) noexcept
{
    return kParts[static_cast<std::size_t>(part)];
}

std::int64_t LlmConfig::cacheElements() const noexcept
{
    if (!causal)
        return 0;
    if (latent)
        return latent->cacheRank + latent->rope + (indexer ? indexer->headSize : 0);
    return 2 * kvHeads * headSize;
}

std::int64_t LlmConfig::contextSize() const noexcept
{
    return heads * (latent ? latent->value : headSize);
}

std::int64_t LlmMatrix::weights() const
{
    return saturatingMul(saturatingMul(rows, columns), count);
}

std::vector<LlmMatrix> matricesOf(const LlmConfig& c, const LlmLayer& layer)
{
    std::vector<LlmMatrix> out;
    addAttention(out, c);
    if (!layer.sparse || !c.experts) {
        addFeedForward(out, c, "mlp.", "mlp.", LlmPart::Mlp, c.feedForward, 1, c.mlpBias);
        return out;
    }
    const LlmExperts& e = *c.experts;
    out.push_back({"mlp.router", "mlp.gate", LlmPart::Experts, c.hidden, e.count, 1, e.biased, true});
    const std::size_t first = out.size();
    addFeedForward(out, c, "mlp.experts.", "mlp.experts.0.", LlmPart::Experts, e.size, e.count / e.chips,
                   e.biased);
    for (std::size_t i = first; i < out.size(); ++i)
        out[i].routed = true;
    if (e.shared > 0)
        addFeedForward(out, c, "mlp.shared.", "mlp.shared_experts.", LlmPart::Experts, e.shared, 1, false);
    if (e.sharedGate)
        out.push_back(
            {"mlp.shared_gate", "mlp.shared_expert_gate", LlmPart::Experts, c.hidden, 1, 1, false, true});
    return out;
}

std::int64_t otherParametersOf(const LlmConfig& c, const LlmLayer& layer)
{
    std::int64_t out = c.layerNorms * c.hidden * (c.norm == LlmNorm::Layer ? 2 : 1);
    if (c.qkNorm)
        out += 2 * c.headSize;
    if (c.sinks)
        out += c.heads;
    if (c.latent)
        out += c.latent->queryRank + c.latent->cacheRank;
    if (c.indexer)
        out += 2 * c.indexer->headSize;
    if (layer.sparse && c.experts && c.experts->corrected)
        out += c.experts->count;
    return out;
}

std::vector<LlmBlock> blocksOf(const LlmConfig& config)
{
    std::vector<LlmBlock> out;
    for (std::size_t i = 0; i < config.layers.size(); ++i) {
        const auto same = std::find_if(out.begin(), out.end(), [&](const LlmBlock& b) {
            return config.layers[b.layer] == config.layers[i];
        });
        if (same == out.end())
            out.push_back({i, 1});
        else
            ++same->count;
    }
    return out;
}

} // namespace tilewright::llm
