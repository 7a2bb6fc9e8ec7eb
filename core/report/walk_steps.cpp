// SPDX-License-Identifier: GPL-3.0-or-later
#include "report/walk_steps.h"

namespace tilewright {

bool walkSteps(const Problem& problem, const Schedule& schedule, const Rules& rules, const Progress& progress,
               const std::function<void(SubgraphId, double start, const Step&)>& visit)
{
    double begin = 0;
    for (std::size_t i = 0; i < schedule.size(); ++i) {
        std::span<const TensorId> resident;
        if (i > 0)
            resident = schedule.subgraphs[i - 1]->retain;
        double end = begin;
        bool stopped = false;
        traceSubgraph(problem, schedule[SubgraphId(i)], resident, rules, [&](const Step& step) {
            stopped = progress.stopRequested();
            if (stopped)
                return false;
            visit(SubgraphId(i), begin + step.start, step);
            end = begin + step.start + step.latency;
            return true;
        });
        if (stopped)
            return false;
        begin = end;
        progress.tell(static_cast<double>(i + 1) / static_cast<double>(schedule.size()), "steps");
    }
    return true;
}

} // namespace tilewright
