// SPDX-License-Identifier: GPL-3.0-or-later
// The JSON files of a folder of results.
#include "base/json_document.h"
#include "base/json_fields.h"
#include "hierarchy/files.h"
#include "sweep/folder.h"
#include "sweep/sweep.h"

namespace tilewright::sweep {

// Reads and writes plan.json of a results folder (docs/rules/sweep.md 2.1).

namespace {

constexpr std::int64_t kFormat = 1;

} // namespace

static void bindFields(JsonFields& f, InputFile& input)
{
    f.required("file", input.file);
    f.required("sha256", input.sha256);
}

namespace {

/// The first difference between two JSON documents: its path and both values.
struct Difference
{
    std::string path, there, here;
};

std::string shown(const Json* value)
{
    constexpr std::size_t kMost = 60;
    if (!value)
        return "missing";
    std::string text = jsonText(*value);
    return text.size() > kMost ? text.substr(0, kMost) + "..." : text;
}

std::optional<Difference> firstDifference(const Json& there, const Json& here, const std::string& path)
{
    if (there == here)
        return std::nullopt;
    const auto below = [&](const std::string& key) { return path.empty() ? key : path + "." + key; };
    if (there.is_object() && here.is_object()) {
        for (const auto& [key, value] : here.items()) {
            const auto other = there.find(key);
            if (other == there.end())
                return Difference{below(key), shown(nullptr), shown(&value)};
            if (auto d = firstDifference(*other, value, below(key)))
                return d;
        }
        for (const auto& [key, value] : there.items())
            if (!here.contains(key))
                return Difference{below(key), shown(&value), shown(nullptr)};
        return std::nullopt; // the documents differ only in the order of fields
    }
    if (there.is_array() && here.is_array() && there.size() == here.size())
        for (std::size_t i = 0; i < here.size(); ++i)
            if (auto d = firstDifference(there[i], here[i], path + "[" + std::to_string(i) + "]"))
                return d;
    return Difference{path, shown(&there), shown(&here)};
}

/// Name of the first input file with a different content.
std::optional<std::string> changedInput(const Manifest& there, const Manifest& here)
{
    if (there.plan.workload == here.plan.workload)
        for (std::size_t i = 0; i < here.workloads.size() && i < there.workloads.size(); ++i)
            if (there.workloads[i].sha256 != here.workloads[i].sha256)
                return here.workloads[i].file;
    if (there.schedule && here.schedule && there.schedule->file == here.schedule->file &&
        there.schedule->sha256 != here.schedule->sha256)
        return here.schedule->file;
    return std::nullopt;
}

} // namespace

std::string writeManifest(const Manifest& manifest)
{
    Json out = Json::object();
    out["tilewright_sweep"] = kFormat;
    out["program"] = manifest.program;
    out["plan"] = parsedJson(writePlan(manifest.plan));
    if (!manifest.machine.empty())
        out["machine"] = parsedJson(manifest.machine);
    if (!manifest.architecture.empty())
        out["architecture"] = parsedJson(manifest.architecture);
    out["workloads"] = tilewright::writeJson(manifest.workloads);
    if (manifest.schedule)
        out["schedule"] = tilewright::writeJson(*manifest.schedule);
    out["keep_schedules"] = manifest.keepSchedules;
    return jsonText(out, 2) + "\n";
}

Result<Manifest> readManifest(std::string_view text, const std::string& file)
{
    const auto document = parseJson(text, file);
    if (!document)
        return document.error();
    const JsonCursor root(*document, file);
    if (Status s = root.object(); !s)
        return s.error();
    const auto planJson = root.member("plan");
    if (!planJson)
        return planJson.error();
    auto plan = readPlan(jsonText(planJson->node()), file);
    if (!plan)
        return plan.error();
    Manifest out;
    out.plan = std::move(*plan);
    JsonFields f(root);
    std::int64_t format = kFormat;
    f.required("tilewright_sweep", format, Integers{kFormat, kFormat});
    f.required("program", out.program);
    f.ignored("plan");
    f.ignored("machine");
    f.ignored("architecture");
    f.required("workloads", out.workloads);
    if (f.has("schedule"))
        f.required("schedule", out.schedule);
    f.required("keep_schedules", out.keepSchedules);
    if (out.workloads.size() != out.plan.workload.size())
        f.fail("workloads", "must have one entry per workload of the plan");
    if (Status s = f.close(); !s)
        return s.error();
    if (const auto machine = root.find("machine")) {
        auto read = readMachine(jsonText(machine->node()), file);
        if (!read)
            return read.error();
        out.machine = writeMachine(*read);
    }
    if (const auto architecture = root.find("architecture")) {
        const auto read = hierarchy::readArchitecture(jsonText(architecture->node()), file);
        if (!read)
            return read.error();
        out.architecture = hierarchy::writeArchitecture(*read);
    }
    return out;
}

std::string differenceOf(const Manifest& there, const Manifest& here)
{
    if (there == here)
        return {};
    if (there.program != here.program)
        return "it was begun by version " + there.program + " of the program, and this is " + here.program;
    if (const auto file = changedInput(there, here))
        return "\"" + *file + "\" has changed since";
    const Json a = parsedJson(writeManifest(there));
    const Json b = parsedJson(writeManifest(here));
    const auto d = firstDifference(a, b, {});
    return d ? d->path + " is " + d->there + " there and " + d->here + " here" : std::string();
}

// Reads and writes the result file of a point (docs/rules/sweep.md 2.2).

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

// Writes the table of results as JSON (docs/rules/sweep.md 4.4).

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
