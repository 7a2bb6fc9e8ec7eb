// SPDX-License-Identifier: GPL-3.0-or-later
#include "report/summary.h"

#include "base/integer.h"
#include "eval/explain.h"

#include <algorithm>

namespace tilewright {

namespace {

void add(Spread& spread, double value)
{
    spread.min = spread.count == 0 ? value : std::min(spread.min, value);
    spread.max = spread.count == 0 ? value : std::max(spread.max, value);
    spread.sum += value;
    ++spread.count;
    spread.mean = spread.sum / static_cast<double>(spread.count);
}

} // namespace

SubgraphsSummary summarise(const Snapshot& snapshot, std::span<const SubgraphId> subgraphs)
{
    SubgraphsSummary out;
    for (const SubgraphId i : subgraphs) {
        if (i.index() >= snapshot.evaluation.subgraphs.size())
            continue;
        const SubgraphEvaluation& e = snapshot.evaluation.subgraphs[i.index()];
        if (!e.structurallyValid) {
            ++out.broken;
            continue;
        }
        out.counted.push_back(i);
        add(out.latency, e.latency);
        add(out.compute, e.compute);
        add(out.memory, e.memory);
        add(out.traffic, e.loadElements + e.storeElements);
        add(out.workingSet, e.peakWorkingSet);
    }
    if (snapshot.evaluation.total > 0)
        out.latencyShare = out.latency.sum / snapshot.evaluation.total;
    return out;
}

double workShare(const Problem& problem, std::span<const OpId> ops, const Rules& rules)
{
    double all = 0;
    for (std::size_t o = 0; o < problem.opCount(); ++o)
        all += opWork(problem, OpId(o), rules);
    double some = 0;
    for (const OpId o : ops)
        some += opWork(problem, o, rules);
    return all > 0 ? some / all : 0;
}

} // namespace tilewright
