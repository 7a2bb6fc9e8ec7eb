// SPDX-License-Identifier: GPL-3.0-or-later
// A language model in one phase as operators on tensors (docs/rules/llm.md 6).
#pragma once

#include "llm/config.h"
#include "model/model.h"

#include <map>

namespace tilewright::llm {

enum class LlmPhase : std::uint8_t {
    Prefill, ///< the whole prompt at once
    Decode,  ///< a few tokens after those in the cache
    Chunked, ///< a part of the prompt after those in the cache
};
[[nodiscard]] std::string_view toString(LlmPhase phase) noexcept; ///< "prefill", "decode", "chunked"

/// `layers` of LlmOptions.
inline constexpr std::int64_t kEachKind = 0;
inline constexpr std::int64_t kAllLayers = -1;

/// `expertSkew` of an exponent of 1, and the largest one.
inline constexpr std::int64_t kSkewOfOne = 1000, kMostSkew = 4 * kSkewOfOne;

/// The part of a model that runs, and how. 0 stands for a default, which resolved() fills in.
struct LlmOptions
{
    LlmPhase phase = LlmPhase::Prefill;
    std::int64_t batch = 1;
    std::int64_t prompt = 0;         ///< tokens computed at once: prefill, chunked
    std::int64_t cached = 0;         ///< tokens in the cache before: decode, chunked
    std::int64_t tokens = 0;         ///< tokens of a step of decode
    std::int64_t layers = kEachKind; ///< the first layers; or one layer of each kind, or all
    std::int64_t chips = 1;          ///< chips that share every layer (tensor parallelism)
    std::int64_t stages = 1;         ///< pipeline stages, each a group of `chips` chips
    std::int64_t expertChips = 1;    ///< chips that share the routed experts, each with sequences of its own
    std::int64_t expertSkew = 0;     ///< exponent of the tokens an expert gets, in 1/1000; 0: even
    std::int64_t kvBits = 0, weightBits = 0, activationBits = 0; ///< widths in 1/1024 bit; 0: as in the file
    bool operator==(const LlmOptions&) const = default;

    /// Tokens of a sequence that are computed, of resolved options.
    [[nodiscard]] std::int64_t computed() const noexcept
    {
        return phase == LlmPhase::Decode ? tokens : prompt;
    }
    /// Keys of a sequence after the last token.
    [[nodiscard]] std::int64_t keys() const noexcept { return cached + computed(); }
    /// Several chips.
    [[nodiscard]] bool isGroup() const noexcept { return chips > 1 || stages > 1 || expertChips > 1; }
    /// Sequences in all stages together.
    [[nodiscard]] std::int64_t sequences() const noexcept { return batch * stages; }
};
/// The options as sizes with names, as those of the free dimensions of an ONNX model: "phase" (1 to 3, in the
/// order of LlmPhase), "batch", "prompt", "cached", "tokens", "layers", "all_layers" (1), "chips", "stages",
/// "expert_chips", "expert_skew_1000ths", "kv_bits", "weight_bits", "activation_bits", and for a fraction of
/// a bit "kv_1024ths" ...; defaults are left out.
[[nodiscard]] std::map<std::string, std::int64_t> dimensionsOf(const LlmOptions& options);
/// The options of such sizes. The path of an Error is the name.
[[nodiscard]] Result<LlmOptions> optionsOf(const std::map<std::string, std::int64_t>& dimensions);
/// Fills in the defaults. The path of an Error is the option that the model or the phase does not allow.
[[nodiscard]] Result<LlmOptions> resolved(const LlmConfig& config, const LlmOptions& options);
/// The configuration with the widths and the skew of the experts that the options give.
[[nodiscard]] LlmConfig withOptions(LlmConfig config, const LlmOptions& options);

/// The operators of one layer, which represents `count` equal layers.
struct LlmRange
{
    std::size_t first = 0, end = 0; ///< operators [first, end)
    std::size_t layer = 0;          ///< number in the file
    std::int64_t count = 1;
    bool operator==(const LlmRange&) const = default;
};

/// The part of a model that its operators represent.
struct LlmScope
{
    /// The part of the last stage that one chip holds, with the widths of the options. With a single chip,
    /// this is the whole model.
    LlmConfig config;
    LlmOptions options; ///< resolved
    std::vector<LlmRange> ranges;
    LlmConfig whole; ///< the model, with the widths and the skew of the options

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
/// `tokens` tokens; on the fullest chip if the tokens are skewed (docs/rules/llm.md 6.3). The numbers are
/// rounded expected values. Returns at least one expert.
[[nodiscard]] std::vector<std::int64_t> expertTokens(const LlmExperts& experts, std::int64_t tokens);

} // namespace tilewright::llm
