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
        text += "Compute limits it";
        break;
    case Bound::Memory:
        text += "Memory traffic limits it";
        break;
    case Bound::Balanced:
        text += "Compute and memory time are equal";
        break;
    }
    const double larger = std::max(e.compute, e.memory);
    const double smaller = std::min(e.compute, e.memory);
    if (e.bound == Bound::Compute && e.memory > 0)
        text += ": memory time is " + percent(smaller / larger) + " of compute time";
    else if (e.bound == Bound::Memory && e.compute > 0)
        text += ": compute time is " + percent(smaller / larger) + " of memory time";
    if (e.steps > 1 && e.computeBoundSteps > 0 && e.computeBoundSteps < e.steps)
        text += "; " + formatGrouped(e.computeBoundSteps) + " of " + formatGrouped(e.steps) +
                " steps are compute-bound";
    text += ".";
    if (e.latency > larger * 1.005)
        text += " Some steps are limited by compute and others by memory, so the latency is " +
                significantNumber(e.latency / larger) + " times the larger of both.";
    if (out.reloadFactor > 1.005)
        text += " Its inputs are loaded " + significantNumber(out.reloadFactor) + " times on average.";
    if (e.bound != Bound::Memory && out.paddingFactor > 1.005)
        text +=
            std::string(
                evaluation.rules.compute == Rules::Compute::Array
                    ? " Padding, repetition, and fill and drain of the array increase the compute time to "
                    : " Padding and repetition increase the compute time to ") +
            significantNumber(out.paddingFactor) + " times that of the work alone.";
    return out;
}

} // namespace tilewright
