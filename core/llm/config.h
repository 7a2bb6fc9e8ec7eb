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

/// Number of parts of a bit: widths are in 1/1024 bit, as in model::Tensor::bits.
inline constexpr std::int64_t kBit = 1024;
/// True for a width of floats, which are converted to the machine's element (docs/rules/llm.md 7). Other
/// widths are the same on every machine.
[[nodiscard]] constexpr bool isFloatWidth(std::int64_t bits) noexcept
{
    return bits >= 16 * kBit;
}

enum class LlmNorm : std::uint8_t { Rms, Layer };

/// The routed and shared experts of a layer.
struct LlmExperts
{
    std::int64_t count = 0;    ///< number of routed experts
    std::int64_t perToken = 0; ///< number of routed experts to which a token is sent
    std::int64_t size = 0;     ///< inner width of one routed expert
    std::int64_t shared = 0;   ///< inner width of all shared experts together; 0: none
    bool sharedGate = false;   ///< true if the shared experts have a gate of their own
    bool biased = false;       ///< true if router and experts have biases
    /// True if the router adds a correction to the score of each expert before it chooses.
    bool corrected = false;
    std::int64_t chips = 1; ///< number of chips that share the routed experts (docs/rules/llm.md 8.5)
    std::int64_t skew = 0;  ///< exponent of the skew of tokens per expert, in 1/1000 (docs/rules/llm.md 6.3)
    bool operator==(const LlmExperts&) const = default;
};

/// Latent attention (MLA): queries and cache are computed by products of small rank.
struct LlmLatent
{
    std::int64_t queryRank = 0; ///< rank of the queries; 0: queries are computed directly
    std::int64_t cacheRank = 0; ///< elements per token and layer that the cache holds, in addition to `rope`
    std::int64_t nope = 0;      ///< size of the part of a head without positions
    /// Size of the part of a head with positions; all heads share this part of the keys.
    std::int64_t rope = 0;
    std::int64_t value = 0; ///< size of a head of the values
    bool operator==(const LlmLatent&) const = default;
};

/// Sparse attention: an indexer chooses which keys a query reads.
struct LlmIndexer
{
    std::int64_t heads = 0, headSize = 0;
    std::int64_t keys = 0; ///< largest number of keys that a query reads
    bool operator==(const LlmIndexer&) const = default;
};

/// Properties of one layer. Layers that compare equal are repetitions of the same block.
struct LlmLayer
{
    bool sparse = false;            ///< true if the feed forward consists of routed experts
    std::int64_t window = 0;        ///< largest number of keys that a query reads; 0: all
    std::vector<std::int64_t> bits; ///< bits of a weight of each matrix, in the order of matricesOf()
    bool operator==(const LlmLayer&) const = default;
};

/// The images of a vision transformer. `size` is 0 if the model has none.
struct LlmImages
{
    std::int64_t size = 0, patch = 0, channels = 0, classes = 0;
    bool operator==(const LlmImages&) const = default;
    [[nodiscard]] std::int64_t patches() const noexcept
    {
        return patch > 0 ? (size / patch) * (size / patch) : 0;
    }
};

/// A language model without its weights: all sizes follow from its configuration.
struct LlmConfig
{
    std::string name;   ///< name for people, from the file name: "llama-3.1-8b"
    std::string family; ///< `model_type` of the file: "llama"
    std::string file;   ///< file name for messages

    std::int64_t hidden = 0, heads = 0;
    std::int64_t kvHeads = 0;  ///< number of heads of keys and values
    std::int64_t headSize = 0; ///< size of a head of queries and keys, and of values unless `latent` is set
    std::int64_t feedForward = 0;
    std::int64_t vocabulary = 0; ///< number of words; 0: none (images)
    std::vector<LlmLayer> layers;
    std::int64_t firstLayer = 0; ///< index in the file of the first of `layers`; not 0 in a stage (stageOf())
    bool hasEmbedding = true;    ///< false: a stage that receives its rows from the previous stage
    bool hasHead = true;         ///< false: a stage that sends its rows to the next stage

    bool gated = true;        ///< true: the feed forward has three matrices; false: two
    std::string activation;   ///< activation function: "silu", "gelu"
    bool fusedQkv = false;    ///< true: one matrix computes queries, keys and values
    bool fusedGateUp = false; ///< true: one matrix computes gate and up
    bool tied = false;        ///< true: the head uses the weights of the embedding
    bool qkvBias = false, outBias = false, mlpBias = false, headBias = false;
    bool sinks = false; ///< true: each head has a learned sink
    LlmNorm norm = LlmNorm::Rms;
    std::int64_t layerNorms = 2; ///< number of norms of a layer over the hidden size
    bool normsAfter = false;     ///< true: a norm follows each branch (4 norms), or each sum (BERT)
    bool finalNorm = true;
    /// True: attention and feed forward read the same input, and their results are added.
    bool parallel = false;
    bool qkNorm = false;         ///< true: queries and keys have a norm over each head
    std::int64_t rotary = 0;     ///< number of elements of a head that a rotary embedding rotates; 0: none
    std::int64_t positions = 0;  ///< number of rows of the table of learned positions; 0: none
    std::int64_t tokenTypes = 0; ///< number of rows of the table of token types (BERT)
    bool pooler = false;
    /// True: a token attends to the tokens before it; false: to all tokens, without a cache.
    bool causal = true;
    std::int64_t mostPositions = 0; ///< longest context that the file states; 0: not stated
    /// Number of layers that predict further tokens (MTP), which are not part of the model.
    std::int64_t extraLayers = 0;
    std::optional<LlmExperts> experts;
    std::optional<LlmLatent> latent;
    std::optional<LlmIndexer> indexer;
    LlmImages images;

    bool hasType = false;                 ///< the file names the type of its values (dtype, torch_dtype)
    std::int64_t elementBits = 16 * kBit; ///< width of values that are not quantised
    std::int64_t embeddingBits = 16 * kBit;
    std::int64_t headBits = 16 * kBit;
    /// Width of activations that are multiplied with quantised weights.
    std::int64_t activationBits = 16 * kBit;
    std::int64_t kvBits = 16 * kBit;
    std::string quantisation;       ///< format of the quantisation: "fp8", "nvfp4"; empty: none
    std::vector<std::string> notes; ///< notes on parts of the file that the model ignores

    bool operator==(const LlmConfig&) const = default;
    /// Number of elements that the cache of one layer holds per token.
    [[nodiscard]] std::int64_t cacheElements() const noexcept;
    /// Width of the result of attention: number of heads times size of a value.
    [[nodiscard]] std::int64_t contextSize() const noexcept;
};

/// Parts of a model for which figures are given separately.
enum class LlmPart : std::uint8_t { Attention, Mlp, Experts, Norm, Embedding, Head };
inline constexpr std::size_t kLlmParts = 6;
[[nodiscard]] std::string_view toString(LlmPart part) noexcept; ///< "attention", "mlp", "experts" ...

/// A weight matrix of a layer.
struct LlmMatrix
{
    std::string name;   ///< name of its operator within the layer: "attn.q"
    std::string module; ///< name in the checkpoint, which a quantisation refers to: "self_attn.q_proj"
    LlmPart part = LlmPart::Attention;
    std::int64_t rows = 0, columns = 0; ///< numbers of inputs and of outputs
    std::int64_t count = 1;             ///< number of equal matrices, for routed experts
    bool biased = false;
    bool router = false; ///< true: a router, which is not quantised
    bool routed = false; ///< true for routed experts, of which a token uses only some

    [[nodiscard]] std::int64_t weights() const; ///< number of weights of all `count` matrices, without biases
    [[nodiscard]] std::int64_t biases() const { return biased ? columns * count : 0; }
};
/// The matrices of a layer in the order of their use. otherParametersOf() counts all other parameters.
[[nodiscard]] std::vector<LlmMatrix> matricesOf(const LlmConfig& config, const LlmLayer& layer);
/// Number of parameters of a layer that are in no matrix: norms, sinks, corrections of the router.
[[nodiscard]] std::int64_t otherParametersOf(const LlmConfig& config, const LlmLayer& layer);

/// A kind of layer: all layers that are equal.
struct LlmBlock
{
    std::size_t layer = 0; ///< index of the first of these layers
    std::int64_t count = 1;
};
/// The kinds of layers, in the order of their first layer.
[[nodiscard]] std::vector<LlmBlock> blocksOf(const LlmConfig& config);

/// Reads the text of a config.json. `quantText` is the text of the hf_quant_config.json in the same folder,
/// if there is one. The Error names the field, or the family that is not known and what would be needed to
/// add it.
[[nodiscard]] Result<LlmConfig> readLlmConfig(std::string_view text, const std::string& file,
                                              std::optional<std::string_view> quantText = {},
                                              const std::string& quantFile = {});
/// The names of the families that readLlmConfig() supports ("llama", "mistral" ...).
[[nodiscard]] std::span<const std::string_view> llmFamilies();

} // namespace tilewright::llm
