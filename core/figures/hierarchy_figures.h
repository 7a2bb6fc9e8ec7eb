// SPDX-License-Identifier: GPL-3.0-or-later
// The figures of a mapping on a hierarchy of memories, by the places that `map --json` gives them.
#pragma once

#include "figures/figure.h"
#include "hierarchy/evaluate.h"

namespace tilewright::figures {

/// A mapping's cost (docs/rules/hierarchy.md 2 to 5) with what it was computed from.
struct HierarchySubject
{
    hierarchy::LoopNest nest;
    hierarchy::Architecture architecture;
    hierarchy::Cost cost; ///< cost with figures (Cost::hasNumbers)
};
/// Returns the figures of a mapping: energy and cycles, and of each level its time, traffic and energy by
/// operand. A level is named by its index or by its name.
[[nodiscard]] Figures hierarchyFigures(HierarchySubject subject);

} // namespace tilewright::figures
