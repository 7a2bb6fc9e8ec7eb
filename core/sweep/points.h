// SPDX-License-Identifier: GPL-3.0-or-later
// What the points of every lens share; internal to core/sweep.
#pragma once

#include "sweep/sweep.h"

namespace tilewright::sweep {

using MaybeResult = std::optional<PointResult>; ///< nullopt: stopped

[[nodiscard]] PointResult failedPoint(std::string sentence);
[[nodiscard]] PointResult failedPoint(const Error& error);

/// The machine for a point.
[[nodiscard]] Result<Machine> machineAt(const Sweep& sweep, const Point& point);
/// The workload for a point, with the point's dimensions.
[[nodiscard]] Result<std::shared_ptr<const lower::Workload>> workloadAt(const Sweep& sweep,
                                                                        const Point& point);

/// Computes a point of the lens mapping: the best mappings of all layers (docs/rules/sweep.md 3).
[[nodiscard]] MaybeResult mappingPoint(const Sweep& sweep, const Point& point, const std::stop_token& stop);

/// Computes a point of the lens language: a step of a language model (docs/rules/sweep.md 3.5).
[[nodiscard]] MaybeResult languagePoint(const Sweep& sweep, const Point& point, const std::stop_token& stop);

} // namespace tilewright::sweep
