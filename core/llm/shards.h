// SPDX-License-Identifier: GPL-3.0-or-later
// A language model over several chips: what one of them has (docs/rules/llm.md 8).
#pragma once

#include "llm/config.h"

namespace tilewright::llm {

/// Maximum number of chips that share a layer.
inline constexpr std::int64_t kMostChips = 1 << 16;

/// Returns the part of the model that `chips` chips cannot share equally, as a text: "the 32 heads of
/// queries"; empty if there is none.
[[nodiscard]] std::string undividedBy(const LlmConfig& config, std::int64_t chips);

/// Returns the part of the model on one chip if `chips` chips share every layer, the embedding and the head,
/// and `expertChips` chips share the routed experts. Requires that these numbers divide the model
/// (undividedBy()) and its experts.
[[nodiscard]] LlmConfig shardOf(LlmConfig config, std::int64_t chips, std::int64_t expertChips = 1);

/// Returns stage `stage` of `stages`; there are at most as many stages as layers. A stage consists of
/// consecutive layers. The first stage also has the embedding, the last one the head. If the layers cannot be
/// divided equally, the last stages have one layer more than the others.
[[nodiscard]] LlmConfig stageOf(const LlmConfig& config, std::int64_t stages, std::int64_t stage);

/// A kind of stage: all stages that are equal.
struct LlmStage
{
    LlmConfig config; ///< configuration of the first of these stages
    std::int64_t count = 1;
};
/// The kinds of stages, in the order of their first stage.
[[nodiscard]] std::vector<LlmStage> stagesOf(const LlmConfig& config, std::int64_t stages);

} // namespace tilewright::llm
