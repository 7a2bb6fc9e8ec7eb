// SPDX-License-Identifier: GPL-3.0-or-later
// What each constraint and each locked subgraph of a search costs (docs/rules/constraints.md 4).
#pragma once

#include "solve/plan/solve_options.h"

namespace tilewright {

/// Searches again without each constraint and without the lock of each subgraph of SolveOptions::start, each
/// time from the schedule of `result` and with the limits of `options`, and fills
/// SolveResult::constraintCosts. If such a search finds a better schedule that keeps everything, that one
/// becomes the result. A stop request leaves out the constraints that are not done.
void findConstraintCosts(const Problem& problem, const SolveOptions& options, SolveResult& result);

} // namespace tilewright
