// SPDX-License-Identifier: GPL-3.0-or-later
// A language model in one phase as operators on tensors (docs/rules/llm.md 6).
#pragma once

#include "llm/config.h"
#include "model/model.h"

#include <map>

namespace tilewright::llm {

enum class LlmPhase : std::uint8_t {
    Prefill, ///< the whole prompt at once
    Decode,  ///< a few tokens after the tokens in the cache
    Chunked, ///< a part of the prompt after the tokens in the cache
};
[[nodiscard]] std::string_view toString(LlmPhase phase) noexcept; ///< "prefill", "decode", "chunked"

/// Value of LlmOptions::layers that selects one layer of each kind.
inline constexpr std::int64_t kEachKind = 0;
inline constexpr std::int64_t kAllLayers = -1;

/// Values of LlmOptions::expertSkew for an exponent of 1, and its largest value.
inline constexpr std::int64_t kSkewOfOne = 1000, kMostSkew = 4 * kSkewOfOne;

/// Which part of a model runs, and how. 0 stands for a default, which resolved() fills in.
struct LlmOptions
{
    LlmPhase phase = LlmPhase::Prefill;
    std::int64_t batch = 1;
    std::int64_t prompt = 0;         ///< prefill and chunked: number of tokens computed at once
    std::int64_t cached = 0;         ///< decode and chunked: number of tokens already in the cache
    std::int64_t tokens = 0;         ///< decode: number of tokens per step
    std::int64_t layers = kEachKind; ///< number of the first layers; kEachKind: one layer of each kind
    std::int64_t chips = 1;          ///< number of chips that share every layer (tensor parallelism)
    std::int64_t stages = 1;         ///< number of pipeline stages, each of which is a group of `chips` chips
    /// Number of chips that share the routed experts; each processes its own sequences.
    std::int64_t expertChips = 1;
    /// Exponent of the skew of tokens per expert, in 1/1000; 0: all experts get equally many.
    std::int64_t expertSkew = 0;
    /// Widths in 1/1024 bit; 0: as the file states.
    std::int64_t kvBits = 0, weightBits = 0, activationBits = 0;
    bool operator==(const LlmOptions&) const = default;

    /// Number of tokens that are computed per sequence. The options must be resolved.
    [[nodiscard]] std::int64_t computed() const noexcept
    {
        return phase == LlmPhase::Decode ? tokens : prompt;
    }
    /// Number of keys of a sequence after the last token.
    [[nodiscard]] std::int64_t keys() const noexcept { return cached + computed(); }
    /// True if the options describe several chips.
    [[nodiscard]] bool isGroup() const noexcept { return chips > 1 || stages > 1 || expertChips > 1; }
    /// Number of sequences in all stages together.
    [[nodiscard]] std::int64_t sequences() const noexcept { return batch * stages; }
};
/// The options as named sizes, as the free dimensions of an ONNX model have them: "phase" (1 to 3, in the
/// order of LlmPhase), "batch", "prompt", "cached", "tokens", "layers", "all_layers" (1), "chips", "stages",
/// "expert_chips", "expert_skew_1000ths", "kv_bits", "weight_bits", "activation_bits"; for a fraction of a
/// bit "kv_1024ths" ... Defaults are left out.
[[nodiscard]] std::map<std::string, std::int64_t> dimensionsOf(const LlmOptions& options);
/// Converts named sizes to options; the inverse of dimensionsOf(). The path of an Error is the name of a
/// size.
[[nodiscard]] Result<LlmOptions> optionsOf(const std::map<std::string, std::int64_t>& dimensions);
/// Fills in the defaults. The path of an Error is the option that the model or the phase does not allow.
[[nodiscard]] Result<LlmOptions> resolved(const LlmConfig& config, const LlmOptions& options);
/// Returns the configuration with the widths and the expert skew of the options.
[[nodiscard]] LlmConfig withOptions(LlmConfig config, const LlmOptions& options);

/// The operators of one layer, which represents `count` equal layers.
struct LlmRange
{
    std::size_t first = 0, end = 0; ///< operators [first, end)
    std::size_t layer = 0;          ///< index of the layer in the file
    std::int64_t count = 1;
    bool operator==(const LlmRange&) const = default;
};

/// The part of a model that its operators stand for.
struct LlmScope
{
    /// The part of the last stage that one chip holds, with the widths of the options. With a single chip,
    /// the whole model.
    LlmConfig config;
    LlmOptions options; ///< resolved options
    std::vector<LlmRange> ranges;
    LlmConfig whole; ///< the whole model, with the widths and the expert skew of the options

    /// Number of times that `config` contains this operator.
    [[nodiscard]] std::int64_t countOf(OperatorId op) const noexcept;
};
struct LlmModel : LlmScope
{
    model::Model model;
};
/// Builds the operators that one chip runs. With several stages this is a chip of the last stage, which has
/// the head and at least as many layers as any other (docs/rules/llm.md 8). The path of an Error is the
/// option.
[[nodiscard]] Result<LlmModel> llmModel(const LlmConfig& config, const LlmOptions& options);

/// Returns the number of tokens of each routed expert of a layer on one chip, if every chip processes
/// `tokens` tokens. If the tokens are skewed, the chip is the one with most tokens (docs/rules/llm.md 6.3).
/// The numbers are rounded expected values. Returns at least one expert.
[[nodiscard]] std::vector<std::int64_t> expertTokens(const LlmExperts& experts, std::int64_t tokens);

} // namespace tilewright::llm
