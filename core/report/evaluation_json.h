// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "snapshot/snapshot.h"

#include <string>
#include <string_view>

namespace tilewright {

/// Every subgraph could be evaluated, so that there is a total.
[[nodiscard]] bool hasTotal(const Evaluation& evaluation);

/// The document of `evaluate --json` (docs/design.md 3.2), as the text of one JSON object. total_latency and
/// array_total are null when a subgraph could not be evaluated. `file` issues (R2.2) leave nothing but the
/// verdict to tell.
[[nodiscard]] std::string evaluationJson(const Snapshot& snapshot, std::string_view rulesReason);

/// {"valid", "error", "issues": [{"code", "message", "subgraph"}...]}: the document of `check --json`.
[[nodiscard]] std::string checkJson(const Evaluation& evaluation, std::string_view rulesReason);

} // namespace tilewright
