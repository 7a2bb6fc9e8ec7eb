// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "eval/evaluation.h"

#include <cstdint>
#include <vector>

namespace tilewright {

/// Position of a subgraph in the roofline chart. Work is measured as the time at full efficiency: each op
/// once, without padding (base_cost x H / native_h x W / native_w). The compute roof is therefore 1.
struct SubgraphPoint
{
    SubgraphId subgraph;
    double work = 0;
    double latency = 0;
    double compute = 0;        ///< compute time with padding and repeated work
    std::int64_t traffic = 0;  ///< elements loaded and stored
    double intensity = 0;      ///< work / traffic; infinite without traffic
    double throughput = 0;     ///< work / latency; at most min(1, bandwidth x intensity)
    double paddingCeiling = 1; ///< work / compute: the throughput with infinitely fast memory
    Bound bound = Bound::Balanced;
};

struct ScheduleRoofline
{
    /// Structurally valid subgraphs with a latency above 0, in schedule order.
    std::vector<SubgraphPoint> points;
    SubgraphPoint whole; ///< point of the whole schedule; its `subgraph` has no meaning
    double computeRoof = 1;
    double bandwidth = 1; ///< slope of the memory roof: throughput = bandwidth x intensity
    double ridge = 1;     ///< intensity at which the two roofs meet
};

[[nodiscard]] ScheduleRoofline scheduleRoofline(const Problem& problem, const Schedule& schedule,
                                                const Evaluation& evaluation);

/// Returns the time of an op without padding, the unit of `work` above.
[[nodiscard]] double opWork(const Problem& problem, OpId op, const Rules& rules);

} // namespace tilewright
