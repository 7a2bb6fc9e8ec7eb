// SPDX-License-Identifier: GPL-3.0-or-later
#include "report/csv.h"

#include "base/table.h"

#include <algorithm>

namespace tilewright {

namespace {

template <typename Ids, typename Name> std::string joined(const Ids& ids, Name name)
{
    std::string out;
    for (const auto id : ids)
        out += (out.empty() ? "" : " ") + name(id);
    return out;
}

} // namespace

std::string subgraphsCsv(const Snapshot& snapshot)
{
    const Problem& problem = *snapshot.problem;
    Table out = tableOf("subgraph,ops,w,h,k,traversal,retained,locked,rows,cols,steps,compute,memory,latency,"
                        "bound,load_elements,store_elements,peak_working_set,reserved,capacity,fits");
    for (std::size_t i = 0; i < snapshot.evaluation.subgraphs.size(); ++i) {
        const Subgraph& s = snapshot.schedule[SubgraphId(i)];
        const SubgraphEvaluation& e = snapshot.evaluation.subgraphs[i];
        const std::string ops = joined(s.ops, [&](OpId o) { return problem.opName(o); });
        const std::string retained = joined(s.retain, [&](TensorId t) { return problem.tensorName(t); });
        const auto& [w, h, k] = s.granularity;
        out.add(i, ops, w, h, k, traversalName(s.traversal.kind()), retained, s.locked ? "yes" : "no", e.rows,
                e.cols, e.steps, e.compute, e.memory, e.latency, boundName(e.bound), e.loadElements,
                e.storeElements, e.peakWorkingSet, e.reserved, problem.hardware().fastMemoryCapacity,
                e.fits ? "yes" : "no");
        if (!e.structurallyValid)
            std::fill(out.rows.back().begin() + 8, out.rows.back().end(), "");
    }
    return csvOf(out);
}

std::string differencesCsv(const Problem& problem, const Comparison& comparison)
{
    Table out = tableOf("kind,before,after,ops,was,is,delta,total");
    const auto number = [](SubgraphId i) { return std::to_string(i.value); };
    for (const Contribution& c : comparison.contributions) {
        const Difference& d = c.difference;
        out.add(differenceName(d.kind), joined(d.before, number), joined(d.after, number),
                joined(d.ops, [&](OpId o) { return problem.opName(o); }), d.textBefore, d.textAfter, c.delta,
                c.total);
    }
    return csvOf(out);
}

} // namespace tilewright
