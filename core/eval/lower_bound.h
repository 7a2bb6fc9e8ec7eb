// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "eval/request_kinds.h"
#include "rules/rules.h"
#include "workload/problem.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tilewright {

/// A component: ops that can share a subgraph with one another only, and the least that they cost.
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

/// A lower bound of the latency of every valid schedule, with any fusion, retention and recomputation.
struct LowerBound
{
    double value = 0;   ///< sum of the parts' values: at least max(compute, memory)
    double compute = 0; ///< all parts
    double memory = 0;
    std::vector<BoundPart> parts;
    /// Where the bound comes from dual prices (docs/rules/bound.md): the price of each op; they add up to
    /// `value`.
    std::vector<double> prices;
};

/// Whether the latency is optimal: equal to the bound, except for rounding.
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
