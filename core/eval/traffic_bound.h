// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "eval/lower_bound.h"
#include "workload/problem.h"
#include "workload/rules.h"

namespace tilewright {

/// A lower bound of the latency of every valid schedule, and its compute and memory parts.
struct TrafficBound
{
    /// Lower bound of the compute time: every op's result once, with unavoidable padding.
    double compute = 0;
    /// Lower bound of the memory time: graph inputs loaded, graph outputs stored, and reloads that the
    /// capacity forces.
    double memory = 0;
    [[nodiscard]] double total() const noexcept { return compute > memory ? compute : memory; }
};
[[nodiscard]] TrafficBound trafficBound(const Problem& problem, const Rules& rules);

/// Lower bound of the compute time of one op in any schedule (R8): each of its native tiles once. Clipped
/// tiles count as whole tiles only if no MatMul reads the op's result, directly or through Pointwise ops.
/// Otherwise an axis can be a part of the MatMul's reduction, which costs in proportion to its size. `axes`:
/// of the op, from spatialAxes().
[[nodiscard]] double leastCompute(const Problem& problem, const Rules& rules, OpId op,
                                  const SpatialAxes& axes);

/// Lower bound of the compute time of one MatMul with compute=array (R8.2). The successive runs for one
/// request form a grid: rows, columns and K are each cut into pieces. No cut takes fewer cycles than none:
/// the pieces have at least as many folds in total, and the fill and drain cycles saved by one more piece (at
/// most one cycle) are lost by folds or by lower use of the array. A certainly spatial row (column) axis is
/// cut into native tiles at least; if both axes are spatial, the MatMul is a driver (R5.4) and its K is cut
/// as R4.2 requires.
[[nodiscard]] double leastArrayTime(const Problem& problem, const Rules& rules, OpId op, bool spatialRows,
                                    bool spatialCols);

} // namespace tilewright
