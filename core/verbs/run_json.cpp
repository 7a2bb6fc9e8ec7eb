// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/json_document.h"
#include "verbs/run.h"

namespace tilewright::verbs {

namespace {

std::string unitWord(std::size_t unit)
{
    return std::string(runUnitName(static_cast<RunUnit>(unit)));
}

Json unitsJson(const std::array<RunUnitSums, kRunUnits>& units)
{
    Json out = Json::object();
    for (std::size_t u = 0; u < kRunUnits; ++u) {
        const RunUnitSums& unit = units[u];
        Json waits = Json::object();
        for (std::size_t w = 0; w < kRunWaits; ++w)
            waits[std::string(runWaitName(static_cast<RunWait>(w)))] = jsonNumber(unit.waits[w]);
        out[unitWord(u)] = {
            {"busy", jsonNumber(unit.busy)}, {"commands", unit.commands}, {"waits", std::move(waits)}};
    }
    return out;
}

Json subgraphJson(const Problem& problem, const Subgraph& s, const RunSubgraph& r)
{
    Json ops = Json::array();
    for (const OpId o : s.ops)
        ops.push_back(problem.opName(o));
    Json busy = Json::object();
    for (std::size_t u = 0; u < kRunUnits; ++u)
        busy[unitWord(u)] = jsonNumber(r.busy[u]);
    return {{"op_names", std::move(ops)},
            {"steps", r.steps},
            {"begin", jsonNumber(r.begin)},
            {"end", jsonNumber(r.end)},
            {"latency", jsonNumber(r.latency)},
            {"length", jsonNumber(r.length)},
            {"start_up", jsonNumber(r.startUp)},
            {"drain", jsonNumber(r.drain)},
            {"overlap", jsonNumber(r.overlap)},
            {"early", jsonNumber(r.early)},
            {"busy", std::move(busy)}};
}

} // namespace

std::string runJson(const EvaluatedSchedule& evaluated, const ScheduleRun& run,
                    const std::vector<std::string>& notes)
{
    const Problem& problem = *evaluated.problem;
    Json subgraphs = Json::array();
    for (std::size_t i = 0; i < run.subgraphs.size(); ++i)
        subgraphs.push_back(
            subgraphJson(problem, evaluated.loaded.schedule[SubgraphId(i)], run.subgraphs[i]));
    Json out = {{"title", runTitle(run)},
                {"rules", ruleSetName(run.rules)},
                {"rules_reason", evaluated.rules.reason},
                {"prefetch", run.options.prefetch},
                {"cores", run.options.cores},
                {"end", jsonNumber(run.end)},
                {"latency", jsonNumber(run.latency)},
                {"exact", run.exact},
                {"steps", run.stepCount},
                {"load_elements", jsonNumber(problem.elementsOf(run.loadUnits))},
                {"store_elements", jsonNumber(problem.elementsOf(run.storeUnits))},
                {"peak_room", jsonNumber(problem.elementsOf(run.peakUnits))},
                {"capacity", problem.hardware().fastMemoryCapacity},
                {"units", unitsJson(run.units)},
                {"subgraphs", std::move(subgraphs)}};
    if (run.options.cores > 1) {
        out["network_elements"] = jsonNumber(problem.elementsOf(run.networkUnits));
        out["channel_busy"] = jsonNumber(run.channelBusy);
        out["per_core"] = Json::array();
        for (const RunCoreSums& core : run.cores)
            out["per_core"].push_back({{"steps", core.steps},
                                       {"peak_room", jsonNumber(problem.elementsOf(core.peakUnits))},
                                       {"units", unitsJson(core.units)}});
        out["notes"] = notes;
    }
    return jsonText(out, 2) + "\n";
}

} // namespace tilewright::verbs
