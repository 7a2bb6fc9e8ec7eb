// SPDX-License-Identifier: GPL-3.0-or-later
// Why no tile of a product fits into a memory (docs/rules/systolic.md 6.1).
#pragma once

#include "base/exclusion.h"
#include "systolic/tile_search.h"

#include <optional>

namespace tilewright::systolic {

/// Finds a smallest set of limits that excludes every candidate tile. Limits are the capacity, the buffering,
/// and that C counts in the footprint. `footprint` is the footprint by which tiles must fit; the analytic
/// method always uses the conservative one, whatever the query says. Returns nothing if a candidate fits.
[[nodiscard]] std::optional<Exclusion> whyNoTile(const TileQuery& query, Footprint footprint);

} // namespace tilewright::systolic
