// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "rules/rules.h"
#include "workload/problem.h"

namespace tilewright {

/// A lower bound of the latency of every valid schedule, and its two sides.
struct TrafficBound
{
    double compute = 0; ///< every op's whole result computed once, padded where it must be
    double memory = 0;  ///< graph inputs loaded and graph outputs stored, plus reloads that capacity forces
    [[nodiscard]] double total() const noexcept { return compute > memory ? compute : memory; }
};
[[nodiscard]] TrafficBound trafficBound(const Problem& problem, const Rules& rules);

/// Least compute time of one op in any schedule (R8): each of its native tiles once. Padding of clipped
/// tiles counts only for ops that no MatMul reads through pointwise ops, because reduction-derived axes are
/// charged by their extent.
[[nodiscard]] double leastCompute(const Problem& problem, const Rules& rules, OpId op);

/// Compute time of one MatMul that no schedule avoids with compute=array (R8.2). The runs that one request
/// after the other makes of it are a grid: its rows, its columns and its K, each cut into pieces, and no cut
/// takes fewer cycles than none: pieces have at least as many folds together, and what one more piece saves
/// of fill and drain (at most one cycle) it costs in folds or in what it reaches of the array. Where a row
/// (column) axis is spatial for certain it is cut into native tiles at least; where both are, the MatMul is a
/// driver (R5.4) and its K is cut as R4.2 demands.
[[nodiscard]] double leastArrayTime(const Problem& problem, const Rules& rules, OpId op, bool spatialRows,
                                    bool spatialCols);

} // namespace tilewright
