// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "eval/evaluation.h"

#include <functional>
#include <span>
#include <vector>

namespace tilewright {

/// Evaluates one well-formed subgraph (checkFormat() holds) in its place; structurallyValid is false when it
/// breaks R4 or R5.3. `resident` = RES before it, ascending.
using EvaluateSubgraph = std::function<SubgraphEvaluation(SubgraphId, std::span<const TensorId> resident)>;

/// The subgraphs one after the other, with the verdicts in the order of R10.4. Both evaluators share it.
[[nodiscard]] Evaluation walkSchedule(const Problem& problem, const Schedule& schedule, const Rules& rules,
                                      const EvaluateSubgraph& evaluateSubgraph);

/// Elements of R9.1a: resident tensors and retained ones, each once.
[[nodiscard]] std::int64_t reservedElements(const Problem& problem, std::span<const TensorId> resident,
                                            std::span<const TensorId> retain);

} // namespace tilewright
