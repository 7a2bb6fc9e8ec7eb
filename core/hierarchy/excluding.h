// SPDX-License-Identifier: GPL-3.0-or-later
// The limits that exclude all mappings of a layer (docs/rules/hierarchy.md 8.5).
#pragma once

#include "base/exclusion.h"
#include "hierarchy/constraints.h"

#include <vector>

namespace tilewright::hierarchy {

/// The set of limits that NoMapping::message describes. A limit is the bytes of a level ("buffer.bytes"), the
/// size of an axis ("buffer.rows"), or a requested bound of a factor. Empty if a valid mapping exists, or if
/// finding the set would take too long.
[[nodiscard]] std::vector<ExcludingLimit>
excludingLimits(const LoopNest& nest, const Architecture& architecture, const Constraints& constraints);

} // namespace tilewright::hierarchy
