// SPDX-License-Identifier: GPL-3.0-or-later
// Attention with grouped heads, windows and a cache (docs/rules/llm.md 6.1).
#include "llm/builder.h"

#include "base/integer.h"

#include <algorithm>

namespace tilewright::llm {

using model::AttentionAttributes;
using model::KvAttributes;
using model::OperatorKind;

namespace {

constexpr std::int64_t kMostWindows = 256;

} // namespace

std::int64_t LlmBuilder::pastOf(std::int64_t window) const noexcept
{
    return window > 0 ? std::min(m_o.cached, window - 1) : m_o.cached;
}

LlmBuilder::Tensor LlmBuilder::headNorm(const std::string& name, Tensor x, std::int64_t heads)
{
    const std::int64_t size = m_c.headSize;
    x = reshape(named(name + ".heads"), x, {rows() * heads, size});
    x = norm(named(name), x, LlmNorm::Rms, size);
    return reshape(named(name + ".rows"), x, {rows(), heads * size});
}

LlmBuilder::Tensor LlmBuilder::turned(const std::string& name, Tensor x, std::int64_t size)
{
    if (size == 0)
        return x;
    const model::Shape table{m_o.computed(), size};
    return m_b.add(OperatorKind::Rotary, named(name),
                   {x, m_b.constant(named(name + ".cos"), table), m_b.constant(named(name + ".sin"), table)});
}

LlmBuilder::Tensor LlmBuilder::byHead(const std::string& name, Tensor x, std::int64_t heads,
                                      std::int64_t tokens)
{
    const std::int64_t size = shape(x).back() / heads;
    if (tokens == 1 || heads == 1) // with one token or one head, both orders are the same
        return reshape(named(name + ".heads"), x, {m_o.batch, heads, tokens, size});
    x = reshape(named(name + ".sequences"), x, {m_o.batch, tokens, heads, size});
    return transpose(named(name + ".heads"), x, {0, 2, 1, 3});
}

LlmBuilder::Tensor LlmBuilder::byToken(const std::string& name, Tensor x)
{
    const model::Shape s = shape(x);
    if (s.size() == 2)
        return x;
    if (s[1] > 1 && s[2] > 1)
        x = transpose(named(name + ".tokens"), x, {0, 2, 1, 3});
    return reshape(named(name + ".rows"), x, {s[0] * s[2], s[1] * s[3]});
}

/// Appends the new tokens to the `past` tokens of a cache.
LlmBuilder::Tensor LlmBuilder::append(const std::string& name, Tensor fresh, std::int64_t heads,
                                      std::int64_t size, std::int64_t past)
{
    const Tensor old = m_b.input(named(name + ".past"), {m_o.batch, heads, past, size});
    setBits(old, m_c.kvBits);
    KvAttributes kv;
    kv.heads = shape(fresh).size() == 2 ? heads : 0;
    kv.position = past;
    const Tensor out = m_b.add(OperatorKind::KvAppend, named(name), {fresh, old}, kv);
    setBits(out, m_c.kvBits);
    return out;
}

LlmBuilder::Tensor LlmBuilder::attention(Tensor x)
{
    if (m_c.latent)
        return latentAttention(x);
    const std::int64_t h = m_c.heads, g = m_c.kvHeads, e = m_c.headSize;
    Tensor q{}, k{}, v{};
    if (m_c.fusedQkv) {
        const auto parts = split(named("attn.qkv_split"), linear("attn.qkv", x), {h * e, g * e, g * e});
        q = parts[0], k = parts[1], v = parts[2];
    } else {
        q = linear("attn.q", x), k = linear("attn.k", x), v = linear("attn.v", x);
    }
    if (m_c.qkNorm) {
        q = headNorm("attn.q_norm", q, h);
        k = headNorm("attn.k_norm", k, g);
    }
    q = turned("attn.q_rope", q, m_c.rotary);
    k = turned("attn.k_rope", k, m_c.rotary);
    const std::int64_t past = pastOf(m_layer->window), tokens = m_o.computed();
    if (m_o.batch > 1) {
        k = byHead("attn.k", k, g, tokens);
        v = byHead("attn.v", v, g, tokens);
    }
    if (past > 0) {
        k = append("attn.k_cache", k, g, e, past);
        v = append("attn.v_cache", v, g, e, past);
    }
    return linear("attn.o", attend(q, k, v, past));
}

/// Attention of queries [rows, heads * size]. Keys and values are those of the cache or of the new tokens.
LlmBuilder::Tensor LlmBuilder::attend(Tensor q, Tensor k, Tensor v, std::int64_t past)
{
    const std::int64_t h = m_c.heads, g = m_c.kvHeads, tokens = m_o.computed(), window = m_layer->window;
    // The queries of heads that share keys are the rows of one product.
    if (tokens == 1 && (m_o.batch > 1 || past > 0)) {
        q = reshape(named("attn.q.groups"), q, {m_o.batch, g, h / g, m_c.headSize});
        const Tensor out =
            m_b.add(OperatorKind::Attention, named("attn"), {q, k, v}, AttentionAttributes{g, 0, false});
        return reshape(named("attn.rows"), out, {rows(), h * m_c.headSize});
    }
    if (m_o.batch > 1)
        q = byHead("attn.q", q, h, tokens);
    if (window > 0 && past + tokens > window && tokens > 1)
        return attendInWindows(q, k, v, past);
    const Tensor out = m_b.add(OperatorKind::Attention, named("attn"), {q, k, v},
                               AttentionAttributes{h, g == h ? 0 : g, m_c.causal});
    return byToken("attn", out);
}

/// Attention with a sliding window: splits the queries into stretches, each with the keys that its windows
/// reach.
LlmBuilder::Tensor LlmBuilder::attendInWindows(Tensor q, Tensor k, Tensor v, std::int64_t past)
{
    const std::int64_t tokens = m_o.computed(), window = m_layer->window;
    const std::int64_t stretch = std::max(window, ceilDiv(tokens, kMostWindows));
    const auto axisOf = [&](Tensor t) { return shape(t).size() == 2 ? std::int64_t{0} : std::int64_t{2}; };
    std::vector<Tensor> parts;
    for (std::int64_t from = 0; from < tokens; from += stretch) {
        const std::int64_t to = std::min(tokens, from + stretch);
        const std::int64_t first = std::max<std::int64_t>(0, past + from - (window - 1));
        const std::string name = "attn.window." + std::to_string(parts.size());
        const Tensor queries = slice(named(name + ".q"), q, axisOf(q), from, to);
        const Tensor keys = slice(named(name + ".k"), k, axisOf(k), first, past + to);
        const Tensor values = slice(named(name + ".v"), v, axisOf(v), first, past + to);
        parts.push_back(
            m_b.add(OperatorKind::Attention, named(name), {queries, keys, values},
                    AttentionAttributes{m_c.heads, m_c.kvHeads == m_c.heads ? 0 : m_c.kvHeads, true}));
    }
    const std::int64_t axis = axisOf(parts.front());
    return byToken("attn", concat(named("attn.windows"), std::move(parts), axis));
}

} // namespace tilewright::llm
