// SPDX-License-Identifier: GPL-3.0-or-later
// Parts of runPipeline() that look at a finished run; not for other folders.
#pragma once

#include "systolic/pipeline.h"

namespace tilewright::systolic {

/// Fills bubbles, stalls and bottleneck from the events: every cycle without operands entering the array is
/// blamed on what the next COMPUTE waited for at that moment, following the chain of waits to its end.
void explainBubbles(const Program& program, const PipelineMachine& machine, PipelineRun& run);

/// Fills the occupancy of L3, L2 and L1 from the events.
void fillOccupancy(const Program& program, PipelineRun& run);

} // namespace tilewright::systolic
