// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "sweep/collect.h"

#include <string>
#include <vector>

namespace tilewright::sweep {

/// The axis value that is sufficient for a metric (docs/rules/sweep.md 4.5).
struct Enough
{
    std::size_t workload = 0;
    std::string axis, metric;
    AxisValue from;      ///< smallest value from which on the metric is within the share of its best
    bool isLast = false; ///< true if it is the largest value of the axis: larger values may be better
};

/// Returns one entry per workload, numeric axis and minimised metric. With several axes the value is
/// sufficient for all values of the other axes: it is the maximum over their curves. No entry for an axis
/// with fewer than two values with results.
[[nodiscard]] std::vector<Enough> enoughOf(const SweepTable& table, double share);

} // namespace tilewright::sweep
