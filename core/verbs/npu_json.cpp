// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/json_document.h"
#include "verbs/npu.h"

namespace tilewright::verbs {

namespace {

Json scalingJson(const std::vector<npu::ScalingPoint>& points, const npu::BothSchedulers& scaled)
{
    Json out = Json::array();
    for (const npu::ScalingPoint& p : points)
        out.push_back({{"cores", p.cores},
                       {"static", p.staticMakespan},
                       {"dynamic", p.dynamicMakespan},
                       {"static_assignment", npu::toString(scaled.fixed.assignment)},
                       {"static_speedup", jsonNumber(p.staticSpeedup)},
                       {"dynamic_speedup", jsonNumber(p.dynamicSpeedup)},
                       {"static_efficiency", jsonNumber(p.staticEfficiency())},
                       {"dynamic_efficiency", jsonNumber(p.dynamicEfficiency())}});
    return out;
}

Json schedulersJson(const std::vector<npu::PolicyRun>& runs)
{
    Json out = Json::array();
    for (const npu::PolicyRun& r : runs)
        out.push_back({{"scheduler", npu::toString(r.scheduler)},
                       {"assignment", npu::toString(r.assignment)},
                       {"makespan", r.makespan}});
    return out;
}

} // namespace

std::string npuJson(const NpuAnswer& a)
{
    if (!a.run)
        return npu::interruptedToJson(a.graph, a.hardware, a.options, a.bounds, a.estimatedMakespan,
                                      a.simulated);
    Json extra = Json::object();
    if (a.floor)
        extra["floor"] = jsonNumber(*a.floor);
    if (a.isBest)
        extra["schedulers"] = schedulersJson(a.schedulers);
    if (a.searchInterrupted || a.scalingInterrupted)
        extra["interrupted"] = true;
    else if (!a.scaling.empty())
        extra["scaling"] = scalingJson(a.scaling, a.scaled);
    return withNotes(npu::summaryToJson(a.graph, *a.run, a.bounds, a.reports, a.search ? &*a.search : nullptr,
                                        npu::allPassed(a.checks),
                                        extra.empty() ? std::string() : jsonText(extra, 2)),
                     a.notes);
}

} // namespace tilewright::verbs
