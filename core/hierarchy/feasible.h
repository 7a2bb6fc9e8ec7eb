// SPDX-License-Identifier: GPL-3.0-or-later
// Whether a layer has a valid mapping at all, and why it has none (docs/rules/hierarchy.md 8).
#pragma once

#include "hierarchy/constraints.h"

#include <optional>
#include <string>

namespace tilewright::hierarchy {

/// Why no mapping is valid: a smallest set of limits that together exclude every mapping.
struct NoMapping
{
    std::string message; ///< one sentence without a full stop
    int loop = -1;       ///< index of the loop if the reason concerns a single one; else -1
    int level = -1;      ///< index of the level if the reason concerns a single one; else -1

    bool operator==(const NoMapping&) const = default;
};

/// A mapping that is valid and satisfies the constraints, or the reason why there is none. Neither is set if
/// finding them would take too long.
struct Feasible
{
    std::optional<Mapping> mapping;
    std::optional<NoMapping> reason;
};

[[nodiscard]] Feasible findMapping(const LoopNest& nest, const Architecture& architecture,
                                   const Constraints& constraints);

} // namespace tilewright::hierarchy
