// SPDX-License-Identifier: GPL-3.0-or-later
// The reason why buffers cannot be placed (docs/rules/place.md 3.4).
#pragma once

#include "base/exclusion.h"
#include "place/placement.h"

#include <optional>

namespace tilewright {

/// Finds a smallest set of limits that excludes every placement: the capacity and some buffers, none of which
/// can be dropped. `placement` is a placement of all buffers. Returns nothing if the buffers fit, if it is
/// not proven that they do not fit, or if there are too many buffers.
[[nodiscard]] std::optional<Exclusion> whyUnplaceable(const Buffers& buffers, std::int64_t capacity,
                                                      const Placement& placement);

} // namespace tilewright
