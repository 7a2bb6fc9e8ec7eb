// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "schedule/schedule.h"
#include "workload/repetition.h"

#include <cstddef>
#include <vector>

namespace tilewright {

/// Returns for each block of a repetition the index of the first block with an equal schedule. Schedules of
/// two blocks are equal if corresponding ops are in the same subgraphs, with equal execution order,
/// granularities and traversals, and if corresponding tensors are retained.
[[nodiscard]] std::vector<std::size_t> scheduledLike(const Problem& problem, const Schedule& schedule,
                                                     const Repetition& repetition);

} // namespace tilewright
