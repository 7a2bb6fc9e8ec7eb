// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "eval/evaluation.h"

#include <functional>
#include <span>
#include <vector>

namespace tilewright {

/// Evaluates one well-formed subgraph (checkFormat() holds) at its position in the schedule.
/// structurallyValid is false if it breaks R4 or R5.3. `resident` = RES before it, ascending.
using EvaluateSubgraph = std::function<SubgraphEvaluation(SubgraphId, std::span<const TensorId> resident)>;

/// Evaluates the subgraphs one after another, with the verdicts in the order of R10.4. Shared by both
/// evaluators.
[[nodiscard]] Evaluation walkSchedule(const Problem& problem, const Schedule& schedule, const Rules& rules,
                                      const EvaluateSubgraph& evaluateSubgraph);

/// Elements of the resident and the retained tensors, each tensor once (R9.1a).
[[nodiscard]] std::int64_t reservedElements(const Problem& problem, std::span<const TensorId> resident,
                                            std::span<const TensorId> retain);

} // namespace tilewright
