// SPDX-License-Identifier: GPL-3.0-or-later
#include "report/bound_json.h"

#include "base/json_document.h"
#include "workload/hardware_json.h"

namespace tilewright {

std::string boundJson(const Problem& problem, const LowerBound& bound, const BoundedBest* best)
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
    if (best != nullptr) {
        out["best"] = jsonNumber(best->latency);
        out["gap"] = jsonNumber(best->gap(bound.value));
        out["proven_optimal"] = best->proven;
        out["proven_space"] = best->proven ? Json(best->space) : Json(nullptr);
    }
    return dumpByField(out);
}

} // namespace tilewright
