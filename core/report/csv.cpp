// SPDX-License-Identifier: GPL-3.0-or-later
#include "report/csv.h"

#include "base/text.h"

namespace tilewright {

namespace {

template <typename Ids, typename Name> std::string joined(const Ids& ids, Name name)
{
    std::string out;
    for (const auto id : ids)
        out += (out.empty() ? "" : " ") + name(id);
    return csvField(out);
}

} // namespace

std::string subgraphsCsv(const Snapshot& snapshot)
{
    const Problem& problem = *snapshot.problem;
    std::string out =
        "subgraph,ops,w,h,k,traversal,retained,locked,rows,cols,steps,compute,memory,latency,bound,"
        "load_elements,store_elements,peak_working_set,reserved,capacity,fits\n";
    for (std::size_t i = 0; i < snapshot.evaluation.subgraphs.size(); ++i) {
        const Subgraph& s = snapshot.schedule[SubgraphId(i)];
        const SubgraphEvaluation& e = snapshot.evaluation.subgraphs[i];
        out += std::to_string(i) + "," + joined(s.ops, [&](OpId o) { return problem.opName(o); });
        for (const std::int64_t value : {s.granularity.w, s.granularity.h, s.granularity.k})
            out += "," + formatNumber(value);
        out += "," + std::string(traversalName(s.traversal.kind())) + "," +
               joined(s.retain, [&](TensorId t) { return problem.tensorName(t); }) +
               (s.locked ? ",yes" : ",no");
        if (!e.structurallyValid) {
            out += ",,,,,,,,,,,,,\n";
            continue;
        }
        for (const std::int64_t value : {e.rows, e.cols, e.steps})
            out += "," + formatNumber(value);
        for (const double value : {e.compute, e.memory, e.latency})
            out += "," + formatNumber(value);
        out += "," + std::string(boundName(e.bound));
        for (const std::int64_t value : {e.loadElements, e.storeElements, e.peakWorkingSet, e.reserved,
                                         problem.hardware().fastMemoryCapacity})
            out += "," + formatNumber(value);
        out += e.fits ? ",yes\n" : ",no\n";
    }
    return out;
}

std::string differencesCsv(const Problem& problem, const Comparison& comparison)
{
    std::string out = "kind,before,after,ops,was,is,delta,total\n";
    const auto number = [](SubgraphId i) { return std::to_string(i.value); };
    for (const Contribution& c : comparison.contributions) {
        const Difference& d = c.difference;
        out += std::string(differenceName(d.kind)) + "," + joined(d.before, number) + "," +
               joined(d.after, number) + "," + joined(d.ops, [&](OpId o) { return problem.opName(o); }) +
               "," + csvField(d.textBefore) + "," + csvField(d.textAfter) + "," + formatNumber(c.delta) +
               "," + formatNumber(c.total) + "\n";
    }
    return out;
}

} // namespace tilewright
