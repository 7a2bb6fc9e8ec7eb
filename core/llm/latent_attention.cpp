// SPDX-License-Identifier: GPL-3.0-or-later
// Latent attention: whole keys in prefill, absorbed products in decode (docs/rules/llm.md 6.2).
#include "llm/builder.h"

#include <algorithm>

namespace tilewright::llm {

using model::AttentionAttributes;
using model::KvAttributes;
using model::OperatorKind;

LlmBuilder::Tensor LlmBuilder::latentAttention(Tensor x)
{
    const LlmLatent& m = *m_c.latent;
    Tensor ranked = x;
    if (m.queryRank > 0)
        ranked = norm(named("attn.q_a_norm"), linear("attn.q_a", x), LlmNorm::Rms, m.queryRank);
    Tensor q = linear(m.queryRank > 0 ? "attn.q_b" : "attn.q", ranked);
    q = turned("attn.q_rope", q, m.rope);
    const auto parts = split(named("attn.kv_split"), linear("attn.kv_a", x), {m.cacheRank, m.rope});
    const Tensor latent = norm(named("attn.kv_a_norm"), parts[0], LlmNorm::Rms, m.cacheRank);
    const Tensor rope = turned("attn.k_rope", parts[1], m.rope);
    if (m_c.indexer)
        indexer(x, ranked);
    const Tensor context =
        m_o.phase == LlmPhase::Decode ? latentDecode(q, latent, rope) : latentPrefill(q, latent, rope);
    return linear("attn.o", context);
}

/// Adds the indexer: a few small heads compute scores of all keys, by which keys are chosen.
void LlmBuilder::indexer(Tensor x, Tensor queries)
{
    const LlmIndexer& i = *m_c.indexer;
    const std::int64_t tokens = m_o.computed();
    Tensor q = linear("attn.indexer.q", queries), k = linear("attn.indexer.k", x);
    k = norm(named("attn.indexer.k_norm"), k, LlmNorm::Layer, i.headSize);
    k = reshape(named("attn.indexer.k.heads"), k, {m_o.batch, 1, tokens, i.headSize});
    if (m_o.cached > 0)
        k = append("attn.indexer.cache", k, 1, i.headSize, m_o.cached);
    k = transpose(named("attn.indexer.keys"), k, {0, 1, 3, 2});
    q = reshape(named("attn.indexer.q.heads"), q, {m_o.batch, 1, tokens * i.heads, i.headSize});
    Tensor scores = m_b.matmul(named("attn.indexer.scores"), q, k);
    scores = m_b.elementwise("relu", named("attn.indexer.relu"), {scores});
    scores = reshape(named("attn.indexer.by_token"), scores, {rows(), i.heads, m_o.keys()});
    const Tensor weights =
        reshape(named("attn.indexer.weights.rows"), linear("attn.indexer.weights", x), {rows(), 1, i.heads});
    m_b.matmul(named("attn.indexer.sum"), weights, scores);
}

LlmBuilder::Tensor LlmBuilder::chosen(const std::string& name, Tensor cache)
{
    const std::int64_t keys = m_o.keys();
    if (!m_c.indexer || m_c.indexer->keys >= keys)
        return cache;
    KvAttributes kv; // which keys are chosen depends on the input; only their number is known
    kv.range = {keys - m_c.indexer->keys, keys};
    return m_b.add(OperatorKind::KvLoad, named(name + ".chosen"), {cache}, kv);
}

LlmBuilder::Tensor LlmBuilder::latentPrefill(Tensor q, Tensor latent, Tensor rope)
{
    const LlmLatent& m = *m_c.latent;
    const std::int64_t h = m_c.heads, keys = m_o.keys();
    if (m_o.cached > 0) {
        Tensor fresh = concat(named("attn.cache.new"), {latent, rope}, 1);
        fresh =
            reshape(named("attn.cache.tokens"), fresh, {m_o.batch, 1, m_o.computed(), m.cacheRank + m.rope});
        Tensor cache = append("attn.cache", fresh, 1, m.cacheRank + m.rope, m_o.cached);
        cache = reshape(named("attn.cache.rows"), cache, {m_o.batch * keys, m.cacheRank + m.rope});
        latent = slice(named("attn.cache.latent"), cache, 1, 0, m.cacheRank);
        rope = slice(named("attn.cache.rope"), cache, 1, m.cacheRank, m.cacheRank + m.rope);
    }
    Tensor both = linear("attn.kv_b", latent);
    both = reshape(named("attn.kv_b.heads"), both, {m_o.batch, keys, h, m.nope + m.value});
    const auto parts = split(named("attn.kv_b_split"), both, {m.nope, m.value});
    rope = reshape(named("attn.k_rope.heads"), rope, {m_o.batch, keys, 1, m.rope});
    rope = m_b.add(OperatorKind::Expand, named("attn.k_rope.all"), {rope}, model::NoAttributes{},
                   {m_o.batch, keys, h, m.rope});
    Tensor k = transpose(named("attn.k"), concat(named("attn.k.parts"), {parts[0], rope}, 3), {0, 2, 1, 3});
    Tensor v = transpose(named("attn.v"), parts[1], {0, 2, 1, 3});
    k = chosen("attn.k", k);
    v = chosen("attn.v", v);
    const bool causal = shape(k)[2] >= m_o.computed();
    const Tensor out =
        m_b.add(OperatorKind::Attention, named("attn"), {byHead("attn.q", q, h, m_o.computed()), k, v},
                AttentionAttributes{h, 0, causal});
    return byToken("attn", out);
}

/// Attention of decode directly on the latent cache: the matrices that would compute keys and values from it
/// are multiplied with the queries and the result instead.
LlmBuilder::Tensor LlmBuilder::latentDecode(Tensor q, Tensor latent, Tensor rope)
{
    const LlmLatent& m = *m_c.latent;
    const std::int64_t h = m_c.heads, tokens = m_o.computed(), n = rows(), width = m.cacheRank + m.rope;
    const std::int64_t bits = m_layer->bits[indexOf("attn.kv_b")];
    const auto weight = [&](const std::string& name, std::int64_t in, std::int64_t out) {
        const Tensor t = m_b.constant(named(name + ".weight"), {h, in, out});
        setBits(t, bits);
        return t;
    };
    Tensor fresh = concat(named("attn.cache.new"), {latent, rope}, 1);
    fresh = reshape(named("attn.cache.tokens"), fresh, {m_o.batch, 1, tokens, width});
    const Tensor cache = chosen("attn.cache", append("attn.cache", fresh, 1, width, m_o.cached));
    q = reshape(named("attn.q.heads"), q, {n, h, m.nope + m.rope});
    Tensor plain = slice(named("attn.q.nope"), q, 2, 0, m.nope);
    plain = transpose(named("attn.q.nope.heads"), plain, {1, 0, 2});
    plain = m_b.matmul(named("attn.k_b"), plain, weight("attn.k_b", m.nope, m.cacheRank));
    plain = transpose(named("attn.k_b.tokens"), plain, {1, 0, 2});
    const Tensor turnedPart = slice(named("attn.q.rope"), q, 2, m.nope, m.nope + m.rope);
    Tensor queries = concat(named("attn.q.latent"), {plain, turnedPart}, 2);
    queries = reshape(named("attn.q.rows"), queries, {m_o.batch, 1, tokens * h, width});
    const Tensor values = slice(named("attn.cache.values"), cache, 3, 0, m.cacheRank);
    Tensor out = m_b.add(OperatorKind::Attention, named("attn"), {queries, cache, values},
                         AttentionAttributes{1, 0, false});
    out = reshape(named("attn.latent"), out, {n, h, m.cacheRank});
    out = transpose(named("attn.latent.heads"), out, {1, 0, 2});
    out = m_b.matmul(named("attn.v_b"), out, weight("attn.v_b", m.cacheRank, m.value));
    out = transpose(named("attn.v_b.tokens"), out, {1, 0, 2});
    return reshape(named("attn.rows"), out, {n, h * m.value});
}

} // namespace tilewright::llm
