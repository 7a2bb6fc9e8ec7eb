// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/progress.h"
#include "eval/trace.h"

#include <functional>

namespace tilewright {

/// Visits every step of the schedule in order of execution; `start` is the time since the start of the
/// schedule. Subgraphs that break R4 or R5.3 have no steps. Returns false when stopped.
bool walkSteps(const Problem& problem, const Schedule& schedule, const Rules& rules, const Progress& progress,
               const std::function<void(SubgraphId, double start, const Step&)>& visit);

} // namespace tilewright
