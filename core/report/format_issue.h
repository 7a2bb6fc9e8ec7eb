// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "eval/evaluation.h"

#include <span>

namespace tilewright {

/// Puts the issues of the file (R2.2) first (R10.4), and keeps the totals: they are those of the readable
/// part.
void prependFormatIssues(Evaluation& evaluation, std::span<const Issue> issues);

} // namespace tilewright
