// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "sweep/collect.h"

#include <string>
#include <vector>

namespace tilewright::sweep {

/// How much of an axis is enough for a metric (docs/rules/sweep.md 4.5).
struct Enough
{
    std::size_t workload = 0;
    std::string axis, metric;
    AxisValue from;      ///< the smallest value from which on the metric stays within the share of its best
    bool isLast = false; ///< it is the largest value that there is: more may bring more
};

/// One for each workload, axis of numbers and metric that is to be small. With several axes it holds whatever
/// the others are: the largest of what is enough beside each of their values. Nothing where an axis has fewer
/// than two values with results.
[[nodiscard]] std::vector<Enough> enoughOf(const SweepTable& table, double share);

} // namespace tilewright::sweep
