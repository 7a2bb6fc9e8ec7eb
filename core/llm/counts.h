// SPDX-License-Identifier: GPL-3.0-or-later
// Parameters, bytes and multiply-accumulates of a language model, in closed form (docs/rules/llm.md 3, 4, 6).
#pragma once

#include "llm/config.h"

#include <array>

namespace tilewright::llm {

/// Numbers of parameters of a model, and their memory.
struct LlmCounts
{
    std::int64_t total = 0; ///< number of all parameters
    /// Number of parameters that a token uses: `perToken` routed experts instead of all.
    std::int64_t active = 0;
    /// Number of parameters of each LlmPart; their sum is `total`.
    std::array<std::int64_t, kLlmParts> parameters{};
    std::array<double, kLlmParts> bytes{}; ///< bytes of the parameters of each LlmPart at their widths
    double weightBytes = 0;
    /// Bytes of the KV cache of the whole model per token, before windows drop old tokens.
    double kvBytesPerToken = 0;
};
[[nodiscard]] LlmCounts llmCounts(const LlmConfig& config);

/// The model in the memory of a machine: values of a float width (isFloatWidth()) have `elementBits`, the
/// width of the machine's elements in units of kBit; integers and narrow floats keep their own.
[[nodiscard]] LlmConfig atWidth(LlmConfig config, std::int64_t elementBits);

/// Bytes of the KV cache of one sequence of `tokens` tokens. A layer with a window keeps at most the window's
/// tokens.
[[nodiscard]] double kvBytes(const LlmConfig& config, std::int64_t tokens);

} // namespace tilewright::llm
