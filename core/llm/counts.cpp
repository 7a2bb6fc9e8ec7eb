// SPDX-License-Identifier: GPL-3.0-or-later
#include "llm/counts.h"

#include "base/integer.h"

#include <algorithm>

namespace tilewright::llm {

namespace {

double bytesOf(std::int64_t elements, std::int64_t bits)
{
    return static_cast<double>(elements) * static_cast<double>(bits) / (8.0 * static_cast<double>(kBit));
}

class Counter
{
public:
    explicit Counter(const LlmConfig& config) : m_c(config) {}

    LlmCounts run()
    {
        for (const LlmBlock& block : blocksOf(m_c))
            addLayers(m_c.layers[block.layer], block.count);
        if (m_c.hasEmbedding)
            addEmbedding();
        if (m_c.hasHead)
            addHead();
        m_out.active = saturatingAdd(m_out.total, -m_inactive);
        for (const double bytes : m_out.bytes)
            m_out.weightBytes += bytes;
        m_out.kvBytesPerToken = bytesOf(
            saturatingMul(m_c.cacheElements(), static_cast<std::int64_t>(m_c.layers.size())), m_c.kvBits);
        return m_out;
    }

private:
    void add(LlmPart part, std::int64_t parameters, std::int64_t bits)
    {
        const auto p = static_cast<std::size_t>(part);
        m_out.parameters[p] = saturatingAdd(m_out.parameters[p], parameters);
        m_out.total = saturatingAdd(m_out.total, parameters);
        m_out.bytes[p] += bytesOf(parameters, bits);
    }
    [[nodiscard]] std::int64_t normed() const noexcept
    {
        return m_c.norm == LlmNorm::Layer ? 2 * m_c.hidden : m_c.hidden;
    }
    void addEmbedding()
    {
        const std::int64_t d = m_c.hidden;
        add(LlmPart::Embedding, saturatingMul(m_c.vocabulary, d), m_c.embeddingBits);
        add(LlmPart::Embedding, saturatingMul(m_c.positions + m_c.tokenTypes, d), m_c.embeddingBits);
        if (m_c.tokenTypes > 0) // the embeddings also have a norm
            add(LlmPart::Norm, normed(), m_c.elementBits);
        if (m_c.images.patch > 0) {
            const LlmImages& i = m_c.images;
            const std::int64_t patch = saturatingMul(saturatingMul(i.patch, i.patch), i.channels);
            // Matrix, bias and class token.
            add(LlmPart::Embedding, saturatingMul(patch, d) + 2 * d, m_c.elementBits);
        }
    }
    void addHead()
    {
        const std::int64_t d = m_c.hidden;
        if (m_c.finalNorm)
            add(LlmPart::Norm, normed(), m_c.elementBits);
        if (m_c.pooler)
            add(LlmPart::Head, saturatingMul(d, d) + d, m_c.elementBits);
        if (m_c.images.classes > 0)
            add(LlmPart::Head, saturatingMul(m_c.images.classes, d) + m_c.images.classes, m_c.elementBits);
        if (!m_c.causal || m_c.images.patch > 0)
            return;
        if (!m_c.tied)
            add(LlmPart::Head, saturatingMul(m_c.vocabulary, d), m_c.headBits);
        else if (!m_c.hasEmbedding) // the embedding is on another chip
            add(LlmPart::Head, saturatingMul(m_c.vocabulary, d), m_c.embeddingBits);
        if (m_c.headBias)
            add(LlmPart::Head, m_c.vocabulary, m_c.elementBits);
    }
    void addLayers(const LlmLayer& layer, std::int64_t count)
    {
        const auto matrices = matricesOf(m_c, layer);
        for (std::size_t i = 0; i < matrices.size(); ++i) {
            const LlmMatrix& m = matrices[i];
            add(m.part, saturatingMul(m.weights(), count), layer.bits[i]);
            add(m.part, saturatingMul(m.biases(), count), m_c.elementBits);
            if (m.routed) {
                const std::int64_t one = saturatingMul(m.rows, m.columns) + (m.biased ? m.columns : 0);
                const std::int64_t idle = std::max<std::int64_t>(0, m.count - m_c.experts->perToken);
                m_inactive = saturatingAdd(m_inactive, saturatingMul(saturatingMul(one, idle), count));
            }
        }
        add(LlmPart::Norm, saturatingMul(otherParametersOf(m_c, layer), count), m_c.elementBits);
    }

    const LlmConfig& m_c;
    LlmCounts m_out;
    std::int64_t m_inactive = 0;
};

} // namespace

LlmCounts llmCounts(const LlmConfig& config)
{
    return Counter(config).run();
}

LlmConfig atWidth(LlmConfig config, std::int64_t elementBits)
{
    const auto change = [&](std::int64_t& bits) {
        if (isFloatWidth(bits))
            bits = elementBits;
    };
    for (std::int64_t* bits : {&config.elementBits, &config.embeddingBits, &config.headBits,
                               &config.activationBits, &config.kvBits})
        change(*bits);
    for (LlmLayer& layer : config.layers)
        std::ranges::for_each(layer.bits, change);
    return config;
}

double kvBytes(const LlmConfig& config, std::int64_t tokens)
{
    double out = 0;
    for (const LlmLayer& layer : config.layers) {
        const std::int64_t held = layer.window > 0 ? std::min(tokens, layer.window) : tokens;
        out += bytesOf(saturatingMul(config.cacheElements(), held), config.kvBits);
    }
    return out;
}

} // namespace tilewright::llm
