// SPDX-License-Identifier: GPL-3.0-or-later
#include "eval/explain.h"

#include "base/text.h"
#include "eval/schedule_roofline.h"
#include "rules/check.h"

#include <algorithm>

namespace tilewright {

Explanation whatBinds(const Problem& problem, const Schedule& schedule, const Evaluation& evaluation,
                      SubgraphId subgraph)
{
    Explanation out;
    out.subgraph = subgraph;
    const SubgraphEvaluation& e = evaluation.subgraphs[subgraph.index()];
    const Subgraph& s = schedule[subgraph];
    if (!e.structurallyValid) {
        out.text = "It cannot run as it is";
        for (const Issue& issue : evaluation.issues)
            if (issue.subgraph == subgraph) {
                out.text += ": " + issue.text;
                break;
            }
        return out;
    }
    out.bound = e.bound;
    out.computeTime = e.compute;
    out.memoryTime = e.memory;
    double work = 0;
    for (const OpId o : s.ops)
        work += opWork(problem, o, evaluation.rules);
    if (work > 0)
        out.paddingFactor = e.compute / work;
    const std::vector<TensorId> resident = residentBefore(problem, schedule, evaluation.rules, subgraph);
    std::int64_t distinct = 0;
    for (const TensorId t : boundaryOf(problem, s.ops).inputs)
        if (!std::binary_search(resident.begin(), resident.end(), t))
            distinct += problem.tensor(t).elements();
    if (distinct > 0)
        out.reloadFactor = static_cast<double>(e.loadElements) / static_cast<double>(distinct);

    std::string& text = out.text;
    if (!e.fits)
        text = "It needs " + formatGrouped(e.peakWorkingSet) + " elements of fast memory and there are " +
               formatGrouped(problem.hardware().fastMemoryCapacity) + ". ";
    switch (e.bound) {
    case Bound::Compute:
        text += "Computing binds it";
        break;
    case Bound::Memory:
        text += "Memory traffic binds it";
        break;
    case Bound::Balanced:
        text += "Computing and memory traffic balance";
        break;
    }
    const double larger = std::max(e.compute, e.memory);
    const double smaller = std::min(e.compute, e.memory);
    if (e.bound == Bound::Compute && e.memory > 0)
        text += ": moving data takes " + percent(smaller / larger) + " of the time that computing takes";
    else if (e.bound == Bound::Memory && e.compute > 0)
        text += ": computing takes " + percent(smaller / larger) + " of the time that moving data takes";
    if (e.steps > 1 && e.computeBoundSteps > 0 && e.computeBoundSteps < e.steps)
        text += "; " + formatGrouped(e.computeBoundSteps) + " of " + formatGrouped(e.steps) +
                " steps are compute-bound";
    text += ".";
    if (e.latency > larger * 1.005)
        text += " Because the two alternate from step to step, it takes " +
                significantNumber(e.latency / larger) + " times as long as the larger of both.";
    if (out.reloadFactor > 1.005)
        text += " Its inputs are loaded " + significantNumber(out.reloadFactor) + " times over.";
    if (e.bound != Bound::Memory && out.paddingFactor > 1.005)
        text += std::string(evaluation.rules.compute == Rules::Compute::Array
                                ? " Padding, repetition and filling and draining the array make computing "
                                : " Padding and repetition make computing ") +
                significantNumber(out.paddingFactor) + " times the bare work.";
    return out;
}

} // namespace tilewright
