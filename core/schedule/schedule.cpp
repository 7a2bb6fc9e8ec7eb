// SPDX-License-Identifier: GPL-3.0-or-later
#include "schedule/schedule.h"

#include <algorithm>

namespace tilewright {

bool Schedule::operator==(const Schedule& other) const
{
    return extra == other.extra &&
           std::ranges::equal(subgraphs, other.subgraphs,
                              [](const SubgraphPtr& a, const SubgraphPtr& b) { return a == b || *a == *b; });
}

Schedule oneOpPerSubgraph(const Problem& problem)
{
    const Hardware& hw = problem.hardware();
    Schedule schedule;
    for (const OpId o : problem.topologicalOrder()) {
        const Tensor& out = problem.tensor(problem.op(o).output);
        Subgraph s;
        s.ops = {o};
        s.granularity = {std::min(out.width, hw.nativeWidth), std::min(out.height, hw.nativeHeight),
                         std::min(problem.reductionSize(o), hw.nativeK())};
        schedule.subgraphs.push_back(std::make_shared<const Subgraph>(std::move(s)));
    }
    return schedule;
}

} // namespace tilewright
