// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "mapping/fast_evaluator.h"
#include "mapping/search.h"

#include <functional>

namespace tilewright::mapping {

struct BruteForceResult
{
    std::array<std::optional<Cost>, kObjectives> best;
    std::vector<Cost> front;  ///< energy ascending
    std::int64_t tilings = 0; ///< all factorisations
    std::int64_t valid = 0;
    std::int64_t evaluations = 0; ///< (tiling, class pair) costs
};

/// Every tiling under every pair of order classes, without any cut: what the branch and bound is tested
/// against. One thread; for small layers. `allowed`: which tilings count.
[[nodiscard]] BruteForceResult bruteForce(const LoopNest& nest, const Architecture& architecture,
                                          const std::function<bool(const Method&)>& allowed = {});

} // namespace tilewright::mapping
