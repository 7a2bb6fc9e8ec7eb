// SPDX-License-Identifier: GPL-3.0-or-later
#include "llm/work.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace tilewright::llm {

namespace {

class Worker
{
public:
    Worker(const LlmConfig& config, const LlmOptions& options, std::int64_t elementBits)
        : m_c(config), m_o(options), m_element(elementBits),
          m_rows(static_cast<double>(options.batch * options.computed()))
    {
    }

    LlmWork run()
    {
        for (const LlmBlock& block : blocksOf(m_c))
            addLayer(m_c.layers[block.layer], static_cast<double>(block.count));
        if (m_c.hasEmbedding)
            addEmbedding();
        if (m_c.hasHead)
            addHead();
        m_out.writtenBytes = m_rows * bytes(static_cast<double>(m_c.cacheElements()), m_c.kvBits) *
                             static_cast<double>(m_c.layers.size());
        return m_out;
    }

private:
    /// Width on the machine of data that has the width `bits` in the file.
    [[nodiscard]] std::int64_t width(std::int64_t bits) const
    {
        return isFloatWidth(bits) ? m_element : bits;
    }
    [[nodiscard]] double bytes(double elements, std::int64_t bits) const
    {
        return elements * static_cast<double>(width(bits)) / (8.0 * static_cast<double>(kBit));
    }
    void multiply(LlmPart part, double macs, std::int64_t bits, std::int64_t otherBits)
    {
        m_out.macs[static_cast<std::size_t>(part)] += macs;
        bits = width(bits), otherBits = width(otherBits);
        for (LlmProducts& p : m_out.products)
            if (p.bits == bits && p.otherBits == otherBits) {
                p.macs += macs;
                return;
            }
        m_out.products.push_back({bits, otherBits, macs});
    }
    void read(LlmPart part, double bytesRead)
    {
        m_out.readBytes[static_cast<std::size_t>(part)] += bytesRead;
    }

    void addLayer(const LlmLayer& layer, double count)
    {
        const auto matrices = matricesOf(m_c, layer);
        const auto reached = layer.sparse && m_c.experts ? reachedExperts() : std::pair(0.0, 0.0);
        for (std::size_t i = 0; i < matrices.size(); ++i) {
            const LlmMatrix& m = matrices[i];
            const double one = static_cast<double>(m.rows) * static_cast<double>(m.columns);
            double met = m_rows, held = 1;
            if (m.routed) {
                met = reached.second;
                held = reached.first;
            } else if (m.name == "attn.kv_b" && m_o.phase == LlmPhase::Chunked) {
                met = static_cast<double>(m_o.batch * m_o.keys());
            }
            const std::int64_t bits = layer.bits[i];
            multiply(m.part, count * met * one, isFloatWidth(bits) ? bits : m_c.activationBits, bits);
            read(m.part, count * held * bytes(one, bits));
        }
        read(LlmPart::Norm,
             count * bytes(static_cast<double>(otherParametersOf(m_c, layer)), m_c.elementBits));
        addAttention(layer, count);
    }

    /// Number of experts of a layer that receive tokens, and number of rows of all of them together.
    [[nodiscard]] std::pair<double, double> reachedExperts() const
    {
        const auto tokens = expertTokens(*m_c.experts, m_o.batch * m_o.computed());
        return {static_cast<double>(tokens.size()), std::accumulate(tokens.begin(), tokens.end(), 0.0)};
    }

    void addAttention(const LlmLayer& layer, double count)
    {
        const auto batch = static_cast<double>(m_o.batch), heads = static_cast<double>(m_c.heads);
        double size = 2 * static_cast<double>(m_c.headSize);
        double pairs = visiblePairs(m_o.computed(), m_o.cached, layer.window, m_c.causal);
        double cached =
            static_cast<double>(layer.window > 0 ? std::min(m_o.cached, layer.window - 1) : m_o.cached);
        double held = cached * static_cast<double>(m_c.cacheElements());
        if (const auto& l = m_c.latent) {
            size = static_cast<double>(m_o.phase == LlmPhase::Decode ? 2 * l->cacheRank + l->rope
                                                                     : l->nope + l->rope + l->value);
            if (const auto& i = m_c.indexer) {
                multiply(LlmPart::Attention,
                         count * batch * pairs * static_cast<double>(i->heads * i->headSize), m_c.elementBits,
                         m_c.kvBits);
                pairs = std::min(pairs, static_cast<double>(m_o.computed() * i->keys));
                cached = std::min(cached, static_cast<double>(i->keys));
                held = static_cast<double>(m_o.cached * i->headSize) +
                       cached * static_cast<double>(l->cacheRank + l->rope);
            }
        }
        multiply(LlmPart::Attention, count * batch * heads * pairs * size, m_c.elementBits, m_c.kvBits);
        read(LlmPart::Attention, count * batch * bytes(held, m_c.kvBits));
    }

    void addEmbedding()
    {
        const auto d = static_cast<double>(m_c.hidden), batch = static_cast<double>(m_o.batch);
        if (m_c.images.patch > 0) {
            const auto patch = static_cast<double>(m_c.images.patch * m_c.images.patch * m_c.images.channels);
            multiply(LlmPart::Embedding, batch * static_cast<double>(m_c.images.patches()) * patch * d,
                     m_c.elementBits, m_c.elementBits);
            read(LlmPart::Embedding, bytes(patch * d, m_c.elementBits));
        } else {
            read(LlmPart::Embedding, bytes(m_rows * d, m_c.embeddingBits));
        }
    }

    void addHead()
    {
        const auto d = static_cast<double>(m_c.hidden), batch = static_cast<double>(m_o.batch);
        read(LlmPart::Norm, bytes(d, m_c.elementBits));
        const double words = static_cast<double>(m_c.causal             ? m_c.vocabulary
                                                 : m_c.images.patch > 0 ? m_c.images.classes
                                                 : m_c.pooler           ? m_c.hidden
                                                                        : 0);
        const std::int64_t bits = m_c.tied && m_c.causal ? m_c.embeddingBits : m_c.headBits;
        multiply(LlmPart::Head, (m_o.phase == LlmPhase::Decode ? m_rows : batch) * words * d,
                 isFloatWidth(bits) ? bits : m_c.activationBits, bits);
        read(LlmPart::Head, bytes(words * d, bits));
    }

    const LlmConfig& m_c;
    const LlmOptions& m_o;
    std::int64_t m_element;
    double m_rows;
    LlmWork m_out;
};

} // namespace

double LlmWork::totalMacs() const noexcept
{
    return std::accumulate(macs.begin(), macs.end(), 0.0);
}

double LlmWork::totalRead() const noexcept
{
    return std::accumulate(readBytes.begin(), readBytes.end(), 0.0);
}

LlmWork llmWork(const LlmConfig& config, const LlmOptions& options, std::int64_t elementBits)
{
    return Worker(config, options, elementBits).run();
}

double visiblePairs(std::int64_t tokens, std::int64_t cached, std::int64_t window, bool causal)
{
    const auto t = static_cast<double>(tokens), c = static_cast<double>(cached);
    if (!causal)
        return t * (c + t);
    if (window <= 0)
        return t * c + t * (t + 1) / 2;
    // The first queries attend to fewer keys than the window holds.
    const auto w = static_cast<double>(window);
    const double growing = std::clamp(w - c, 0.0, t);
    return growing * c + growing * (growing + 1) / 2 + (t - growing) * w;
}

std::optional<std::int64_t> longestContext(const LlmConfig& config, std::int64_t batch, double bytes)
{
    constexpr std::int64_t kMost = std::int64_t{1} << 40;
    const auto fits = [&](std::int64_t tokens) {
        return static_cast<double>(batch) * kvBytes(config, tokens) <= bytes;
    };
    if (fits(kMost))
        return std::nullopt;
    std::int64_t low = 0, high = kMost; // `low` tokens fit, `high` tokens do not
    if (!fits(0))
        return 0;
    while (high - low > 1) {
        const std::int64_t middle = low + (high - low) / 2;
        (fits(middle) ? low : high) = middle;
    }
    return low;
}

} // namespace tilewright::llm
