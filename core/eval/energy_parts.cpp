// SPDX-License-Identifier: GPL-3.0-or-later
#include "eval/energy_parts.h"

#include "eval/fast_evaluator.h"
#include "rules/check.h"

#include <algorithm>

namespace tilewright {

EnergyParts energyParts(const Problem& problem, const Schedule& schedule, const Evaluation& evaluation,
                        SubgraphId id)
{
    const SubgraphEvaluation& e = evaluation.subgraphs[id.index()];
    if (!problem.hasEnergy() || !e.structurallyValid)
        return {};
    const EnergyCosts& costs = *problem.data().energy;
    // The energy is linear in the energy costs, so the part of one cost is the energy if all other costs are
    // 0.
    const auto only = [&](std::vector<double> EnergyCosts::*kept) {
        Problem::Data data = problem.data();
        EnergyCosts rest{0, 0, {0}, {0}};
        rest.*kept = costs.*kept;
        data.energy = std::move(rest);
        const auto part = Problem::build(std::move(data));
        return part ? evaluateSubgraph(**part, schedule[id],
                                       residentBefore(problem, schedule, evaluation.rules, id),
                                       evaluation.rules)
                          .energy
                    : 0.0;
    };
    EnergyParts out;
    out.slow = costs.slow * problem.bitsPerUnit() * static_cast<double>(problem.unitsPerElement()) *
               (e.loadElements + e.storeElements);
    out.mac = only(&EnergyCosts::mac);
    out.vector = only(&EnergyCosts::vector);
    out.fast = std::max(0.0, e.energy - out.slow - out.mac - out.vector);
    return out;
}

} // namespace tilewright
