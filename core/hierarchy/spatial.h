// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "hierarchy/constraints.h"

#include <vector>

namespace tilewright::hierarchy {

/// The spatial factors of the loops on every axis of an architecture, level by level from the outermost one.
using SpatialChoice = std::vector<Factors>;

/// Result of listSpatial().
struct SpatialChoices
{
    std::vector<SpatialChoice> list; ///< of choices with equal products on every level, one is listed
    bool complete = true;            ///< false: there are more choices than listed
};

/// All choices whose factors divide the trip counts, fit on the axes, and are allowed by the axes and by the
/// constraints; at most `most`. Choices that use more of the outermost axis come first; choices that agree on
/// that axis are ordered by the next one in the same way.
[[nodiscard]] SpatialChoices listSpatial(const LoopNest& nest, const Architecture& architecture,
                                         std::size_t most, const Constraints& constraints = {});

/// Per level, the product of the spatial factors of each loop.
[[nodiscard]] std::vector<Factors> spatialByLevel(const Architecture& architecture,
                                                  const SpatialChoice& choice);

} // namespace tilewright::hierarchy
