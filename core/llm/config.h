// SPDX-License-Identifier: GPL-3.0-or-later
// Language models as their config.json describes them: one vocabulary for all families (docs/rules/llm.md).
#pragma once

#include "base/result.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright::llm {

/// Widths are in 1/1024 bit, as model::Tensor::bits.
inline constexpr std::int64_t kBit = 1024;
/// True for a width of floats, which take the machine's element (docs/rules/llm.md 7); others hold on
/// every machine.
[[nodiscard]] constexpr bool isFloatWidth(std::int64_t bits) noexcept
{
    return bits >= 16 * kBit;
}

enum class LlmNorm : std::uint8_t { Rms, Layer };

/// Routed and shared experts of a layer.
struct LlmExperts
{
    std::int64_t count = 0;    ///< routed experts
    std::int64_t perToken = 0; ///< routed experts that a token is sent to
    std::int64_t size = 0;     ///< inner width of one
    std::int64_t shared = 0;   ///< inner width of all shared experts together; 0: none
    bool sharedGate = false;   ///< the shared experts have a gate of their own
    bool biased = false;       ///< router and experts have biases
    bool corrected = false;    ///< the router adds a correction to each expert before it chooses
    std::int64_t chips = 1;    ///< chips that share the routed experts (docs/rules/llm.md 8.5)
    std::int64_t skew = 0;     ///< exponent of the tokens an expert gets, in 1/1000 (docs/rules/llm.md 6.3)
    bool operator==(const LlmExperts&) const = default;
};

/// Latent attention: queries and the cache are products of a small rank (MLA).
struct LlmLatent
{
    std::int64_t queryRank = 0; ///< 0: queries are computed directly
    std::int64_t cacheRank = 0; ///< elements a token and layer that the cache holds, beside `rope`
    std::int64_t nope = 0;      ///< part of a head without positions
    std::int64_t rope = 0;      ///< part of a head with positions, in the keys the same for all heads
    std::int64_t value = 0;     ///< size of a head of the values
    bool operator==(const LlmLatent&) const = default;
};

/// Sparse attention: an indexer chooses the keys that a query reads.
struct LlmIndexer
{
    std::int64_t heads = 0, headSize = 0;
    std::int64_t keys = 0; ///< most keys that a query reads
    bool operator==(const LlmIndexer&) const = default;
};

/// Properties of one layer; layers that compare equal are repetitions of the same block.
struct LlmLayer
{
    bool sparse = false;            ///< the feed forward is routed experts
    std::int64_t window = 0;        ///< keys that a query reads at most; 0: all
    std::vector<std::int64_t> bits; ///< bits of a weight, in the order of matricesOf()
    bool operator==(const LlmLayer&) const = default;
};

/// A vision transformer's images; `size` 0: the model has none.
struct LlmImages
{
    std::int64_t size = 0, patch = 0, channels = 0, classes = 0;
    bool operator==(const LlmImages&) const = default;
    [[nodiscard]] std::int64_t patches() const noexcept
    {
        return patch > 0 ? (size / patch) * (size / patch) : 0;
    }
};

/// A language model without weights: every size follows from its configuration.
struct LlmConfig
{
    std::string name;   ///< name of the file, for people: "llama-3.1-8b"
    std::string family; ///< `model_type`: "llama"
    std::string file;   ///< name of the file, for messages

    std::int64_t hidden = 0, heads = 0;
    std::int64_t kvHeads = 0;  ///< heads of keys and values
    std::int64_t headSize = 0; ///< size of a head of queries and keys; of values too, unless `latent`
    std::int64_t feedForward = 0;
    std::int64_t vocabulary = 0; ///< 0: no words (images)
    std::vector<LlmLayer> layers;
    std::int64_t firstLayer = 0; ///< number in the file of the first of `layers`; of a stage (stageOf())
    bool hasEmbedding = true;    ///< false: a stage that gets its rows from the stage before
    bool hasHead = true;         ///< false: a stage that hands its rows to the next one

    bool gated = true;        ///< the feed forward is three matrices, not two
    std::string activation;   ///< "silu", "gelu"
    bool fusedQkv = false;    ///< one matrix for queries, keys and values
    bool fusedGateUp = false; ///< one matrix for gate and up
    bool tied = false;        ///< the head is the embedding
    bool qkvBias = false, outBias = false, mlpBias = false, headBias = false;
    bool sinks = false; ///< each head has a learned sink
    LlmNorm norm = LlmNorm::Rms;
    std::int64_t layerNorms = 2; ///< norms of a layer over the hidden size
    bool normsAfter = false;     ///< a norm follows each branch (4 norms), or each sum (BERT)
    bool finalNorm = true;
    bool parallel = false;       ///< attention and feed forward read the same input, and are added together
    bool qkNorm = false;         ///< norms of queries and keys over a head
    std::int64_t rotary = 0;     ///< elements of a head that are turned; 0: none
    std::int64_t positions = 0;  ///< rows of a table of learned positions; 0: none
    std::int64_t tokenTypes = 0; ///< rows of a table of token types (BERT)
    bool pooler = false;
    bool causal = true;             ///< a token sees those before it; else all, and there is no cache
    std::int64_t mostPositions = 0; ///< longest context of the file; 0: not given
    std::int64_t extraLayers = 0;   ///< layers that predict further tokens (MTP), not part of the model
    std::optional<LlmExperts> experts;
    std::optional<LlmLatent> latent;
    std::optional<LlmIndexer> indexer;
    LlmImages images;

    bool hasType = false;                 ///< the file names the type of its values (dtype, torch_dtype)
    std::int64_t elementBits = 16 * kBit; ///< width of values that are not quantised
    std::int64_t embeddingBits = 16 * kBit;
    std::int64_t headBits = 16 * kBit;
    std::int64_t activationBits = 16 * kBit; ///< width of the operands of quantised weights
    std::int64_t kvBits = 16 * kBit;
    std::string quantisation;       ///< "fp8", "nvfp4"; empty: none
    std::vector<std::string> notes; ///< notes on parts of the file that the model does not use

    bool operator==(const LlmConfig&) const = default;
    /// Elements of a token in the cache of one layer.
    [[nodiscard]] std::int64_t cacheElements() const noexcept;
    /// Width of the result of attention: heads times the size of a value.
    [[nodiscard]] std::int64_t contextSize() const noexcept;
};

/// Parts of a model that figures are given for.
enum class LlmPart : std::uint8_t { Attention, Mlp, Experts, Norm, Embedding, Head };
inline constexpr std::size_t kLlmParts = 6;
[[nodiscard]] std::string_view toString(LlmPart part) noexcept; ///< "attention", "mlp", "experts" ...

/// A matrix of weights of a layer.
struct LlmMatrix
{
    std::string name;   ///< name of the operator in its layer: "attn.q"
    std::string module; ///< name in the checkpoint, by which a quantisation names it: "self_attn.q_proj"
    LlmPart part = LlmPart::Attention;
    std::int64_t rows = 0, columns = 0; ///< inputs and outputs
    std::int64_t count = 1;             ///< routed experts
    bool biased = false;
    bool router = false; ///< stays at the width of the elements
    bool routed = false; ///< true for routed experts, of which a token meets some

    [[nodiscard]] std::int64_t weights() const; ///< weights of all `count`, without biases
    [[nodiscard]] std::int64_t biases() const { return biased ? columns * count : 0; }
};
/// The matrices of a layer in the order in which they are used. Everything else of a layer is
/// otherParametersOf().
[[nodiscard]] std::vector<LlmMatrix> matricesOf(const LlmConfig& config, const LlmLayer& layer);
/// Parameters of a layer that are in no matrix: norms, sinks, corrections of the router.
[[nodiscard]] std::int64_t otherParametersOf(const LlmConfig& config, const LlmLayer& layer);

/// Equal layers.
struct LlmBlock
{
    std::size_t layer = 0; ///< number of the first layer
    std::int64_t count = 1;
};
/// The kinds of layers, in the order of their first.
[[nodiscard]] std::vector<LlmBlock> blocksOf(const LlmConfig& config);

/// Reads the text of a config.json; `quantText` is that of the hf_quant_config.json beside it, if there is
/// one. The Error names the field, or the family that is not known and what would be needed to add it.
[[nodiscard]] Result<LlmConfig> readLlmConfig(std::string_view text, const std::string& file,
                                              std::optional<std::string_view> quantText = {},
                                              const std::string& quantFile = {});
/// The names of families that readLlmConfig() takes ("llama", "mistral" ...).
[[nodiscard]] std::span<const std::string_view> llmFamilies();

} // namespace tilewright::llm
