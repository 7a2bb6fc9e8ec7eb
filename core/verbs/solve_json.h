// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "solve/search/solver.h"

#include <string>

namespace tilewright {

/// One JSON document: the fields of `evaluate --json` for the result, and those of `solve --json`
/// (docs/design.md 3.2).
[[nodiscard]] std::string solveResultJson(const Problem& problem, const SolveResult& result,
                                          const Rules& rules);

} // namespace tilewright
