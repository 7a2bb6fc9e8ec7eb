// SPDX-License-Identifier: GPL-3.0-or-later
#include "figures/schedule_steps.h"

#include "rules/check.h"

#include <tuple>

namespace tilewright::figures {

std::optional<StepsInKinds> stepsInKinds(const Snapshot& snapshot, SubgraphId subgraph, std::int64_t most)
{
    const SubgraphEvaluation& evaluation = snapshot.evaluation.subgraphs[subgraph.index()];
    if (!evaluation.structurallyValid || evaluation.steps > most)
        return {};
    const Problem& problem = *snapshot.problem;
    StepsInKinds out;
    std::map<std::tuple<double, std::int64_t, std::int64_t>, std::size_t> known;
    const Rules& rules = snapshot.evaluation.rules;
    traceSubgraph(problem, snapshot.schedule[subgraph],
                  residentBefore(problem, snapshot.schedule, rules, subgraph), rules, [&](const Step& step) {
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
                      return true;
                  });
    return out;
}

} // namespace tilewright::figures
