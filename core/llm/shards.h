// SPDX-License-Identifier: GPL-3.0-or-later
// A language model over several chips: what one of them has (docs/rules/llm.md 8).
#pragma once

#include "llm/config.h"

namespace tilewright::llm {

/// Most chips that share a layer.
inline constexpr std::int64_t kMostChips = 1 << 16;

/// Returns what `chips` chips cannot share equally, for a sentence: "the 32 heads of queries"; empty:
/// nothing.
[[nodiscard]] std::string undividedBy(const LlmConfig& config, std::int64_t chips);

/// Returns the share of one of `chips` chips in every layer, the embedding and the head, and the share of one
/// of `expertChips` chips in the routed experts. Requires that the chips can divide the model (undividedBy())
/// and that its experts are divided equally.
[[nodiscard]] LlmConfig shardOf(LlmConfig config, std::int64_t chips, std::int64_t expertChips = 1);

/// Returns stage `stage` of `stages`, of which there are at most as many as layers: consecutive layers, the
/// first stage with the embedding and the last one with the head. If the stages cannot be equal, the last
/// ones have a layer more than the others.
[[nodiscard]] LlmConfig stageOf(const LlmConfig& config, std::int64_t stages, std::int64_t stage);

/// Equal stages.
struct LlmStage
{
    LlmConfig config; ///< configuration of the first of them
    std::int64_t count = 1;
};
/// The kinds of stages, in the order of their first.
[[nodiscard]] std::vector<LlmStage> stagesOf(const LlmConfig& config, std::int64_t stages);

} // namespace tilewright::llm
