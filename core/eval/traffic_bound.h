// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "rules/rules.h"
#include "workload/problem.h"

namespace tilewright {

/// A latency that no valid schedule goes below, and the sides it is made of.
struct TrafficBound
{
    double compute = 0; ///< every op's whole result computed once, padded where it must be
    double memory = 0;  ///< graph inputs loaded and graph outputs stored, plus reloads that capacity forces
    [[nodiscard]] double total() const noexcept { return compute > memory ? compute : memory; }
};
[[nodiscard]] TrafficBound trafficBound(const Problem& problem, const Rules& rules);

/// Compute time of one op that no schedule avoids (R8): each of its native tiles once. Padding of clipped
/// tiles counts only for ops that no MatMul reads through pointwise ops, because reduction-derived axes are
/// charged by their extent.
[[nodiscard]] double leastCompute(const Problem& problem, const Rules& rules, OpId op);

} // namespace tilewright
