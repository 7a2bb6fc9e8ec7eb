// SPDX-License-Identifier: GPL-3.0-or-later
#include "overlay/overlay.h"
#include "validation/comparison_json.h"

namespace tilewright::overlay {

std::string overlaysJson(std::span<const Overlay> overlays)
{
    Json all = Json::array();
    for (const Overlay& o : overlays) {
        Json out = validation::jsonOf(o.comparison);
        out["form"] = std::string(titleOf(o.form));
        out["figure"] = std::string(toString(o.figure));
        Json& points = out["points"];
        for (std::size_t i = 0; i < points.size(); ++i) {
            if (const auto difference = shownValue(o.comparison.rows[i], Shown::Difference))
                points[i]["difference"] = jsonNumber(*difference);
            points[i]["found_by"] = o.parts[i].how;
        }
        Json& values = out["values_without_operator"] = Json::array();
        for (std::size_t i = 0; i < o.values.size(); ++i)
            values.push_back(
                {{"name", o.values[i].name}, {"line", o.values[i].line}, {"reason", o.reasons[i]}});
        out["operators_without_value"] = o.operators;
        all.push_back(std::move(out));
    }
    return dumpByField(Json{{"overlays", std::move(all)}});
}

} // namespace tilewright::overlay
