// SPDX-License-Identifier: GPL-3.0-or-later
// What a family of models has that its config.json does not say (docs/rules/llm.md 2).
#pragma once

#include "llm/config.h"

namespace tilewright::llm {

/// The projections that have biases in a family.
enum class Biases : std::uint8_t { Fields, Qkv, Mlp, All };
/// The layers to which a sliding window applies.
enum class Windows : std::uint8_t {
    None,
    All,
    FromLayer,  ///< layers from max_window_layers on, if use_sliding_window is set
    EvenLayers, ///< every second layer, starting with the first
    Pattern,    ///< all layers except each sliding_window_pattern-th
};
/// The fields that state which layers have experts, and how many.
enum class Routing : std::uint8_t { None, Mixtral, Qwen, DeepSeek };

struct Family
{
    std::string_view type; ///< `model_type` of the file
    LlmNorm norm = LlmNorm::Rms;
    std::int64_t norms = 2;
    bool gated = true, causal = true, tied = false;
    Biases biases = Biases::Fields;
    Windows windows = Windows::None;
    Routing routing = Routing::None;
    bool qkNorm = false, fused = false, parallel = false, latent = false, headBias = false;
    bool learnedPositions = false;
    std::string_view activation = "silu"; ///< default, if the file does not name one
};

/// Returns the family of a `model_type`; nullptr if it is not known.
[[nodiscard]] const Family* familyOf(std::string_view type);
/// Returns what would be needed to support a family that is known but not supported; empty for other
/// families.
[[nodiscard]] std::string_view missingOf(std::string_view type);

} // namespace tilewright::llm
