// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "eval/evaluation.h"
#include "schedule/schedule.h"

#include <cstddef>
#include <string>

namespace tilewright::cli {

/// "layer0.up, layer0.gelu": in full as far as there is room for them, and how many more there are. Ops
/// without a name in the file are left out; empty when none has one.
[[nodiscard]] std::string opNames(const Problem& problem, const std::vector<OpId>& ops);

/// A row a subgraph, in their order; of more than `most` those that take longest, and how many more there
/// are.
void printSubgraphs(const Problem& problem, const Schedule& schedule, const Evaluation& evaluation,
                    std::size_t most);

} // namespace tilewright::cli
