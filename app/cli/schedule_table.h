// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "eval/evaluation.h"
#include "schedule/schedule.h"

#include <cstddef>
#include <string>

namespace tilewright::cli {

/// Returns the names of the ops, such as "layer0.up, layer0.gelu": as many as there is room for, and the
/// number of the others. Ops without a name in the file are left out; the result is empty if no op has a
/// name.
[[nodiscard]] std::string opNames(const Problem& problem, const std::vector<OpId>& ops);

/// Prints a row for each subgraph, in the order of the schedule. If there are more than `most`, prints those
/// with the largest latencies, and the number of the others.
void printSubgraphs(const Problem& problem, const Schedule& schedule, const Evaluation& evaluation,
                    std::size_t most);

} // namespace tilewright::cli
