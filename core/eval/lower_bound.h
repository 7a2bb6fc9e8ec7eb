// SPDX-License-Identifier: GPL-3.0-or-later
// Quick lower bounds, and the facts from which they follow: forbidden fusions, axes that are always tiled,
// components.
#pragma once

#include "workload/problem.h"
#include "workload/rules.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace tilewright {

/// True if `consumer` can never be in one subgraph with the producer of its input t: the producer is a
/// Pointwise whose result R4.7 forbids as this operand of a MatMul.
[[nodiscard]] bool isFusionForbidden(const Problem& problem, const Rules& rules, TensorId t, OpId consumer);

/// `rows` is true if every subgraph cuts the rows of the op's result into tiles: no request for it has the
/// range of a reduction as its rows (R6). `cols` is the same for the columns. `boxed` is true if a request
/// may come through an index map (R1.8), so that a run may have any extent whatever its kind.
struct SpatialAxes
{
    bool rows = true, cols = true;
    bool boxed = false;
    std::int64_t least = 0; ///< least number of elements of the result that every schedule computes
};
/// Returns the spatial axes by op. Requests with two spatial axes come from the op's own sink or epilogue;
/// other requests come from a consumer in the same subgraph (R6.3, R6.4).
[[nodiscard]] std::vector<SpatialAxes> spatialAxes(const Problem& problem, const Rules& rules);

/// Splits the ops into components so that no subgraph contains ops of two components (docs/rules/bound.md 4).
/// Each component is in topological order.
[[nodiscard]] std::vector<std::vector<OpId>> componentsOf(const Problem& problem, const Rules& rules);

/// Lower bound of one component, i.e. of ops that can share a subgraph only with one another.
struct BoundPart
{
    std::vector<OpId> ops;
    double compute = 0;              ///< lower bound of the compute time
    std::int64_t inputElements = 0;  ///< graph inputs loaded, in units (R1.9)
    std::int64_t outputElements = 0; ///< graph outputs stored, in units
    /// Intermediate tensors that must be stored to slow memory and loaded again, in units.
    std::int64_t spilledElements = 0;
    double memory = 0; ///< lower bound of the memory time
    double value = 0;  ///< max(compute, memory)
    std::string text;  ///< one sentence for the user
};

/// A lower bound of the latency of every valid schedule, with any fusion, retention and recomputation.
struct LowerBound
{
    double value = 0;   ///< sum of the parts' values; at least max(compute, memory)
    double compute = 0; ///< sums over all parts
    double memory = 0;
    std::vector<BoundPart> parts;
    /// For bounds by dual prices (docs/rules/bound.md): the price of each op; they add up to `value`.
    std::vector<double> prices;
};

/// True if the latency equals the lower bound, except for rounding, and is thus optimal.
[[nodiscard]] constexpr bool meetsBound(double total, double lowerBound)
{
    constexpr double kRounding = 1 + 1e-8; // bounds are rounded down by less than this factor
    return total <= lowerBound * kRounding;
}

/// Lower bound of the number of elements that op `o` reads of an operand (given by index) if `least` elements
/// of its result are computed. The elements are those of the tensor that stores the operand.
[[nodiscard]] std::int64_t leastRead(const Problem& problem, OpId o, std::size_t operand, std::int64_t least);
/// The largest leastRead() over those operands of a reader that are tensor `t`.
[[nodiscard]] std::int64_t leastReadOf(const Problem& problem, TensorId t, OpId reader, std::int64_t least);

/// Lower bound of the elements of t, which is a graph input or a view, that every schedule loads. `axes`:
/// spatialAxes().
[[nodiscard]] std::int64_t leastLoaded(const Problem& problem, const Rules& rules, TensorId t,
                                       const std::vector<SpatialAxes>& axes);

/// Lower bound of the compute time of one op in any subgraph: see lower_bound.cpp, 3.
[[nodiscard]] double leastTime(const Problem& problem, const Rules& rules, OpId o,
                               const SpatialAxes& spatial);

/// Returns one part for each of componentsOf(), in the same order. lowerBound() may be higher, since it
/// includes reloads that the capacity forces in the graph as a whole.
[[nodiscard]] LowerBound lowerBoundByComponents(const Problem& problem, const Rules& rules);

/// Returns the quick lower bound; lower_bound.cpp explains why it is valid. Takes well under a millisecond
/// for a few hundred ops.
[[nodiscard]] LowerBound lowerBound(const Problem& problem, const Rules& rules);

} // namespace tilewright
