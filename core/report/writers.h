// SPDX-License-Identifier: GPL-3.0-or-later
// Writers of tables and traces: subgraphs, differences and steps.
#pragma once

#include "base/progress.h"
#include "eval/trace.h"
#include "report/compare.h"
#include "snapshot/snapshot.h"

#include <functional>
#include <string>
#include <string_view>

namespace tilewright {

/// CSV with one row per subgraph: ops, settings, times, traffic, memory, bound. If a subgraph cannot be
/// evaluated, its times are empty.
[[nodiscard]] std::string subgraphsCsv(const Snapshot& snapshot);

/// CSV with one row per difference: kind, subgraphs, texts, change of the total.
[[nodiscard]] std::string differencesCsv(const Problem& problem, const Comparison& comparison);

/// Visits every step of the schedule in execution order. `start` is the time since the start of the schedule.
/// Subgraphs that violate R4 or R5.3 have no steps. Returns false if stopped.
bool walkSteps(const Problem& problem, const Schedule& schedule, const Rules& rules, const Progress& progress,
               const std::function<void(SubgraphId, double start, const Step&)>& visit);

/// Receives a text in chunks, because all steps of a schedule may not fit into memory.
using TextSink = std::function<void(std::string_view)>;

/// Writes one CSV row per step: its runs, loads, reused and stored tensors. Times start at the start of the
/// schedule. Returns false if stopped.
bool writeStepsCsv(const Problem& problem, const Schedule& schedule, const Rules& rules, const TextSink& sink,
                   const Progress& progress = {});

/// Writes one CSV row per step with the content of fast memory (the parts of the working set by R9.1, in
/// elements). Returns false if stopped.
bool writeOccupancyCsv(const Problem& problem, const Schedule& schedule, const Rules& rules,
                       const TextSink& sink, const Progress& progress = {});

/// Writes the steps in the Chrome trace-event format; one unit of time is shown as one microsecond. It has
/// lanes for subgraphs, steps, compute and memory, and the working set as a counter. Returns false if
/// stopped.
bool writeTraceEvents(const Problem& problem, const Schedule& schedule, const Rules& rules,
                      const TextSink& sink, const Progress& progress = {});

} // namespace tilewright
