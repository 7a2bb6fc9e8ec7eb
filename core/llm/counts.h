// SPDX-License-Identifier: GPL-3.0-or-later
// Parameters, bytes and multiply-accumulates of a language model, in closed form (docs/rules/llm.md 3, 4, 6).
#pragma once

#include "llm/config.h"

#include <array>

namespace tilewright::llm {

/// Parameters and memory of a model.
struct LlmCounts
{
    std::int64_t total = 0;  ///< parameters
    std::int64_t active = 0; ///< parameters that a token meets: `perToken` instead of all routed experts
    std::array<std::int64_t, kLlmParts> parameters{}; ///< parameters of each LlmPart; their sum is `total`
    std::array<double, kLlmParts> bytes{};            ///< bytes of these parameters at their widths
    double weightBytes = 0;
    /// Bytes of the KV cache of the whole model for one token that no window has dropped yet.
    double kvBytesPerToken = 0;
};
[[nodiscard]] LlmCounts llmCounts(const LlmConfig& config);

/// The model in the memory of a machine: values of a float width (isFloatWidth()) have `elementBits`, the width
/// of the machine's elements in units of kBit; integers and narrow floats keep their own.
[[nodiscard]] LlmConfig atWidth(LlmConfig config, std::int64_t elementBits);

/// Bytes of the cache of one sequence of `tokens`: a window keeps at most its own.
[[nodiscard]] double kvBytes(const LlmConfig& config, std::int64_t tokens);

} // namespace tilewright::llm
