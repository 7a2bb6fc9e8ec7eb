// SPDX-License-Identifier: GPL-3.0-or-later
#include "eval/waste.h"

#include "eval/explain.h"
#include "eval/memory_use.h"
#include "rules/check.h"

#include <algorithm>

namespace tilewright {

namespace {

bool readsThroughMaps(const Problem& problem, const Subgraph& subgraph)
{
    return problem.hasMaps() && std::ranges::any_of(subgraph.ops, [&](OpId op) {
               return std::ranges::any_of(problem.operands(op),
                                          [&](TensorId t) { return problem.map(t) != nullptr; });
           });
}

} // namespace

double workOf(const Problem& problem, const Subgraph& subgraph, const Rules& rules)
{
    double out = 0;
    for (const OpId op : subgraph.ops)
        out += opWork(problem, op, rules);
    return out;
}

std::int64_t inputUnits(const Problem& problem, const Subgraph& subgraph,
                        std::span<const TensorId> residentBefore)
{
    std::int64_t out = 0;
    for (const TensorId t : boundaryOf(problem, subgraph.ops).inputs)
        if (!std::ranges::binary_search(residentBefore, t))
            out += problem.sizeUnits(t);
    return out;
}

Waste wasteOf(const Problem& problem, const Schedule& schedule, const Evaluation& evaluation, SubgraphId i,
              const std::stop_token& stop)
{
    Waste out;
    const SubgraphEvaluation& e = evaluation.subgraphs[i.index()];
    const Subgraph& subgraph = schedule[i];
    if (!e.structurallyValid) {
        out.loads = Reloads{};
        return out;
    }
    out.padding = e.compute - workOf(problem, subgraph, evaluation.rules);
    const std::vector<TensorId> resident = residentBefore(problem, schedule, evaluation.rules, i);
    if (!readsThroughMaps(problem, subgraph)) {
        const double once = problem.elementsOf(inputUnits(problem, subgraph, resident));
        out.loads = Reloads{once, e.loadElements - once, 0};
        return out;
    }
    if (e.steps > kMostWasteSteps)
        return out;
    const auto traffic = tensorTraffic(problem, subgraph, resident, evaluation.rules, kMostWasteSteps, stop);
    if (!traffic)
        return out;
    std::int64_t once = 0, halo = 0;
    for (const TensorTraffic& t : *traffic) {
        once += t.once;
        halo += t.halo;
    }
    out.loads = Reloads{problem.elementsOf(once), e.loadElements - problem.elementsOf(once),
                        problem.elementsOf(halo)};
    return out;
}

std::vector<Waste> wasteOf(const Problem& problem, const Schedule& schedule, const Evaluation& evaluation)
{
    std::vector<Waste> out;
    out.reserve(evaluation.subgraphs.size()); // none of a schedule with format errors
    for (std::size_t i = 0; i < evaluation.subgraphs.size(); ++i)
        out.push_back(wasteOf(problem, schedule, evaluation, SubgraphId(i)));
    return out;
}

Waste sumOf(std::span<const Waste> waste)
{
    Waste out;
    out.loads = Reloads{};
    for (const Waste& w : waste) {
        out.padding += w.padding;
        if (!w.loads)
            out.loads.reset();
        if (!out.loads)
            continue;
        out.loads->once += w.loads->once;
        out.loads->again += w.loads->again;
        out.loads->halo += w.loads->halo;
    }
    return out;
}

} // namespace tilewright
