// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "eval/evaluation.h"

#include <cstdint>
#include <vector>

namespace tilewright {

/// Where a subgraph stands between the roofs. Work is counted in time at full efficiency: each op once,
/// without padding (base_cost x H / native_h x W / native_w), so the compute roof is 1.
struct SubgraphPoint
{
    SubgraphId subgraph;
    double work = 0;
    double latency = 0;
    double compute = 0;        ///< padded, and with whatever is computed more than once
    std::int64_t traffic = 0;  ///< elements loaded and stored
    double intensity = 0;      ///< work / traffic; infinite without traffic
    double throughput = 0;     ///< work / latency; at most min(1, bandwidth x intensity)
    double paddingCeiling = 1; ///< work / compute: the throughput if memory were infinitely fast
    Bound bound = Bound::Balanced;
};

struct ScheduleRoofline
{
    std::vector<SubgraphPoint> points; ///< structurally valid subgraphs that take time, in their order
    SubgraphPoint whole;               ///< of the whole schedule; its subgraph means nothing
    double computeRoof = 1;
    double bandwidth = 1; ///< slope of the memory roof: throughput = bandwidth x intensity
    double ridge = 1;     ///< intensity at which the roofs meet
};

[[nodiscard]] ScheduleRoofline scheduleRoofline(const Problem& problem, const Schedule& schedule,
                                                const Evaluation& evaluation);

/// Unpadded time of an op, the unit of `work` above.
[[nodiscard]] double opWork(const Problem& problem, OpId op, const Rules& rules);

} // namespace tilewright
