// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/progress.h"
#include "eval/trace.h"

#include <functional>
#include <string_view>

namespace tilewright {

/// Receives a text in chunks: all steps of a schedule may not fit into memory.
using TextSink = std::function<void(std::string_view)>;

/// Writes one CSV row per step: its runs, loads, reused and stored tensors. Times start at the start of the
/// schedule. Returns false if stopped.
bool writeStepsCsv(const Problem& problem, const Schedule& schedule, const Rules& rules, const TextSink& sink,
                   const Progress& progress = {});

/// Writes one CSV row per step with the content of fast memory (the parts of R9.1, in elements). Returns
/// false if stopped.
bool writeOccupancyCsv(const Problem& problem, const Schedule& schedule, const Rules& rules,
                       const TextSink& sink, const Progress& progress = {});

/// Writes the steps in the Chrome trace-event format, one unit of time as one microsecond: lanes for
/// subgraphs, steps, compute and memory, and the working set as a counter. Returns false if stopped.
bool writeTraceEvents(const Problem& problem, const Schedule& schedule, const Rules& rules,
                      const TextSink& sink, const Progress& progress = {});

} // namespace tilewright
