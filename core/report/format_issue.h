// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "eval/evaluation.h"

#include <span>
#include <string>

namespace tilewright {

/// Inserts the R2.2 issues of the file before all others (R10.4). The totals are unchanged: they belong to
/// the readable part of the file.
void prependFormatIssues(Evaluation& evaluation, std::span<const Issue> issues);

/// Returns a sentence such as "OOM in subgraph 2: the working set ...".
[[nodiscard]] std::string sentence(const Issue& issue);

} // namespace tilewright
