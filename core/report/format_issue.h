// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "eval/evaluation.h"
#include "schedule/schedule_json.h"

#include <span>

namespace tilewright {

/// A violation of R2.2 in a file, as the issue that the evaluator would report.
[[nodiscard]] Issue toIssue(const FormatIssue& issue);

/// Puts the issues of the file first (R10.4), and keeps the totals: they are those of the readable part.
void prependFormatIssues(Evaluation& evaluation, std::span<const FormatIssue> issues);

} // namespace tilewright
