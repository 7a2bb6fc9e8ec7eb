// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "mapping/search.h"

namespace tilewright::mapping {

/// Branch and bound over all imperfect tilings and order classes (docs/rules/mapping.md 9.4): over the
/// numbers of SPM tiles first, which decide what crosses DRAM, then over tile sizes, arrays and splits.
/// Proven unless stopped.
[[nodiscard]] SearchResult imperfectSearch(const LoopNest& nest, const Architecture& architecture,
                                           const SearchOptions& options);

/// All tilings with imperfect factors; nothing when beyond 63 bits or too many to count.
[[nodiscard]] std::optional<std::int64_t> countImperfectTilings(const LoopNest& nest);

} // namespace tilewright::mapping
