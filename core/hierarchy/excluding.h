// SPDX-License-Identifier: GPL-3.0-or-later
// The limits that exclude all mappings of a layer (docs/rules/hierarchy.md 8.5).
#pragma once

#include "base/exclusion.h"
#include "hierarchy/constraints.h"

#include <vector>

namespace tilewright::hierarchy {

/// The set that NoMapping::message is about, limit by limit: bytes of a level ("buffer.bytes"), the size of
/// an axis ("buffer.rows") or a bound of a factor as it is asked for. Empty if a mapping is valid, or if it
/// is too much to settle.
[[nodiscard]] std::vector<ExcludingLimit>
excludingLimits(const LoopNest& nest, const Architecture& architecture, const Constraints& constraints);

} // namespace tilewright::hierarchy
