// SPDX-License-Identifier: GPL-3.0-or-later
// Internal parts of runPipeline() that analyse a finished run.
#pragma once

#include "systolic/pipeline.h"

namespace tilewright::systolic {

/// Sets bubbles, stalls and bottleneck. A cycle in which no operands enter the array is attributed to the
/// resource or slot that the next COMPUTE waits for, at the end of its chain of waits.
void explainBubbles(const Program& program, const PipelineMachine& machine, PipelineRun& run);

/// Sets the occupancy of L3, L2 and L1 over time.
void fillOccupancy(const Program& program, PipelineRun& run);

} // namespace tilewright::systolic
