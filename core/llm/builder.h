// SPDX-License-Identifier: GPL-3.0-or-later
// The state of one llmModel(), shared by the files that build the parts of a layer.
#pragma once

#include "llm/model.h"

#include <map>
#include <utility>

namespace tilewright::llm {

class LlmBuilder
{
public:
    LlmBuilder(const LlmConfig& config, const LlmOptions& options);
    Result<LlmModel> run();

private:
    using Tensor = ModelTensorId;

    // Functions of model.cpp:
    Tensor embedding();
    Tensor images();
    Tensor layer(std::size_t i, Tensor x);
    void head(Tensor x);
    Tensor lastTokens(Tensor x);
    Tensor norm(const std::string& name, Tensor x);
    Tensor norm(const std::string& name, Tensor x, LlmNorm kind, std::int64_t width);
    Tensor add(const std::string& name, Tensor a, Tensor b) { return m_b.elementwise("add", name, {a, b}); }
    /// Adds a product of `x` with the weight matrix `name` of the current layer.
    Tensor linear(const std::string& name, Tensor x);
    Tensor linear(const std::string& name, Tensor x, const LlmMatrix& matrix, std::int64_t bits);
    /// Returns `x` converted to an operand of quantised weights.
    Tensor quantised(Tensor x);
    [[nodiscard]] std::size_t indexOf(const std::string& name) const;
    [[nodiscard]] const LlmMatrix* find(const std::string& name) const;
    [[nodiscard]] std::string named(const std::string& name) const { return m_prefix + name; }
    /// Prefix of all names of a layer.
    [[nodiscard]] std::string prefixOf(std::size_t layer) const
    {
        return "layers." + std::to_string(layer + static_cast<std::size_t>(m_c.firstLayer)) + ".";
    }
    Tensor slice(const std::string& name, Tensor x, std::int64_t axis, std::int64_t from, std::int64_t to);
    Tensor transpose(const std::string& name, Tensor x, std::vector<std::int64_t> permutation);
    Tensor reshape(const std::string& name, Tensor x, model::Shape shape);
    Tensor concat(const std::string& name, std::vector<Tensor> parts, std::int64_t axis);
    std::vector<Tensor> split(const std::string& name, Tensor x, const std::vector<std::int64_t>& columns);
    [[nodiscard]] const model::Shape& shape(Tensor t) const { return m_b.shape(t); }
    /// Sets the width of a tensor in 1/1024 bit; 0 = that of the machine's elements.
    void setBits(Tensor t, std::int64_t bits);
    [[nodiscard]] std::int64_t rows() const noexcept { return m_o.batch * m_o.computed(); }

    // Functions of attention.cpp:
    Tensor attention(Tensor x);
    Tensor headNorm(const std::string& name, Tensor x, std::int64_t heads);
    Tensor turned(const std::string& name, Tensor x, std::int64_t size);
    /// Rearranges [rows, heads * size] as [batch, heads, tokens, size].
    Tensor byHead(const std::string& name, Tensor x, std::int64_t heads, std::int64_t tokens);
    /// Rearranges [batch, heads, tokens, size] as [rows, heads * size].
    Tensor byToken(const std::string& name, Tensor x);
    Tensor append(const std::string& name, Tensor fresh, std::int64_t heads, std::int64_t size,
                  std::int64_t past);
    Tensor attend(Tensor q, Tensor k, Tensor v, std::int64_t past);
    Tensor attendInWindows(Tensor q, Tensor k, Tensor v, std::int64_t past);
    Tensor latentAttention(Tensor x);
    Tensor latentPrefill(Tensor q, Tensor latent, Tensor rope);
    Tensor latentDecode(Tensor q, Tensor latent, Tensor rope);
    void indexer(Tensor x, Tensor queries);
    /// The keys (or values) of the cache that a query reads.
    Tensor chosen(const std::string& name, Tensor cache);
    [[nodiscard]] std::int64_t pastOf(std::int64_t window) const noexcept;

    // Functions of feed_forward.cpp:
    Tensor feedForward(const std::string& name, Tensor x);
    Tensor feedForward(const std::string& name, const std::string& matrices, Tensor x);
    Tensor experts(Tensor x);

    const LlmConfig& m_c;
    const LlmOptions& m_o;
    model::ModelBuilder m_b;
    std::vector<std::pair<Tensor, std::int64_t>> m_bits;
    std::map<Tensor, Tensor> m_quantised;
    std::string m_prefix; ///< prefix of names in the current layer: "layers.0."
    const LlmLayer* m_layer = nullptr;
    std::vector<LlmMatrix> m_matrices;
    std::vector<LlmRange> m_ranges;
};

} // namespace tilewright::llm
