// SPDX-License-Identifier: GPL-3.0-or-later
#include "sweep/curve.h"

#include <algorithm>
#include <cmath>

namespace tilewright::sweep {

std::optional<std::size_t> bestOf(std::span<const CurvePoint> curve)
{
    if (curve.empty())
        return std::nullopt;
    return static_cast<std::size_t>(std::ranges::min_element(curve, {}, &CurvePoint::value) - curve.begin());
}

std::optional<std::size_t> smallestWithin(std::span<const CurvePoint> curve, double share)
{
    const auto best = bestOf(curve);
    if (!best)
        return std::nullopt;
    // The tolerance is added to the best value, so that it also works for negative values.
    const double most = curve[*best].value + share * std::abs(curve[*best].value);
    std::size_t first = curve.size();
    while (first > 0 && curve[first - 1].value <= most)
        --first;
    return first < curve.size() ? std::optional(first) : best;
}

std::optional<std::size_t> kneeOf(std::span<const CurvePoint> curve, bool logarithmic)
{
    constexpr std::size_t kFewest = 3;
    constexpr double kBelow = 1e-9; // tolerance: rounding errors are not a knee
    if (curve.size() < kFewest)
        return std::nullopt;
    const auto [low, high] = std::ranges::minmax(curve, {}, &CurvePoint::value);
    const bool logValues = logarithmic && low.value > 0;
    const auto x = [&](const CurvePoint& p) { return logarithmic ? std::log(p.at) : p.at; };
    const auto y = [&](const CurvePoint& p) { return logValues ? std::log(p.value) : p.value; };
    const double width = x(curve.back()) - x(curve.front());
    const double height = y(high) - y(low);
    if (width <= 0 || height <= 0)
        return std::nullopt;
    const double from = (y(curve.front()) - y(low)) / height;
    const double to = (y(curve.back()) - y(low)) / height;
    std::optional<std::size_t> out;
    double farthest = kBelow;
    for (std::size_t i = 0; i < curve.size(); ++i) {
        const double along = (x(curve[i]) - x(curve.front())) / width;
        const double below = from + (to - from) * along - (y(curve[i]) - y(low)) / height;
        if (below > farthest) {
            farthest = below;
            out = i;
        }
    }
    return out;
}

} // namespace tilewright::sweep
