// SPDX-License-Identifier: GPL-3.0-or-later
// The fast memory that an op needs with its thinnest slices (docs/rules/schedule.md R10.5).
#pragma once

#include "workload/problem.h"
#include "workload/rules.h"

#include <cstdint>

namespace tilewright {

/// Fast memory that an op needs, in units (R1.9).
struct OpRoom
{
    std::int64_t alone = 0; ///< sufficient if the op runs alone with w = h = k = 1
    std::int64_t least = 0; ///< necessary in some step of every subgraph that runs the op
};
[[nodiscard]] OpRoom roomOfOp(const Problem& problem, const Rules& rules, OpId op);

} // namespace tilewright
