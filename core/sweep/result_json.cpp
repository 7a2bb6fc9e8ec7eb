// SPDX-License-Identifier: GPL-3.0-or-later
// Reads and writes the result file of a point (docs/rules/sweep.md 2.2).
#include "base/json_fields.h"
#include "sweep/folder.h"

namespace tilewright::sweep {

namespace {

constexpr double kAnyNumber = 1e300;

Json pointJson(const Plan& plan, std::size_t index)
{
    const Point point = pointAt(plan, index);
    Json out = Json::object();
    out["workload"] = plan.workload[point.workload];
    for (std::size_t a = 0; a < point.values.size(); ++a) {
        const Json number = parsedJson(point.values[a].text);
        out[plan.axes[a].name] = number.is_number() ? number : Json(point.values[a].text);
    }
    return out;
}

} // namespace

static void bindFields(JsonFields& f, SameProblem& problem)
{
    f.required("key", problem.key);
    f.required("capacity", problem.capacity, Numbers{0, kAnyNumber});
    f.required("bandwidth", problem.bandwidth, Numbers{0, kAnyNumber});
}

std::string writeResult(const Plan& plan, std::size_t index, const PointResult& result,
                        const std::string& scheduleFile)
{
    Json out = Json::object();
    out["point"] = pointJson(plan, index);
    out["state"] = result.failed() ? "failed" : "done";
    if (result.failed())
        out["error"] = result.error;
    Json metrics = Json::object();
    const auto names = metricsOf(plan);
    for (std::size_t i = 0; i < result.metrics.size(); ++i)
        metrics[std::string(names[i])] = jsonNumber(result.metrics[i]);
    if (!metrics.empty())
        out["metrics"] = std::move(metrics);
    if (result.problem)
        out["problem"] = tilewright::writeJson(*result.problem);
    if (!scheduleFile.empty())
        out["schedule"] = scheduleFile;
    return dumpByField(out);
}

Result<PointResult> readResult(const Plan& plan, std::string_view text, const std::string& file)
{
    const auto document = parseJson(text, file);
    if (!document)
        return document.error();
    JsonFields f(JsonCursor(*document, file));
    PointResult out;
    std::string state;
    std::string schedule;
    f.ignored("point");
    f.required("state", state);
    f.optional("error", out.error);
    if (state == "done")
        f.required("metrics", [&](JsonFields& metrics) {
            for (const std::string_view name : metricsOf(plan))
                metrics.required(name, out.metrics.emplace_back(), Numbers{-kAnyNumber, kAnyNumber});
        });
    f.optional("problem", out.problem);
    f.optional("schedule", schedule);
    if (Status s = f.close(); !s)
        return s.error();
    if ((state == "failed") != out.failed())
        return Error{ErrorCode::Field, "expected \"done\", or \"failed\" with its error", "state", file};
    return out;
}

} // namespace tilewright::sweep
