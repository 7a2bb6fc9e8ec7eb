// SPDX-License-Identifier: GPL-3.0-or-later
#include "schedule/schedule.h"

#include "schedule/fit.h"

#include <algorithm>
#include <array>

namespace tilewright {

bool Schedule::operator==(const Schedule& other) const
{
    return extra == other.extra &&
           std::ranges::equal(subgraphs, other.subgraphs,
                              [](const SubgraphPtr& a, const SubgraphPtr& b) { return a == b || *a == *b; });
}

Schedule oneOpPerSubgraph(const Problem& problem)
{
    Schedule schedule;
    for (const OpId o : problem.topologicalOrder()) {
        Subgraph s;
        s.ops = {o};
        s.granularity = startGranularity(problem, s.ops, {});
        s.granularity = fittingGranularity(problem, s, {}, std::array{s.granularity}, {});
        schedule.subgraphs.push_back(std::make_shared<const Subgraph>(std::move(s)));
    }
    return schedule;
}

} // namespace tilewright
