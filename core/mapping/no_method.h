// SPDX-License-Identifier: GPL-3.0-or-later
// Why a layer has no valid method (docs/rules/mapping.md 7, "Why there is none").
#pragma once

#include "base/exclusion.h"
#include "mapping/search.h"

#include <optional>

namespace tilewright::mapping {

/// The smallest set of limits that excludes every method of a search space. Limits are PEs, register files,
/// scratchpad banks, bounds of factors, and reductions. Returns nothing if some method is valid, or if
/// deciding this would take too long.
[[nodiscard]] std::optional<Exclusion> whyNoMethod(const LoopNest& nest, const Architecture& architecture,
                                                   const Reductions& reductions);

/// "no valid method exists" or "no valid method was found", with the reason if it is known.
[[nodiscard]] std::string noMethodText(const LoopNest& nest, const Architecture& architecture,
                                       const SearchResult& result);

} // namespace tilewright::mapping
