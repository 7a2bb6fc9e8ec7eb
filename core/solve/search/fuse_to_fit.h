// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "solve/plan/plan.h"

#include <functional>

namespace tilewright {

/// Makes a valid plan of one that has each op alone and cannot be settled, because some op fits at no
/// granularity: with too many inputs it may fit together with what makes some of them from the same tensors,
/// or from fewer. Where that finds none and `exactNodes` is above 0 (at most 16 ops, none locked), all plans
/// are searched, up to so many states: then there is none when this is false and `keepGoing` never said no.
[[nodiscard]] bool fuseToFit(SubgraphPool& pool, Plan& plan, std::size_t exactNodes,
                             const std::function<bool()>& keepGoing);

} // namespace tilewright
