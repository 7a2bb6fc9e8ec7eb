// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <optional>
#include <span>

namespace tilewright::sweep {

/// One sample of the minimised metric along an axis (docs/rules/sweep.md 6).
struct CurvePoint
{
    std::size_t row = 0; ///< index of the row in the table
    double at = 0;
    double value = 0;
};

/// Index of the smallest value of a curve; the first one on a tie.
[[nodiscard]] std::optional<std::size_t> bestOf(std::span<const CurvePoint> curve);
/// Index of the smallest axis value from which on all values are within `share` of the best. A single low
/// value before a higher one does not count.
[[nodiscard]] std::optional<std::size_t> smallestWithin(std::span<const CurvePoint> curve, double share);
/// Index of the knee: the point farthest below the chord between both ends, with both axes scaled to 0..1
/// (and logarithmic if `logarithmic`). nullopt if no point is below the chord.
[[nodiscard]] std::optional<std::size_t> kneeOf(std::span<const CurvePoint> curve, bool logarithmic);

} // namespace tilewright::sweep
