// SPDX-License-Identifier: GPL-3.0-or-later
// Why buffers cannot be placed (docs/rules/place.md 3.4).
#pragma once

#include "base/exclusion.h"
#include "place/placement.h"

#include <optional>

namespace tilewright {

/// The smallest set of limits that excludes every placement: the capacity and buffers of which none can be
/// left out. `placement` is that of all buffers. Nothing if it fits, if it is not known that none does, or if
/// the buffers are too many to tell.
[[nodiscard]] std::optional<Exclusion> whyUnplaceable(const Buffers& buffers, std::int64_t capacity,
                                                      const Placement& placement);

} // namespace tilewright
