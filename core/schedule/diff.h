// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "schedule/schedule.h"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright {

enum class DifferenceKind : std::uint8_t {
    Fused,       ///< several subgraphs became one
    Split,       ///< one subgraph became several
    Moved,       ///< ops changed subgraphs
    Recompute,   ///< ops are computed more or less often
    Granularity, ///< other tile sizes (and order, where one of them is a custom order for its grid)
    Traversal,   ///< another order of tiles
    Order,       ///< another place in the schedule
    Retain,      ///< other tensors stay resident
};
[[nodiscard]] std::string_view differenceName(DifferenceKind kind); // "fused", "split", ...

/// One thing that is different between two schedules of a problem.
struct Difference
{
    DifferenceKind kind = DifferenceKind::Moved;
    std::vector<SubgraphId> before; ///< concerned in the first schedule
    std::vector<SubgraphId> after;  ///< concerned in the second
    std::vector<OpId> ops;          ///< moved or recomputed ops, otherwise all of the subgraphs
    std::vector<TensorId> tensors;  ///< Retain: those retained in only one of the two
    std::string textBefore;
    std::string textAfter;
};

using DifferenceVisitor = std::function<void(const Difference&, const Schedule& applied)>;

/// How to get from `a` to `b`, subgraphs matched by their ops: visits each difference with the schedule in
/// which it and all before it have been applied; the last one has exactly b's subgraphs. First fused, split,
/// moved and recomputed ops, then granularities, traversals, order, retains. A schedule on the way can be
/// invalid (a dependency may be out of order until the last step), but every subgraph in it can be evaluated.
void walkDifferences(const Problem& problem, const Schedule& a, const Schedule& b,
                     const DifferenceVisitor& visit);

[[nodiscard]] std::vector<Difference> diff(const Problem& problem, const Schedule& a, const Schedule& b);

} // namespace tilewright
