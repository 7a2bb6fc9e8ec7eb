// SPDX-License-Identifier: GPL-3.0-or-later
// The floor of a step of a language model on one chip or on a group of them (docs/rules/llm.md 8.3).
#pragma once

#include "lower/step_floor.h"

#include <string>
#include <vector>

namespace tilewright::lower {

/// Floor of several equal stages of a group of chips.
struct StageFloor
{
    llm::LlmConfig config; ///< part of the model on one chip of the first of these stages
    std::int64_t count = 1;
    StepFloor chip;             ///< floor of one chip
    ExplainedValue collectives; ///< time of the collectives in ms
    ExplainedValue time;        ///< ms: floor of the chip plus collectives
};

/// Floor of one step on all chips.
struct GroupFloor
{
    std::vector<StageFloor> stages;
    ExplainedValue slowest;     ///< ms of the slowest stage, which sets the pace of a full pipeline
    ExplainedValue latency;     ///< ms of all stages one after another
    ExplainedValue collectives; ///< part of the latency in ms
};
/// `options`: those of the scope, or those of another phase. `name`: name of the latency. With one chip,
/// `slowest` and `latency` are stepFloor() in ms.
[[nodiscard]] GroupFloor groupFloor(const llm::LlmScope& scope, const llm::LlmOptions& options,
                                    const Machine& machine, std::int64_t cores,
                                    const std::string& name = "time of a step");

/// Converts cycles to ms at the clock of the machine.
[[nodiscard]] ExplainedValue millisecondsOf(const std::string& name, const ExplainedValue& cycles,
                                            const Machine& machine);

/// Converts ms to cycles at the clock of the machine.
[[nodiscard]] ExplainedValue cyclesOf(const ExplainedValue& milliseconds, const Machine& machine);

/// Bytes of the weights and of the cache in a step, each for the chip that holds most of them.
struct ChipBytes
{
    ExplainedValue weights, cache;
};
[[nodiscard]] ChipBytes chipBytes(const llm::LlmScope& scope, const Machine& machine);

/// Largest number of tokens per sequence for which the caches of all sequences fit into the external memory
/// beside the weights, on every chip. nullopt: any number fits, or there is no cache.
[[nodiscard]] std::optional<std::int64_t> longestContext(const llm::LlmScope& scope, const Machine& machine);

} // namespace tilewright::lower
