// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "mapping/search.h"

namespace tilewright::mapping {

/// Cost of the layer if its loops are padded to trip counts with more divisors (docs/rules/mapping.md 9.5).
struct PaddingHint
{
    Factors trips{};
    MethodCost best; ///< best method of the padded layer for the given objective
};

/// The trip counts, each increased by at most 4 % to a number whose prime factors are small.
[[nodiscard]] Factors paddedTrips(const LoopNest& nest);

/// A padding that improves the objective by at least 1 % over `result`; nullopt if none is found. Searches
/// for at most two seconds.
[[nodiscard]] std::optional<PaddingHint> paddingHint(const LoopNest& nest, const Architecture& architecture,
                                                     const SearchResult& result, Objective objective,
                                                     const std::stop_token& stop = {});

/// The best method with imperfect factors (docs/rules/mapping.md 9.5) if it improves the objective by at
/// least 1 % over `result`. nullopt if it does not, or if every trip count has enough divisors that none
/// would be padded. The search takes at most two seconds; the result is the best method found in this time.
[[nodiscard]] std::optional<MethodCost> imperfectHint(const LoopNest& nest, const Architecture& architecture,
                                                      const SearchResult& result, Objective objective,
                                                      const std::stop_token& stop = {});

} // namespace tilewright::mapping
