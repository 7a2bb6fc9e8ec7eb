// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "snapshot/snapshot.h"

#include <string>
#include <string_view>

namespace tilewright {

/// True if every subgraph can be evaluated, so that the total latency is defined.
[[nodiscard]] bool hasTotal(const Evaluation& evaluation);

/// Returns the document of `evaluate --json` (docs/design.md 3.2), one JSON object. total_latency and
/// array_total are null if a subgraph cannot be evaluated. If the file violates R2.2, only the verdict is
/// written.
[[nodiscard]] std::string evaluationJson(const Snapshot& snapshot, std::string_view rulesReason);

/// Returns the document of `check --json`: {"valid", "error", "issues": [{"code", "message",
/// "subgraph"}...]}.
[[nodiscard]] std::string checkJson(const Evaluation& evaluation, std::string_view rulesReason);

} // namespace tilewright
