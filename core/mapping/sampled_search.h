// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "mapping/search.h"

namespace tilewright::mapping {

/// Search for layers with too many divisors for an exact search: local search from random tilings with a
/// fixed seed. A move shifts one prime factor to another level. The search ends after the time limit (default
/// 10 s) or when stopped. The result is never proven; its gap refers to a bound from compulsory traffic and
/// full use of the PEs.
[[nodiscard]] SearchResult sampledSearch(const LoopNest& nest, const Architecture& architecture,
                                         const SearchOptions& options);

} // namespace tilewright::mapping
