// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "eval/request_kinds.h"
#include "rules/rules.h"
#include "workload/problem.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tilewright {

/// Ops that can only ever meet in one subgraph with one another, and what they need at least.
struct BoundPart
{
    std::vector<OpId> ops;
    double compute = 0;               ///< time
    std::int64_t inputElements = 0;   ///< graph inputs loaded
    std::int64_t outputElements = 0;  ///< graph outputs stored
    std::int64_t spilledElements = 0; ///< intermediate tensors that must go through slow memory (both ways)
    double memory = 0;                ///< time of the traffic
    double value = 0;                 ///< max(compute, memory)
    std::string text;                 ///< one sentence
};

/// No valid schedule of the problem is faster, whatever it fuses, retains or recomputes.
struct LowerBound
{
    double value = 0;   ///< sum of the parts' values: at least max(compute, memory)
    double compute = 0; ///< all parts
    double memory = 0;
    std::vector<BoundPart> parts;
    /// By op, where the bound is one of prices (docs/rules/bound.md): they add up to `value`.
    std::vector<double> prices;
};

/// Whether nothing can be faster: the latency is no higher than the bound, but for the rounding of bounds.
[[nodiscard]] constexpr bool meetsBound(double total, double lowerBound)
{
    constexpr double kRounding = 1 + 1e-8; // a bound is rounded down by less
    return total <= lowerBound * kRounding;
}

/// Compute time of one op in whatever subgraph: see lower_bound.cpp, 3.
[[nodiscard]] double leastTime(const Problem& problem, const Rules& rules, OpId o,
                               const SpatialAxes& spatial);

/// A part for each of componentsOf(), in their order. lowerBound() says more where capacity forces the graph
/// as a whole to load again.
[[nodiscard]] LowerBound lowerBoundByComponents(const Problem& problem, const Rules& rules);

/// The reasons are in lower_bound.cpp. Takes well under a millisecond for a few hundred ops.
[[nodiscard]] LowerBound lowerBound(const Problem& problem, const Rules& rules);

} // namespace tilewright
