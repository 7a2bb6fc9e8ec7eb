// SPDX-License-Identifier: GPL-3.0-or-later
// Writes the table of results as JSON (docs/rules/sweep.md 4.4).
#include "base/json_document.h"
#include "sweep/collect.h"

namespace tilewright::sweep {

std::string tableJson(const SweepTable& table)
{
    const Plan& plan = table.manifest.plan;
    const auto metrics = metricsOf(plan);
    const auto countOf = [](std::size_t n) { return static_cast<std::int64_t>(n); };
    std::string out = "{\"tilewright_sweep_table\": 1,\n \"manifest\": " +
                      jsonText(parsedJson(writeManifest(table.manifest)));
    out += ",\n \"points\": " + std::to_string(table.rows.size());
    out += ", \"done\": " + std::to_string(table.done);
    out += ", \"failed\": " + std::to_string(table.failed);
    out += ", \"to_do\": " + std::to_string(table.toDo());
    out += ",\n \"rows\": [";
    // Rows are written one at a time; a single JSON value of the whole document would need several times the
    // memory of its text.
    const char* separator = "\n  ";
    for (const Row& row : table.rows) {
        const Point point = pointAt(plan, row.point);
        Json json = Json::object();
        json["point"] = countOf(row.point);
        json["workload"] = plan.workload[point.workload];
        Json values = Json::object();
        for (std::size_t a = 0; a < point.values.size(); ++a) {
            const Json number = parsedJson(point.values[a].text);
            values[plan.axes[a].name] = number.is_number() ? number : Json(point.values[a].text);
        }
        json["values"] = std::move(values);
        json["state"] = std::string(toString(row.state));
        Json figures = Json::object();
        for (std::size_t i = 0; i < row.metrics.size(); ++i)
            figures[std::string(metrics[i])] = jsonNumber(row.metrics[i]);
        json["metrics"] = row.metrics.empty() ? Json() : std::move(figures);
        if (row.problem && !row.metrics.empty())
            json["schedule_from"] = countOf(row.from);
        if (!plan.objectives.empty())
            json["on_front"] = row.onFront;
        if (!row.error.empty())
            json["error"] = row.error;
        out += separator + jsonText(json);
        separator = ",\n  ";
    }
    return out + "]}\n";
}

} // namespace tilewright::sweep
