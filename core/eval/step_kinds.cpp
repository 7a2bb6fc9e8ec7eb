// SPDX-License-Identifier: GPL-3.0-or-later
#include "eval/step_kinds.h"

#include "rules/check.h"

#include <tuple>

namespace tilewright {

StepKinds stepKinds(const Problem& problem, const Schedule& schedule, const Rules& rules, SubgraphId subgraph,
                    std::int64_t most, const std::stop_token& stop)
{
    StepKinds out;
    std::map<std::tuple<double, std::int64_t, std::int64_t>, std::size_t> known;
    std::int64_t steps = 0;
    traceSubgraph(problem, schedule[subgraph], residentBefore(problem, schedule, rules, subgraph), rules,
                  [&](const Step& step) {
                      const auto [at, isNew] = known.try_emplace(
                          {step.compute, step.loadElements, step.storeElements}, out.kinds.size());
                      if (isNew)
                          out.kinds.push_back({step, 0});
                      ++out.kinds[at->second].count;
                      if (step.index == 0 || step.workingSet > out.largest.workingSet)
                          out.largest = step;
                      if (step.kStep == 0)
                          ++out.tiles[step.kSteps];
                      for (const StepRun& run : step.runs)
                          out.energy[run.op] += run.energy;
                      out.complete = ++steps < most && !stop.stop_requested();
                      return out.complete;
                  });
    return out;
}

} // namespace tilewright
