// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "report/compare.h"
#include "snapshot/snapshot.h"

#include <string>

namespace tilewright {

/// CSV with one row per subgraph: ops, settings, times, traffic, memory, bound. The times of a subgraph that
/// cannot be evaluated are empty.
[[nodiscard]] std::string subgraphsCsv(const Snapshot& snapshot);

/// CSV with one row per difference: kind, subgraphs, texts, change of the total.
[[nodiscard]] std::string differencesCsv(const Problem& problem, const Comparison& comparison);

} // namespace tilewright
