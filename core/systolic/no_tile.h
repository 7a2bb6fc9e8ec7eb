// SPDX-License-Identifier: GPL-3.0-or-later
// Why no tile of a product fits into a memory (docs/rules/systolic.md 6.1).
#pragma once

#include "base/exclusion.h"
#include "systolic/tile_search.h"

#include <optional>

namespace tilewright::systolic {

/// The smallest set of limits that excludes every candidate tile: of the capacity, the buffering and C in the
/// footprint. `footprint`: that which a tile must have; the analytic method asks for the conservative one
/// whatever the query says. Nothing if a candidate fits.
[[nodiscard]] std::optional<Exclusion> whyNoTile(const TileQuery& query, Footprint footprint);

} // namespace tilewright::systolic
