// SPDX-License-Identifier: GPL-3.0-or-later
#include "report/evaluation_json.h"

#include "base/json_document.h"
#include "eval/energy_bound.h"
#include "eval/waste.h"
#include "report/json_evaluation.h"
#include "workload/hardware_json.h"

#include <algorithm>

namespace tilewright {

void prependFormatIssues(Evaluation& evaluation, std::span<const Issue> issues)
{
    evaluation.issues.insert(evaluation.issues.begin(), issues.begin(), issues.end());
}

std::string sentence(const Issue& issue)
{
    std::string out(issueCodeName(issue.code));
    if (issue.subgraph)
        out += " in subgraph " + std::to_string(issue.subgraph->value);
    return out + ": " + issue.text;
}

namespace {

Json issueJson(const Issue& issue)
{
    Json out = {{"code", issueCodeName(issue.code)}, {"message", issue.text}, {"subgraph", nullptr}};
    if (issue.subgraph)
        out["subgraph"] = issue.subgraph->value;
    return out;
}

Json verdictOf(const Evaluation& evaluation)
{
    return evaluation.verdict() ? issueJson(*evaluation.verdict()) : Json(nullptr);
}

template <typename IdT> Json indices(const std::vector<IdT>& ids)
{
    Json out = Json::array();
    for (const IdT id : ids)
        out.push_back(id.value);
    return out;
}

void addWaste(Json& out, const Waste& waste)
{
    out["padding_time"] = jsonNumber(waste.padding);
    out["reloaded_elements"] = waste.loads ? jsonNumber(waste.loads->again) : Json();
    out["halo_elements"] = waste.loads ? jsonNumber(waste.loads->halo) : Json();
}

Json subgraphJson(const Problem& problem, const Subgraph& s, const SubgraphEvaluation& e, const Waste& waste)
{
    Json out = {{"latency", nullptr}};
    if (e.structurallyValid)
        out = {{"latency", jsonNumber(e.latency)},
               {"compute", jsonNumber(e.compute)},
               {"memory", jsonNumber(e.memory)},
               {"load_elements", jsonNumber(e.loadElements)},
               {"store_elements", jsonNumber(e.storeElements)},
               {"peak_working_set", jsonNumber(e.peakWorkingSet)},
               {"reserved", jsonNumber(e.reserved)},
               {"fits", e.fits},
               {"steps", e.steps},
               {"rows", e.rows},
               {"cols", e.cols},
               {"compute_bound_steps", e.computeBoundSteps},
               {"bound", boundName(e.bound)}};
    if (e.structurallyValid)
        addWaste(out, waste);
    if (e.structurallyValid && problem.hasEnergy())
        out["energy_pj"] = jsonNumber(e.energy);
    out["ops"] = indices(s.ops);
    out["op_names"] = Json::array();
    for (const OpId o : s.ops)
        out["op_names"].push_back(problem.opName(o));
    out["granularity"] = {s.granularity.w, s.granularity.h, s.granularity.k};
    out["traversal"] = traversalName(s.traversal.kind());
    out["retain"] = indices(s.retain);
    return out;
}

} // namespace

bool hasTotal(const Evaluation& evaluation)
{
    return !evaluation.subgraphs.empty() &&
           std::ranges::all_of(evaluation.subgraphs, &SubgraphEvaluation::structurallyValid);
}

std::string checkJson(const Problem& problem, const Evaluation& evaluation, std::string_view rulesReason,
                      std::span<const LatencyDeviation> deviations)
{
    Json issues = Json::array();
    for (const Issue& issue : evaluation.issues)
        issues.push_back(issueJson(issue));
    Json latencies = Json::array();
    for (const LatencyDeviation& d : deviations)
        latencies.push_back({{"subgraph", d.subgraph.index()},
                             {"reported", d.reported ? jsonNumber(*d.reported) : Json()},
                             {"computed", jsonNumber(d.computed)}});
    Json out = {{"rules", ruleSetName(evaluation.rules)},
                {"rules_reason", rulesReason},
                {"valid", evaluation.valid()},
                {"error", verdictOf(evaluation)},
                {"issues", std::move(issues)},
                {"latency_deviations", std::move(latencies)}};
    if (problem.hasEnergy() && evaluation.valid()) {
        out["energy_pj"] = jsonNumber(evaluation.energy);
        out["edp"] = jsonNumber(evaluation.edp());
    }
    return dumpByField(out);
}

Json evaluationDocument(const Snapshot& snapshot, std::string_view rulesReason)
{
    const Problem& problem = *snapshot.problem;
    const Evaluation& evaluation = snapshot.evaluation;
    Json out = {{"rules", ruleSetName(evaluation.rules)},
                {"rules_reason", rulesReason},
                {"problem", problem.name()},
                {"hardware", hardwareJson(problem.hardware())},
                {"valid", evaluation.valid()},
                {"error", verdictOf(evaluation)},
                {"total_latency", nullptr},
                {"array_total", nullptr},
                {"lower_bound", jsonNumber(snapshot.lowerBound)}};
    if (problem.name().empty())
        out.erase("problem");
    if (hasTotal(evaluation)) {
        out["total_latency"] = jsonNumber(evaluation.total);
        out["array_total"] = jsonNumber(snapshot.arrayTotal);
    }
    if (problem.hasEnergy()) {
        out["energy_pj"] = hasTotal(evaluation) ? jsonNumber(evaluation.energy) : Json(nullptr);
        out["edp"] = hasTotal(evaluation) ? jsonNumber(evaluation.edp()) : Json(nullptr);
        out["energy_bound_pj"] = jsonNumber(energyBound(problem, evaluation.rules).value);
    }
    const std::vector<Waste> waste = wasteOf(problem, snapshot.schedule, evaluation);
    if (hasTotal(evaluation))
        addWaste(out, sumOf(waste));
    Json subgraphs = Json::array();
    for (std::size_t i = 0; i < evaluation.subgraphs.size(); ++i)
        subgraphs.push_back(
            subgraphJson(problem, snapshot.schedule[SubgraphId(i)], evaluation.subgraphs[i], waste[i]));
    out["subgraphs"] = std::move(subgraphs);
    return out;
}

std::string evaluationJson(const Snapshot& snapshot, std::string_view rulesReason)
{
    return dumpByField(evaluationDocument(snapshot, rulesReason));
}

std::string boundJson(const Problem& problem, const LowerBound& bound, const EnergyBound& energy,
                      const BoundedBest* best)
{
    Json parts = Json::array();
    for (const BoundPart& part : bound.parts) {
        Json ops = Json::array();
        for (const OpId o : part.ops)
            ops.push_back(o.value);
        parts.push_back({{"lower_bound", jsonNumber(part.value)},
                         {"compute", jsonNumber(part.compute)},
                         {"memory", jsonNumber(part.memory)},
                         {"input_elements", part.inputElements},
                         {"output_elements", part.outputElements},
                         {"spilled_elements", part.spilledElements},
                         {"ops", std::move(ops)},
                         {"text", part.text}});
    }
    Json prices = Json::array();
    for (const double price : bound.prices)
        prices.push_back(jsonNumber(price));
    Json out{{"lower_bound", jsonNumber(bound.value)},
             {"compute", jsonNumber(bound.compute)},
             {"memory", jsonNumber(bound.memory)},
             {"hardware", hardwareJson(problem.hardware())},
             {"parts", std::move(parts)},
             {"prices", std::move(prices)}};
    if (problem.hasEnergy()) {
        out["energy_pj"] = {{"lower_bound", jsonNumber(energy.value)},
                            {"slow", jsonNumber(energy.slow)},
                            {"fast", jsonNumber(energy.fast)},
                            {"mac", jsonNumber(energy.mac)},
                            {"vector", jsonNumber(energy.vector)}};
        out["edp"] = jsonNumber(energy.value * bound.value);
    }
    if (best != nullptr) {
        out["best"] = jsonNumber(best->latency);
        out["gap"] = jsonNumber(best->gap(bound.value));
        out["proven_optimal"] = best->proven;
        out["proven_space"] = best->proven ? Json(best->space) : Json(nullptr);
    }
    return dumpByField(out);
}

} // namespace tilewright
