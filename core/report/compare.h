// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/progress.h"
#include "eval/evaluation.h"
#include "schedule/diff.h"

#include <vector>

namespace tilewright {

/// Change of the total latency by one difference, when the differences are applied one after another.
struct Contribution
{
    Difference difference;
    double delta = 0; ///< change of the total latency, exact; negative is faster
    double total = 0; ///< total latency after this difference
};

/// Two schedules of one problem and their differences. The deltas add up to after - before.
struct Comparison
{
    double before = 0;
    double after = 0;
    std::vector<Contribution> contributions;
    bool stopped = false; ///< true if a stop request made the list incomplete
};
[[nodiscard]] Comparison compareSchedules(const ProblemPtr& problem, const Schedule& before,
                                          const Schedule& after, const Rules& rules,
                                          const Progress& progress = {});

/// Indices of the contributions, largest saving first and largest loss last.
[[nodiscard]] std::vector<std::size_t> rankedByGain(const Comparison& comparison);

} // namespace tilewright
