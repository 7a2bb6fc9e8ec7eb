// SPDX-License-Identifier: GPL-3.0-or-later
#include "verbs/solve_json.h"

#include "base/json_document.h"
#include "report/json_evaluation.h"
#include "snapshot/take_snapshot.h"

namespace tilewright {

std::string solveResultJson(const ProblemPtr& problem, const SolveResult& result, const Rules& rules)
{
    const SnapshotPtr snapshot = takeSnapshot(problem, result.schedule, rules, result.lowerBound, 0);
    Json out = evaluationDocument(*snapshot, "the solver optimises for one rule set");
    out["seconds"] = result.seconds;
    out["evaluations"] = result.evaluations;
    Json curve = Json::array();
    for (const auto& [seconds, total] : result.curve)
        curve.push_back(Json::array({seconds, jsonNumber(total)}));
    out["curve"] = std::move(curve);
    out["start_latency"] = jsonNumber(result.startTotal);
    out["gap"] = result.gap();
    out["proven_optimal"] = result.provenOptimal;
    out["proven_space"] = result.provenOptimal ? Json(result.provenSpace) : Json(nullptr);
    out["search_steps"] = result.steps;
    out["lookups"] = result.lookups;
    return dumpByField(out);
}

} // namespace tilewright
