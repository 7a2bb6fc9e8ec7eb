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

/// Bytes of the cache of one sequence of `tokens`: a window keeps at most its own.
[[nodiscard]] double kvBytes(const LlmConfig& config, std::int64_t tokens);

} // namespace tilewright::llm
