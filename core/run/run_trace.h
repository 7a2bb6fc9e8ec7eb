// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "run/run.h"

#include <string>

namespace tilewright {

/// Returns a recorded run in the Chrome trace-event format; one unit of time is shown as one microsecond. It
/// has lanes for load, array, vector and store with their commands and waits, subgraphs and steps as nested
/// spans, and a counter of the memory in use, in elements. Each core is a process.
[[nodiscard]] std::string runTrace(const Problem& problem, const Schedule& schedule, const ScheduleRun& run);

} // namespace tilewright
