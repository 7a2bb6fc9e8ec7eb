// SPDX-License-Identifier: GPL-3.0-or-later
#include "verbs/solve_json.h"

#include "base/json_reader.h"
#include "eval/evaluation.h"
#include "workload/hardware_json.h"

#include <cmath>

namespace tilewright {

std::string solveResultJson(const Problem& problem, const SolveResult& result, const Rules& rules)
{
    const Evaluation evaluation = evaluate(problem, result.schedule, rules);
    Json out = Json::object();
    out["rules"] = std::string(ruleSetName(rules));
    out["rules_reason"] = "the solver optimises for one rule set";
    out["valid"] = evaluation.valid();
    out["error"] = nullptr;
    if (const Issue* issue = evaluation.verdict()) {
        Json error = Json::object();
        error["code"] = std::string(issueCodeName(issue->code));
        error["message"] = issue->text;
        error["subgraph"] = issue->subgraph ? Json(issue->subgraph->value) : Json(nullptr);
        out["error"] = std::move(error);
    }
    out["hardware"] = hardwareJson(problem.hardware());
    out["total_latency"] = result.total;
    out["lower_bound"] = result.lowerBound;
    Json subgraphs = Json::array();
    for (std::size_t i = 0; i < evaluation.subgraphs.size(); ++i) {
        const SubgraphEvaluation& s = evaluation.subgraphs[i];
        Json item = Json::object();
        item["ops"] = Json::array();
        item["op_names"] = Json::array();
        for (const OpId o : result.schedule[SubgraphId(i)].ops) {
            item["ops"].push_back(o.value);
            item["op_names"].push_back(problem.opName(o));
        }
        item["latency"] = s.latency;
        item["compute"] = s.compute;
        item["load_elements"] = s.loadElements;
        item["store_elements"] = s.storeElements;
        item["peak_working_set"] = s.peakWorkingSet;
        item["steps"] = s.steps;
        item["bound"] = std::string(boundName(s.bound));
        subgraphs.push_back(std::move(item));
    }
    out["subgraphs"] = std::move(subgraphs);
    out["seconds"] = result.seconds;
    out["evaluations"] = result.evaluations;
    Json curve = Json::array();
    for (const auto& [seconds, total] : result.curve)
        curve.push_back(Json::array({seconds, total}));
    out["curve"] = std::move(curve);
    out["start_latency"] = result.startTotal;
    out["gap"] = result.gap();
    out["proven_optimal"] = result.provenOptimal;
    out["proven_space"] = result.provenOptimal ? Json(result.provenSpace) : Json(nullptr);
    out["search_steps"] = result.steps;
    out["lookups"] = result.lookups;
    return out.dump(2) + "\n";
}

} // namespace tilewright
