// SPDX-License-Identifier: GPL-3.0-or-later
// The floor of a step of a language model on one chip or on a group of them (docs/rules/llm.md 8.3).
#pragma once

#include "lower/step_floor.h"

#include <string>
#include <vector>

namespace tilewright::lower {

/// Equal stages of a group.
struct StageFloor
{
    llm::LlmConfig config; ///< what one chip has of the first of them
    std::int64_t count = 1;
    StepFloor chip;             ///< floor of one chip
    ExplainedValue collectives; ///< ms
    ExplainedValue time;        ///< ms: the floor of the chip, then the collectives
};

/// One step on all chips.
struct GroupFloor
{
    std::vector<StageFloor> stages;
    ExplainedValue slowest;     ///< ms of the slowest stage: the pace of a pipeline that is full
    ExplainedValue latency;     ///< ms of all stages, one after another
    ExplainedValue collectives; ///< ms of the latency
};
/// `options`: those of the scope, or of another phase. `name`: of the latency. Of one chip slowest and
/// latency are stepFloor() in ms.
[[nodiscard]] GroupFloor groupFloor(const llm::LlmScope& scope, const llm::LlmOptions& options,
                                    const Machine& machine, std::int64_t cores,
                                    const std::string& name = "time of a step");

/// Returns cycles in ms at the clock of the machine.
[[nodiscard]] ExplainedValue millisecondsOf(const std::string& name, const ExplainedValue& cycles,
                                            const Machine& machine);

/// Returns ms in cycles at the clock of the machine.
[[nodiscard]] ExplainedValue cyclesOf(const ExplainedValue& milliseconds, const Machine& machine);

/// Bytes of weights and bytes of cache in a step, each on the chip that holds most of it.
struct ChipBytes
{
    ExplainedValue weights, cache;
};
[[nodiscard]] ChipBytes chipBytes(const llm::LlmScope& scope, const Machine& machine);

/// Most tokens of each of all sequences whose cache fits into the external memory beside the weights, on
/// every chip; nullopt: any number, or there is no cache.
[[nodiscard]] std::optional<std::int64_t> longestContext(const llm::LlmScope& scope, const Machine& machine);

} // namespace tilewright::lower
