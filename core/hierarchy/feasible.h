// SPDX-License-Identifier: GPL-3.0-or-later
// Whether a layer has a valid mapping at all, and why it has none (docs/rules/hierarchy.md 8).
#pragma once

#include "hierarchy/constraints.h"

#include <optional>
#include <string>

namespace tilewright::hierarchy {

/// Why no mapping is valid: a smallest set of limits that exclude one another.
struct NoMapping
{
    std::string message; ///< one sentence without a full stop
    int loop = -1;       ///< index of the loop if the reason is about a single one
    int level = -1;      ///< index of the level if the reason is about a single one

    bool operator==(const NoMapping&) const = default;
};

/// A mapping that is valid and keeps the constraints, or the reason for which there is none. Neither if this
/// is too much to settle.
struct Feasible
{
    std::optional<Mapping> mapping;
    std::optional<NoMapping> reason;
};

[[nodiscard]] Feasible findMapping(const LoopNest& nest, const Architecture& architecture,
                                   const Constraints& constraints);

} // namespace tilewright::hierarchy
