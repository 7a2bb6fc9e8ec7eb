// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "solve/set_cover.h"

namespace tilewright {

/// The bound of setCoverBound() with the ops uncut: of graphs whose op sets are too many to list, those that
/// prices exceed are found (docs/rules/bound.md 8). 0 where there was too little time, or no way: more than
/// 64 ops that meet in subgraphs, views, tiles above the native size.
[[nodiscard]] SetCoverBound grownCoverBound(const Problem& problem, const Rules& rules,
                                            const SetCoverLimits& limits);

} // namespace tilewright
