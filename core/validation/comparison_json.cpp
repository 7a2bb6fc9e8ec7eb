// SPDX-License-Identifier: GPL-3.0-or-later
#include "validation/comparison_json.h"

namespace tilewright::validation {

Json jsonOf(const Comparison& c)
{
    const Agreement& a = c.agreement;
    Json out{{"file", c.file},
             {"head", c.head},
             {"machine", c.machine},
             {"lens", c.lens},
             {"measured", c.column},
             {"unit", std::string(unitOf(c.quantity))},
             {"left_out", c.leftOut},
             {"not_modelled", c.notModelled},
             {"rows", a.rows},
             {"ratio", jsonNumber(a.ratio)},
             {"least_ratio", jsonNumber(a.least)},
             {"largest_ratio", jsonNumber(a.most)},
             {"error", jsonNumber(a.error)},
             {"scaled_error", jsonNumber(a.scaledError)},
             {"pearson", jsonNumber(a.pearson)},
             {"pearson_of_logs", jsonNumber(a.pearsonOfLogs)},
             {"spearman", jsonNumber(a.spearman)},
             {"within_10_percent", jsonNumber(a.within10)},
             {"within_25_percent", jsonNumber(a.within25)}};
    if (c.interrupted)
        out["interrupted"] = true;
    Json& points = out["points"] = Json::array();
    for (const ComparedRow& row : c.rows) {
        Json point{{"line", row.line}, {"name", row.name}, {"measured", jsonNumber(row.measured)}};
        if (row.error.empty()) {
            point["predicted"] = jsonNumber(row.predicted);
            point["ratio"] = jsonNumber(row.ratio());
        } else {
            point["error"] = row.error;
        }
        points.push_back(std::move(point));
    }
    return out;
}

std::string comparisonJson(const Comparison& comparison)
{
    return dumpByField(jsonOf(comparison));
}

} // namespace tilewright::validation
