// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "schedule/schedule.h"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright {

enum class DifferenceKind : std::uint8_t {
    Fused,       ///< several subgraphs became one subgraph
    Split,       ///< one subgraph became several
    Moved,       ///< ops changed subgraphs
    Recompute,   ///< ops are computed more often or less often
    Granularity, ///< different tile size; also a different traversal if one of them is a custom order
    Traversal,   ///< different order of tiles
    Order,       ///< different position in the schedule
    Retain,      ///< different retained tensors
};
[[nodiscard]] std::string_view differenceName(DifferenceKind kind); // "fused", "split", ...

/// One difference between two schedules of a problem.
struct Difference
{
    DifferenceKind kind = DifferenceKind::Moved;
    std::vector<SubgraphId> before; ///< affected subgraphs of the first schedule
    std::vector<SubgraphId> after;  ///< affected subgraphs of the second schedule
    std::vector<OpId> ops;          ///< moved or recomputed ops; for other kinds all ops of the subgraphs
    std::vector<TensorId> tensors;  ///< Retain: tensors that only one of the two retains
    std::string textBefore;
    std::string textAfter;
};

using DifferenceVisitor = std::function<void(const Difference&, const Schedule& applied)>;

/// Visits the differences from `a` to `b`, each with the schedule to which it and all earlier differences
/// have been applied. Subgraphs are matched by their ops; the last schedule has exactly the subgraphs of b.
/// The order is: fused, split, moved and recomputed ops, then granularities, traversals, order, retained
/// tensors. An intermediate schedule can be invalid (a dependency may be violated until the last step), but
/// each of its subgraphs can be evaluated.
void walkDifferences(const Problem& problem, const Schedule& a, const Schedule& b,
                     const DifferenceVisitor& visit);

[[nodiscard]] std::vector<Difference> diff(const Problem& problem, const Schedule& a, const Schedule& b);

} // namespace tilewright
