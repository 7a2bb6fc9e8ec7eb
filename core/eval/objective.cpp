// SPDX-License-Identifier: GPL-3.0-or-later
#include "eval/objective.h"

#include <algorithm>
#include <utility>

namespace tilewright {

void addToFront(Front& front, FrontPoint point)
{
    constexpr double kRounding = 1 + 1e-12; // points that differ only by rounding count as equal
    const auto covers = [](const FrontPoint& a, const FrontPoint& b) {
        return a.latency <= b.latency * kRounding && a.energy <= b.energy * kRounding;
    };
    if (std::ranges::any_of(front,
                            [&](const FrontPoint& p) { return covers(p, point) && !covers(point, p); }))
        return;
    std::erase_if(front, [&](const FrontPoint& p) { return covers(point, p); });
    front.insert(std::ranges::upper_bound(front, point.latency, {}, &FrontPoint::latency), std::move(point));
}

} // namespace tilewright
