// SPDX-License-Identifier: GPL-3.0-or-later
// What the points of every lens share; internal to core/sweep.
#pragma once

#include "sweep/sweep.h"

namespace tilewright::sweep {

using MaybeResult = std::optional<PointResult>; ///< nullopt: stopped

[[nodiscard]] PointResult failedPoint(std::string sentence);
[[nodiscard]] PointResult failedPoint(const Error& error);

/// The machine of a point.
[[nodiscard]] Result<Machine> machineAt(const Sweep& sweep, const Point& point);
/// The workload of a point, with its dimensions.
[[nodiscard]] Result<std::shared_ptr<const lower::Workload>> workloadAt(const Sweep& sweep,
                                                                        const Point& point);

/// The best mappings of all layers at a point (docs/rules/sweep.md 3).
[[nodiscard]] MaybeResult mappingPoint(const Sweep& sweep, const Point& point, const std::stop_token& stop);

/// A step of a language model at a point (docs/rules/sweep.md 3.5).
[[nodiscard]] MaybeResult languagePoint(const Sweep& sweep, const Point& point, const std::stop_token& stop);

} // namespace tilewright::sweep
