// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "eval/evaluation.h"

#include <span>
#include <string>

namespace tilewright {

/// Puts the issues of the file (R2.2) first (R10.4), and keeps the totals: they are those of the readable
/// part.
void prependFormatIssues(Evaluation& evaluation, std::span<const Issue> issues);

/// "OOM in subgraph 2: the working set ..."
[[nodiscard]] std::string sentence(const Issue& issue);

} // namespace tilewright
