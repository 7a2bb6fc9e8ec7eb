// SPDX-License-Identifier: GPL-3.0-or-later
// The figures of an evaluated schedule, by the places that `evaluate --json` gives them.
#pragma once

#include "figures/figure.h"
#include "lower/on_machine.h"
#include "snapshot/snapshot.h"

namespace tilewright::figures {

/// Returns the figures of a schedule; `model`: the model on the machine that its problem is made of, may be
/// null. Figures of a subgraph are made of its steps; those of a subgraph with more steps than
/// kMostExplainedSteps are given by the evaluator as a whole, and one that breaks a rule has none.
[[nodiscard]] Figures scheduleFigures(SnapshotPtr snapshot, lower::ModelOnMachinePtr model = {});
inline constexpr std::int64_t kMostExplainedSteps = 1'000'000;

/// What a unit of time of the Schedule lens is: "cycles", "units of 4 cycles", or of a plain problem "units
/// of time".
[[nodiscard]] std::string timeUnitOf(const lower::ModelOnMachinePtr& model);

} // namespace tilewright::figures
