// SPDX-License-Identifier: GPL-3.0-or-later
#include "npu/run.h"

#include <algorithm>

namespace tilewright::npu {

Result<std::vector<ScalingPoint>> scaling(const NpuGraph& graph, const NpuHardware& hardware,
                                          const BothSchedulers& schedulers, std::vector<int> cores,
                                          const Progress& progress)
{
    cores.push_back(1);
    std::sort(cores.begin(), cores.end());
    cores.erase(std::unique(cores.begin(), cores.end()), cores.end());
    std::vector<ScalingPoint> out;
    for (const int n : cores) {
        NpuHardware hw = hardware;
        hw.cores = n;
        ScalingPoint point;
        point.cores = n;
        for (RunOptions options : {schedulers.fixed, schedulers.dynamic}) {
            options.recordDram = false;
            const auto run = simulate(graph, hw, options, progress);
            if (!run)
                return run.error();
            (options.scheduler == Scheduler::Static ? point.staticMakespan : point.dynamicMakespan) =
                run->makespan;
        }
        const auto speedup = [](Cycle one, Cycle now) {
            return now > 0 ? static_cast<double>(one) / static_cast<double>(now) : 1.0;
        };
        const ScalingPoint& first = out.empty() ? point : out.front();
        point.staticSpeedup = speedup(first.staticMakespan, point.staticMakespan);
        point.dynamicSpeedup = speedup(first.dynamicMakespan, point.dynamicMakespan);
        out.push_back(point);
    }
    return out;
}

} // namespace tilewright::npu
