// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "npu/run.h"

#include <vector>

namespace tilewright::npu {

/// Makespans of both schedulers on one number of cores.
struct ScalingPoint
{
    int cores = 1;
    Cycle staticMakespan = 0, dynamicMakespan = 0;
    double staticSpeedup = 1, dynamicSpeedup = 1; ///< relative to one core with the same scheduler
    [[nodiscard]] double staticEfficiency() const noexcept { return staticSpeedup / cores; }
    [[nodiscard]] double dynamicEfficiency() const noexcept { return dynamicSpeedup / cores; }
};

/// Runs both schedulers on each number of cores; 1 is added if missing. All other options stay unchanged.
[[nodiscard]] Result<std::vector<ScalingPoint>> scaling(const NpuGraph& graph, const NpuHardware& hardware,
                                                        const RunOptions& options, std::vector<int> cores,
                                                        const Progress& progress = {});

} // namespace tilewright::npu
