// SPDX-License-Identifier: GPL-3.0-or-later
// What the chips of a group send to each other in a step of a language model (docs/rules/llm.md 8.2).
#pragma once

#include "explanation/explanation.h"
#include "llm/model.h"
#include "model/machine.h"

#include <string>
#include <vector>

namespace tilewright::lower {

enum class CollectiveKind : std::uint8_t {
    AllReduce, ///< every chip gets the sum of the values of all chips
    AllGather, ///< every chip gets the parts of all chips
    AllToAll,  ///< every chip sends rows to each other chip; `bytes` are those that one chip sends
    Send,      ///< a chip of one stage sends its data to its counterpart in the next stage
};
[[nodiscard]] std::string_view toString(CollectiveKind kind) noexcept; ///< "all-reduce" ...

/// Equal collectives of one step.
struct Collective
{
    CollectiveKind kind = CollectiveKind::AllReduce;
    std::string name; ///< "all-reduces after attention"
    double count = 1;
    double bytes = 0;       ///< bytes of the result of one collective
    std::int64_t chips = 1; ///< number of chips that take part
};
/// Returns the collectives of one step of a pipeline stage. `stage` is the share of one chip in it. A stage
/// with the embedding receives nothing from another stage. `elementBytes` is the size of an activation.
[[nodiscard]] std::vector<Collective>
collectivesOf(const llm::LlmConfig& stage, const llm::LlmOptions& options, std::int64_t elementBytes);

/// Time in us of one collective whose result has `bytes` bytes, on `chips` chips.
[[nodiscard]] double collectiveMicros(CollectiveKind kind, double bytes, std::int64_t chips,
                                      const Machine::Links& links);
/// Time in ms of all collectives of a step of a stage, one after another.
[[nodiscard]] ExplainedValue collectiveTime(const llm::LlmConfig& stage, const llm::LlmOptions& options,
                                            const Machine& machine);

/// Returns an Error if the options need several chips and the machine has no links. Its path is the field of
/// the machine.
[[nodiscard]] Status checkLinks(const llm::LlmOptions& options, const Machine& machine);

} // namespace tilewright::lower
