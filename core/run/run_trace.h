// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "run/run.h"

#include <string>

namespace tilewright {

/// Returns a recorded run in the Chrome trace-event format, one unit of time as one microsecond: lanes for
/// load, array, vector and store with their commands and waits, subgraphs and steps as nested spans, and the
/// room taken as a counter, in elements. Each core is a process.
[[nodiscard]] std::string runTrace(const Problem& problem, const Schedule& schedule, const ScheduleRun& run);

} // namespace tilewright
