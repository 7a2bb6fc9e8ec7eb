// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/progress.h"
#include "eval/trace.h"

#include <functional>
#include <string_view>

namespace tilewright {

/// Receives pieces of a text as they are made; a schedule can have more steps than memory holds.
using TextSink = std::function<void(std::string_view)>;

/// Every step of every subgraph, one CSV row each, with what it runs, loads, reuses and stores. Times count
/// from the start of the schedule. Returns false when stopped before the end.
bool writeStepsCsv(const Problem& problem, const Schedule& schedule, const Rules& rules, const TextSink& sink,
                   const Progress& progress = {});

/// What occupies fast memory in every step, one CSV row each (the parts of R9.1, in elements).
bool writeOccupancyCsv(const Problem& problem, const Schedule& schedule, const Rules& rules,
                       const TextSink& sink, const Progress& progress = {});

/// The steps in the Chrome trace-event format, one unit of time shown as one microsecond: lanes for
/// subgraphs, steps, compute and memory, and the working set as a counter.
bool writeTraceEvents(const Problem& problem, const Schedule& schedule, const Rules& rules,
                      const TextSink& sink, const Progress& progress = {});

} // namespace tilewright
