// SPDX-License-Identifier: GPL-3.0-or-later
// Parts of the breakdown: functions for both cost models, and the breakdown on an architecture with levels.
#pragma once

#include "views/mapping/breakdown.h"

namespace tilewright::ui {

/// Computes the totals of the bars and the scale of the section.
void finishSection(BreakdownSection& section);
/// Sets the legend of a section whose bars have a part for each operand.
void addOperandLegend(BreakdownSection& section, const mapping::LoopNest& nest);

/// Builds the breakdown. Precondition: the setup has levels. `baseline`: null, or a baseline with figures of
/// the same cost model.
[[nodiscard]] BreakdownModel breakdownOfLevels(const MappingDocument& state, const MappingBaseline* baseline);

} // namespace tilewright::ui
