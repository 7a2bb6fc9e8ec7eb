// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "solve/plan/solve_options.h"

namespace tilewright {

/// Anytime optimiser. An Error when no valid schedule exists as far as the search can tell (an op that fits
/// at no granularity, locked subgraphs that exclude one another) or when an option makes no sense.
[[nodiscard]] Result<SolveResult> solve(const Problem& problem, const SolveOptions& options);

} // namespace tilewright
