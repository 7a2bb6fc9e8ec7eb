// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "mapping/search.h"

namespace tilewright::mapping {

/// What the layer would cost with loops padded to trip counts that have more factors
/// (docs/rules/mapping.md 9.5).
struct PaddingHint
{
    Factors trips{};
    MethodCost best; ///< of the padded layer, for the objective that was asked for
};

/// Every trip count raised to a number with small prime factors, at most 4 % above it.
[[nodiscard]] Factors paddedTrips(const LoopNest& nest);

/// Nothing unless padding makes the objective at least a hundredth better than the result. Searches for at
/// most two seconds.
[[nodiscard]] std::optional<PaddingHint> paddingHint(const LoopNest& nest, const Architecture& architecture,
                                                     const SearchResult& result, Objective objective,
                                                     const std::stop_token& stop = {});

} // namespace tilewright::mapping
