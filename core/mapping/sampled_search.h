// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "mapping/search.h"

namespace tilewright::mapping {

/// For layers whose divisors are too many to settle: seeded local search from random tilings, moving one
/// prime factor at a time, until the time (10 s when none is given) or the token ends it. Never proven;
/// the gap is against compulsory traffic and full use of the PEs.
[[nodiscard]] SearchResult sampledSearch(const LoopNest& nest, const Architecture& architecture,
                                         const SearchOptions& options);

} // namespace tilewright::mapping
