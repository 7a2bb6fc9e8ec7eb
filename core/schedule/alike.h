// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "schedule/schedule.h"
#include "workload/repetition.h"

#include <cstddef>
#include <vector>

namespace tilewright {

/// Per block of a repetition the first block that is scheduled like it: the corresponding ops together in the
/// same order of execution, with the same granularity and traversal, and the corresponding tensors retained.
[[nodiscard]] std::vector<std::size_t> scheduledLike(const Problem& problem, const Schedule& schedule,
                                                     const Repetition& repetition);

} // namespace tilewright
