// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <optional>
#include <span>

namespace tilewright::sweep {

/// A value of what is made small, at a value of an axis (docs/rules/sweep.md 6).
struct CurvePoint
{
    std::size_t row = 0; ///< of the table
    double at = 0;
    double value = 0;
};

/// The smallest of a curve, the first where several are.
[[nodiscard]] std::optional<std::size_t> bestOf(std::span<const CurvePoint> curve);
/// The smallest value of the axis from which on the curve stays within `share` of its best: a single low
/// point before a higher one is not enough.
[[nodiscard]] std::optional<std::size_t> smallestWithin(std::span<const CurvePoint> curve, double share);
/// Where more of the axis begins to give little: the point farthest below the chord between the ends, both
/// axes from 0 to 1 and in logarithms where `logarithmic`. Nothing where no point lies below the chord.
[[nodiscard]] std::optional<std::size_t> kneeOf(std::span<const CurvePoint> curve, bool logarithmic);

} // namespace tilewright::sweep
