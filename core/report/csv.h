// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "report/compare.h"
#include "snapshot/snapshot.h"

#include <string>

namespace tilewright {

/// One row a subgraph: ops, settings, times, traffic, memory, bound. Times of subgraphs that could not be
/// evaluated are empty.
[[nodiscard]] std::string subgraphsCsv(const Snapshot& snapshot);

/// One row a difference: kind, subgraphs, texts, what it adds to the total.
[[nodiscard]] std::string differencesCsv(const Problem& problem, const Comparison& comparison);

} // namespace tilewright
