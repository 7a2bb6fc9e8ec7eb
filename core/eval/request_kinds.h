// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "rules/rules.h"
#include "workload/problem.h"

#include <vector>

namespace tilewright {

/// True if `consumer` can never be in one subgraph with the producer of its input t: the producer is a
/// Pointwise whose result R4.7 forbids as this operand of a MatMul.
[[nodiscard]] bool isFusionForbidden(const Problem& problem, const Rules& rules, TensorId t, OpId consumer);

/// `rows` is true if every subgraph cuts the rows of the op's result into tiles: no request for it has the
/// range of a reduction as its rows (R6). `cols` says the same of the columns.
struct SpatialAxes
{
    bool rows = true, cols = true;
};
/// Returns the spatial axes by op. Requests with two spatial axes come from the op's own sink or epilogue;
/// other requests come from a consumer in the same subgraph (R6.3, R6.4).
[[nodiscard]] std::vector<SpatialAxes> spatialAxes(const Problem& problem, const Rules& rules);

} // namespace tilewright
