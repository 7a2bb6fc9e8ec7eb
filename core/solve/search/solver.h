// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "solve/plan/solve_options.h"

namespace tilewright {

/// Anytime optimiser. Returns an Error if an option is invalid, or if the search finds that no valid schedule
/// exists, e.g. because an op fits at no granularity or because locked subgraphs exclude each other.
[[nodiscard]] Result<SolveResult> solve(const Problem& problem, const SolveOptions& options);

} // namespace tilewright
