// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "report/snapshot.h"

namespace tilewright {

/// Evaluates and wraps up; measures the time it took.
[[nodiscard]] SnapshotPtr takeSnapshot(ProblemPtr problem, const Schedule& schedule, const Rules& rules,
                                       double lowerBound, std::uint64_t revision);

} // namespace tilewright
