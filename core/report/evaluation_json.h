// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "eval/evaluation.h"

#include <string>
#include <string_view>

namespace tilewright {

/// The document of `evaluate --json` (docs/design.md 3.2), as the text of one JSON object. total_latency is
/// null when a subgraph could not be evaluated. `file` issues (R2.2) leave nothing but the verdict to tell.
[[nodiscard]] std::string evaluationJson(const Problem& problem, const Schedule& schedule,
                                         const Evaluation& evaluation, std::string_view rulesReason,
                                         double lowerBound);

/// {"valid", "error", "issues": [{"code", "message", "subgraph"}...]}: the document of `check --json`.
[[nodiscard]] std::string checkJson(const Evaluation& evaluation, std::string_view rulesReason);

} // namespace tilewright
