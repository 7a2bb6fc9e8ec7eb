// SPDX-License-Identifier: GPL-3.0-or-later
// Parameters, bytes and multiply-accumulates of a language model, in closed form (docs/rules/llm.md 3, 4, 6).
#pragma once

#include "llm/config.h"

#include <array>

namespace tilewright::llm {

/// What a model weighs.
struct LlmCounts
{
    std::int64_t total = 0;  ///< parameters
    std::int64_t active = 0; ///< parameters that a token meets: `perToken` instead of all routed experts
    std::array<std::int64_t, kLlmParts> parameters{}; ///< by LlmPart; their sum is `total`
    std::array<double, kLlmParts> bytes{};            ///< bytes of these parameters at their widths
    double weightBytes = 0;
    double kvBytesPerToken = 0; ///< of the whole model, for a token that no window has dropped yet
};
[[nodiscard]] LlmCounts llmCounts(const LlmConfig& config);

/// Bytes of the cache of one sequence of `tokens`: a window keeps at most its own.
[[nodiscard]] double kvBytes(const LlmConfig& config, std::int64_t tokens);

} // namespace tilewright::llm
