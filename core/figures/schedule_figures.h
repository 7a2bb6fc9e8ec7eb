// SPDX-License-Identifier: GPL-3.0-or-later
// The figures of an evaluated schedule, by the places that `evaluate --json` gives them.
#pragma once

#include "figures/figure.h"
#include "lower/on_machine.h"
#include "snapshot/snapshot.h"

namespace tilewright::figures {

/// Returns the figures of a schedule. `model` is the model on its machine from which the problem was lowered;
/// may be null. Figures of a subgraph are explained by its steps. If it has more than kMostExplainedSteps
/// steps, they are taken from the evaluator without explanation. A subgraph that breaks a rule has no
/// figures.
[[nodiscard]] Figures scheduleFigures(SnapshotPtr snapshot, lower::ModelOnMachinePtr model = {});
inline constexpr std::int64_t kMostExplainedSteps = 1'000'000;

/// Text of the unit of time of the Schedule lens: "cycles", "units of 4 cycles"; for a problem without a
/// model "units of time".
[[nodiscard]] std::string timeUnitOf(const lower::ModelOnMachinePtr& model);

} // namespace tilewright::figures
