// SPDX-License-Identifier: GPL-3.0-or-later
#include "llm/model.h"

#include "llm/builder.h"
#include "llm/shards.h"

#include <algorithm>
#include <cmath>

namespace tilewright::llm {

using model::OperatorKind;
using model::Shape;

namespace {

std::vector<std::size_t> layersOf(const LlmConfig& config, std::int64_t layers)
{
    std::vector<std::size_t> out;
    if (layers == kEachKind) {
        for (const LlmBlock& block : blocksOf(config))
            out.push_back(block.layer);
        return out;
    }
    const std::size_t all = config.layers.size();
    out.resize(layers == kAllLayers ? all : std::min(all, static_cast<std::size_t>(layers)));
    for (std::size_t i = 0; i < out.size(); ++i)
        out[i] = i;
    return out;
}

} // namespace

std::int64_t LlmScope::countOf(OperatorId op) const noexcept
{
    for (const LlmRange& range : ranges)
        if (op.index() >= range.first && op.index() < range.end)
            return range.count;
    return 1;
}

Result<LlmModel> llmModel(const LlmConfig& config, const LlmOptions& options)
{
    const auto o = resolved(config, options);
    if (!o)
        return o.error();
    LlmConfig whole = withOptions(config, *o);
    const LlmConfig c = stageOf(shardOf(whole, o->chips, o->expertChips), o->stages, o->stages - 1);
    auto out = LlmBuilder(c, *o).run();
    if (out)
        out->whole = std::move(whole);
    return out;
}

LlmBuilder::LlmBuilder(const LlmConfig& config, const LlmOptions& options)
    : m_c(config), m_o(options), m_b(config.name, static_cast<int>(config.elementBits / kBit / 8))
{
}

Result<LlmModel> LlmBuilder::run()
{
    Tensor x = !m_c.hasEmbedding      ? m_b.input("hidden", {rows(), m_c.hidden})
               : m_c.images.patch > 0 ? images()
                                      : embedding();
    const auto layers = layersOf(m_c, m_o.layers);
    for (const std::size_t i : layers)
        x = layer(i, x);
    if (m_c.hasHead)
        head(x);
    auto built = std::move(m_b).build();
    if (!built)
        return built.error();
    for (const auto& [t, bits] : m_bits)
        built->tensors[t].bits = bits;
    built->file = m_c.file;
    LlmModel out{{m_c, m_o, {}, {}}, std::move(*built)};
    const auto blocks = blocksOf(m_c);
    std::size_t at = 0;
    for (const std::size_t i : layers) {
        const std::string prefix = prefixOf(i);
        const auto& operators = out.model.operators;
        const auto isOfLayer = [&](std::size_t op) {
            return operators[OperatorId(op)].name.starts_with(prefix);
        };
        while (at < operators.size() && !isOfLayer(at))
            ++at;
        LlmRange range{at, at, i + static_cast<std::size_t>(m_c.firstLayer), 1};
        while (range.end < operators.size() && isOfLayer(range.end))
            ++range.end;
        at = range.end;
        // The first layer of a kind stands for the layers of this kind that are left out.
        const auto same = [&](std::size_t j) { return m_c.layers[j] == m_c.layers[i]; };
        const bool isFirst =
            std::none_of(layers.begin(), layers.end(), [&](std::size_t j) { return j < i && same(j); });
        for (const LlmBlock& block : blocks)
            if (isFirst && same(block.layer))
                range.count = block.count - std::count_if(layers.begin(), layers.end(), same) + 1;
        out.ranges.push_back(range);
    }
    return out;
}

void LlmBuilder::setBits(Tensor t, std::int64_t bits)
{
    if (!isFloatWidth(bits))
        m_bits.emplace_back(t, bits);
}

std::size_t LlmBuilder::indexOf(const std::string& name) const
{
    return static_cast<std::size_t>(std::find_if(m_matrices.begin(), m_matrices.end(),
                                                 [&](const LlmMatrix& m) { return m.name == name; }) -
                                    m_matrices.begin());
}

const LlmMatrix* LlmBuilder::find(const std::string& name) const
{
    const std::size_t i = indexOf(name);
    return i < m_matrices.size() ? &m_matrices[i] : nullptr;
}

LlmBuilder::Tensor LlmBuilder::linear(const std::string& name, Tensor x)
{
    return linear(named(name), x, *find(name), m_layer->bits[indexOf(name)]);
}

LlmBuilder::Tensor LlmBuilder::linear(const std::string& name, Tensor x, const LlmMatrix& m,
                                      std::int64_t bits)
{
    const bool narrow = !isFloatWidth(bits) && !isFloatWidth(m_c.activationBits);
    std::vector<Tensor> in{narrow ? quantised(x) : x, m_b.constant(name + ".weight", {m.rows, m.columns})};
    setBits(in[1], bits);
    if (m.biased)
        in.push_back(m_b.constant(name + ".bias", {m.columns}));
    return m_b.add(OperatorKind::MatMul, name, std::move(in));
}

LlmBuilder::Tensor LlmBuilder::quantised(Tensor x)
{
    const auto [it, isNew] = m_quantised.emplace(x, x);
    if (isNew) {
        it->second = m_b.elementwise("quantise", named("quantised." + std::to_string(x.index())), {x});
        setBits(it->second, m_c.activationBits);
    }
    return it->second;
}

LlmBuilder::Tensor LlmBuilder::norm(const std::string& name, Tensor x)
{
    return norm(name, x, m_c.norm, m_c.hidden);
}

LlmBuilder::Tensor LlmBuilder::norm(const std::string& name, Tensor x, LlmNorm kind, std::int64_t width)
{
    std::vector<Tensor> in{x, m_b.constant(name + ".gamma", {width})};
    if (kind == LlmNorm::Layer)
        in.push_back(m_b.constant(name + ".beta", {width}));
    return m_b.add(kind == LlmNorm::Layer ? OperatorKind::LayerNorm : OperatorKind::RmsNorm, name,
                   std::move(in));
}

LlmBuilder::Tensor LlmBuilder::slice(const std::string& name, Tensor x, std::int64_t axis, std::int64_t from,
                                     std::int64_t to)
{
    if (from == 0 && to == shape(x)[static_cast<std::size_t>(axis)])
        return x;
    return m_b.add(OperatorKind::Slice, name, {x}, model::SliceAttributes{{axis}, {from}, {to}, {}});
}

LlmBuilder::Tensor LlmBuilder::transpose(const std::string& name, Tensor x,
                                         std::vector<std::int64_t> permutation)
{
    return m_b.add(OperatorKind::Transpose, name, {x}, model::TransposeAttributes{std::move(permutation)});
}

LlmBuilder::Tensor LlmBuilder::reshape(const std::string& name, Tensor x, Shape to)
{
    return shape(x) == to ? x : m_b.reshape(name, x, std::move(to));
}

LlmBuilder::Tensor LlmBuilder::concat(const std::string& name, std::vector<Tensor> parts, std::int64_t axis)
{
    if (parts.size() == 1)
        return parts.front();
    return m_b.add(OperatorKind::Concat, name, std::move(parts), model::AxisAttributes{axis, {}});
}

std::vector<LlmBuilder::Tensor> LlmBuilder::split(const std::string& name, Tensor x,
                                                  const std::vector<std::int64_t>& columns)
{
    const std::size_t count = columns.size();
    const auto axis = static_cast<std::int64_t>(shape(x).size()) - 1;
    const Tensor first = m_b.add(OperatorKind::Split, name, {x}, model::AxisAttributes{axis, columns});
    std::vector<Tensor> out;
    for (std::size_t i = 0; i < count; ++i)
        out.emplace_back(first.index() + i);
    return out;
}

LlmBuilder::Tensor LlmBuilder::embedding()
{
    const Tensor ids = m_b.input("tokens", {rows()});
    const Tensor table = m_b.constant("embedding.table", {m_c.vocabulary, m_c.hidden});
    setBits(table, m_c.embeddingBits);
    Tensor x = m_b.add(OperatorKind::Gather, "embedding", {table, ids}, model::AxisAttributes{});
    if (m_c.positions > 0) {
        x = reshape("embedding.sequences", x, {m_o.batch, m_o.computed(), m_c.hidden});
        x = add("positions", x, m_b.constant("positions.table", {m_o.computed(), m_c.hidden}));
        x = reshape("embedding.rows", x, {rows(), m_c.hidden});
    }
    return m_c.tokenTypes > 0 ? norm("embedding.norm", x) : x;
}

LlmBuilder::Tensor LlmBuilder::images()
{
    const LlmImages& i = m_c.images;
    const std::int64_t patch = i.patch * i.patch * i.channels;
    LlmMatrix m;
    m.rows = patch;
    m.columns = m_c.hidden;
    m.biased = true;
    const Tensor patches = m_b.input("patches", {m_o.batch * i.patches(), patch});
    Tensor x = linear("embedding", patches, m, m_c.elementBits);
    x = reshape("embedding.images", x, {m_o.batch, i.patches(), m_c.hidden});
    const Tensor token = m_b.input("class_token", {m_o.batch, 1, m_c.hidden});
    x = concat("embedding.tokens", {token, x}, 1);
    x = add("positions", x, m_b.constant("positions.table", {m_c.positions, m_c.hidden}));
    return reshape("embedding.rows", x, {rows(), m_c.hidden});
}

LlmBuilder::Tensor LlmBuilder::layer(std::size_t i, Tensor x)
{
    m_prefix = prefixOf(i);
    m_layer = &m_c.layers[i];
    m_matrices = matricesOf(m_c, *m_layer);
    const auto feed = [&](Tensor in) {
        return m_layer->sparse && m_c.experts ? experts(in) : feedForward("mlp.", in);
    };
    if (m_c.parallel) {
        const Tensor normed = norm(named("attn.norm"), x);
        const Tensor context = attention(normed);
        const Tensor other = m_c.layerNorms > 1 ? norm(named("mlp.norm"), x) : normed;
        return m_b.elementwise("add", named("add"), {context, feed(other), x}, 2);
    }
    if (m_c.normsAfter && m_c.layerNorms == 2) { // in this case, the norm follows the sum
        x = norm(named("attn.norm"), add(named("attn.add"), attention(x), x));
        return norm(named("mlp.norm"), add(named("mlp.add"), feed(x), x));
    }
    Tensor branch = attention(norm(named("attn.norm"), x));
    if (m_c.normsAfter)
        branch = norm(named("attn.norm_after"), branch);
    x = add(named("attn.add"), branch, x);
    branch = feed(norm(named("mlp.norm"), x));
    if (m_c.normsAfter)
        branch = norm(named("mlp.norm_after"), branch);
    return add(named("mlp.add"), branch, x);
}

LlmBuilder::Tensor LlmBuilder::lastTokens(Tensor x)
{
    const std::int64_t tokens = m_o.computed();
    if (m_o.phase == LlmPhase::Decode || tokens == 1)
        return x;
    // An encoder uses the first token, a decoder the last one.
    const std::int64_t at = m_c.causal ? tokens - 1 : 0;
    x = reshape("last.sequences", x, {m_o.batch, tokens, m_c.hidden});
    x = slice("last.tokens", x, 1, at, at + 1);
    return reshape("last", x, {m_o.batch, m_c.hidden});
}

void LlmBuilder::head(Tensor x)
{
    m_prefix.clear();
    LlmMatrix m;
    m.rows = m_c.hidden;
    m.columns = m_c.causal ? m_c.vocabulary : m_c.images.patch > 0 ? m_c.images.classes : m_c.hidden;
    m.biased = m_c.headBias || !m_c.causal;
    const bool hasHead = m_c.causal || m_c.pooler || m_c.images.classes > 0;
    if (hasHead)
        x = lastTokens(x);
    if (m_c.finalNorm)
        x = norm("norm", x);
    if (!hasHead)
        return;
    const bool tied = m_c.tied && m_c.causal;
    x = linear(m_c.causal   ? "lm_head"
               : m_c.pooler ? "pooler"
                            : "classifier",
               x, m, tied ? m_c.embeddingBits : m_c.headBits);
    if (m_c.pooler)
        m_b.elementwise("tanh", "pooler.tanh", {x}, 4);
}

} // namespace tilewright::llm
