// SPDX-License-Identifier: GPL-3.0-or-later
// Curves over one axis of a sweep, and the axis value that is enough.
#pragma once

#include "sweep/folder.h"

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tilewright::sweep {

/// One sample of the minimised metric along an axis (docs/rules/sweep.md 6).
struct CurvePoint
{
    std::size_t row = 0; ///< index of the row in the table
    double at = 0;
    double value = 0;
};

/// True if larger values of the metric are better. For all other metrics smaller values are better.
[[nodiscard]] constexpr bool isMoreBetter(std::string_view metric)
{
    return metric == "tokens_per_second";
}
/// True if a value of the metric is at most the limit, or at least the limit if larger values are better.
[[nodiscard]] constexpr bool meets(double value, std::string_view metric, double limit)
{
    return isMoreBetter(metric) ? value >= limit : value <= limit;
}
/// Converts a value of the metric to a cost, of which smaller values are better: the value itself or, if
/// larger values are better, its inverse.
[[nodiscard]] double costOf(double value, std::string_view metric);
/// Converts the values of a curve to costs.
[[nodiscard]] std::vector<CurvePoint> costsOf(std::span<const CurvePoint> curve, std::string_view metric);

/// Index of the smallest value of a curve; the first one on a tie.
[[nodiscard]] std::optional<std::size_t> bestOf(std::span<const CurvePoint> curve);
/// Index of the smallest axis value from which on all values are within `share` of the best value. A single
/// low value before a higher one does not count.
[[nodiscard]] std::optional<std::size_t> smallestWithin(std::span<const CurvePoint> curve, double share);
/// Index of the knee: the point farthest below the chord between both ends of the curve. Both axes are scaled
/// to 0..1 (logarithmically if `logarithmic`). nullopt if no point is below the chord.
[[nodiscard]] std::optional<std::size_t> kneeOf(std::span<const CurvePoint> curve, bool logarithmic);

/// Keeps the rows of a table whose metric meets a limit, given as "METRIC=VALUE" (docs/rules/sweep.md 4.6).
/// The Error says what is wrong with the text.
[[nodiscard]] Status keepMeeting(SweepTable& table, std::string_view limit);

/// The axis value that is sufficient for a metric (docs/rules/sweep.md 4.5).
struct Enough
{
    std::size_t workload = 0;
    std::string axis, metric;
    AxisValue from;      ///< smallest value from which on the metric is within the share of its best
    bool isLast = false; ///< true if it is the largest value of the axis, so that larger values may be better
};

/// Returns one entry per workload, numeric axis and minimised metric. With several axes the value is
/// sufficient for all values of the other axes: it is the maximum over their curves. No entry for an axis
/// with fewer than two values with results.
[[nodiscard]] std::vector<Enough> enoughOf(const SweepTable& table, double share);

} // namespace tilewright::sweep
