// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/progress.h"
#include "eval/evaluation.h"
#include "schedule/diff.h"

#include <vector>

namespace tilewright {

/// What one difference adds to the total latency when the differences are applied one after another.
struct Contribution
{
    Difference difference;
    double delta = 0; ///< exact; negative is faster
    double total = 0; ///< with this difference and all before it
};

/// Two schedules of one problem and how the one becomes the other. The deltas add up to after - before.
struct Comparison
{
    double before = 0;
    double after = 0;
    std::vector<Contribution> contributions;
    bool stopped = false; ///< the list is not complete
};
[[nodiscard]] Comparison compareSchedules(const ProblemPtr& problem, const Schedule& before,
                                          const Schedule& after, const Rules& rules,
                                          const Progress& progress = {});

/// Indices of the contributions, the greatest saving first and the greatest loss last.
[[nodiscard]] std::vector<std::size_t> rankedByGain(const Comparison& comparison);

} // namespace tilewright
