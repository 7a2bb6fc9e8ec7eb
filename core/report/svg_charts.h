// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "eval/occupancy.h"
#include "eval/schedule_roofline.h"
#include "report/snapshot.h"

#include <string>

namespace tilewright {

/// Charts of a report as <svg> elements to be placed in an HTML page; their colours are CSS classes that
/// chartStyle() defines for light and dark. Every mark carries its numbers as a <title>.
[[nodiscard]] std::string_view chartStyle();

/// A bar a subgraph: latency, coloured by what bounds it, with marks at its compute and memory times.
[[nodiscard]] std::string latencyChart(const Snapshot& snapshot);

/// Fast memory over time, stacked by what occupies it, with the capacity line.
[[nodiscard]] std::string memoryChart(const Snapshot& snapshot, const Occupancy& occupancy);

/// Throughput over intensity, both logarithmic, with the roofs; a dot a subgraph, its area the latency.
[[nodiscard]] std::string rooflineChart(const Snapshot& snapshot, const ScheduleRoofline& roofline);

} // namespace tilewright
