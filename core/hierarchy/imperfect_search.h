// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "hierarchy/search.h"

namespace tilewright::hierarchy {

/// search() for an architecture with imperfect factors (docs/rules/hierarchy.md 11.3).
[[nodiscard]] SearchResult searchImperfect(const LoopNest& nest, const Architecture& architecture,
                                           const SearchOptions& options);

} // namespace tilewright::hierarchy
