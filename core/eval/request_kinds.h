// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "rules/rules.h"
#include "workload/problem.h"

#include <vector>

namespace tilewright {

/// Whether `consumer` can never be in one subgraph with the producer of its input t: a Pointwise whose result
/// R4.7 forbids as this operand of a MatMul.
[[nodiscard]] bool isFusionForbidden(const Problem& problem, const Rules& rules, TensorId t, OpId consumer);

/// Whether no request can reach the op with a reduction-derived row (column) axis (R6), so that its rows
/// (columns) are cut into tiles in whatever subgraph it runs.
struct SpatialAxes
{
    bool rows = true, cols = true;
};
/// By op. Requests reach an op from its own sink or epilogue with two spatial axes, or from a consumer in the
/// same subgraph (R6.3, R6.4).
[[nodiscard]] std::vector<SpatialAxes> spatialAxes(const Problem& problem, const Rules& rules);

} // namespace tilewright
