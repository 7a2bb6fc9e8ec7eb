// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/progress.h"
#include "eval/trace.h"

#include <functional>

namespace tilewright {

/// Visits every step of the schedule in execution order. `start` is the time since the start of the schedule.
/// Subgraphs that violate R4 or R5.3 have no steps. Returns false if stopped.
bool walkSteps(const Problem& problem, const Schedule& schedule, const Rules& rules, const Progress& progress,
               const std::function<void(SubgraphId, double start, const Step&)>& visit);

} // namespace tilewright
