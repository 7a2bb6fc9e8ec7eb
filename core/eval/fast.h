// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "eval/evaluation.h"
#include "rules/subgraph_plan.h"

#include <cstdint>
#include <span>

namespace tilewright {

/// What surrounds a subgraph in its schedule, as bits over a plan's own lists (at most 64 of each; see
/// isCompact()).
struct Surroundings
{
    std::uint64_t residentInputs = 0; ///< bit i: plan.inputs()[i] is in RES before the subgraph
    std::uint64_t retained = 0;       ///< bit i: plan.products()[i] is retained
    std::uint64_t retainedInputs = 0; ///< bit i: plan.inputs()[i] is retained (retain_inputs=allow only)
    /// Resident tensors that the subgraph does not read (R9.3), in elements. Resident inputs and whatever
    /// the three masks name are added by the plan.
    std::int64_t otherReserved = 0;
    bool operator==(const Surroundings&) const = default;
};

/// Where slices of one tensor can meet in ways that have no closed form (a MatMul whose product is both of
/// its consumer's inputs, say), the fast form walks the steps. When there are more than this, the result is
/// an estimate that leaves such sharing out, and says so (exact = false).
inline constexpr std::int64_t kMostWalkedSteps = 2'000'000;

/// Whether Surroundings can describe what is around it: at most 64 inputs and 64 products.
[[nodiscard]] inline bool isCompact(const SubgraphPlan& plan) noexcept
{
    return plan.inputs().size() <= 64 && plan.products().size() <= 64;
}

/// The result in closed form over identical steps: the cost does not depend on the number of tiles for
/// raster, snake, column and column snake. Equal to the explaining form. structurallyValid is false when
/// plan.check() or R5.3 fails. Compact plans only.
[[nodiscard]] SubgraphEvaluation evaluate(const SubgraphPlan& plan, const Granularity& g,
                                          const Traversal& traversal, const Surroundings& around);
/// The same for any number of inputs; `resident` = RES before the subgraph, `retain` as in Subgraph. With
/// fewer `mostWalkedSteps` more results are estimates; with 0 nothing is walked at all, and what has no
/// estimate either counts as structurally invalid.
[[nodiscard]] SubgraphEvaluation evaluate(const SubgraphPlan& plan, const Granularity& g,
                                          const Traversal& traversal, std::span<const TensorId> resident,
                                          std::span<const TensorId> retain,
                                          std::int64_t mostWalkedSteps = kMostWalkedSteps);

/// Peak working set alone (exact, several times cheaper than evaluate() for the usual shapes); the
/// granularity passes plan.check(). Compact plans only. It does not depend on the traversal unless a tensor
/// is requested both whole and in part; then this is the peak under `traversal`.
[[nodiscard]] std::int64_t peakWorkingSet(const SubgraphPlan& plan, const Granularity& g,
                                          const Traversal& traversal, const Surroundings& around);

/// Evaluates one subgraph in its place by the fast form.
[[nodiscard]] SubgraphEvaluation evaluateSubgraph(const Problem& problem, const Subgraph& subgraph,
                                                  std::span<const TensorId> residentBefore,
                                                  const Rules& rules);

} // namespace tilewright
