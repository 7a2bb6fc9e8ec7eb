// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "solve/search/solver.h"

#include <string>

namespace tilewright {

/// The document of `solve --json`: the fields of `evaluate --json` for the result, and its own
/// (docs/design.md 3.2).
[[nodiscard]] std::string solveResultJson(const ProblemPtr& problem, const SolveResult& result,
                                          const Rules& rules);

} // namespace tilewright
