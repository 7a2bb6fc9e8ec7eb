// SPDX-License-Identifier: GPL-3.0-or-later
// Parts of the breakdown: what both cost models share, and the breakdown on an architecture with levels.
#pragma once

#include "views/mapping/breakdown.h"

namespace tilewright::ui {

/// Sums up the bars, and sets the scale of the section.
void finishSection(BreakdownSection& section);
/// The legend of a section whose bars have a part for each operand.
void addOperandLegend(BreakdownSection& section, const mapping::LoopNest& nest);

/// Precondition: the setup has levels. `baseline`: null, or one with figures of the same cost model.
[[nodiscard]] BreakdownModel breakdownOfLevels(const MappingDocument& state, const MappingBaseline* baseline);

} // namespace tilewright::ui
