// SPDX-License-Identifier: GPL-3.0-or-later
// Reads and writes plan.json of a results folder (docs/rules/sweep.md 2.1).
#include "base/json_fields.h"
#include "sweep/sweep.h"

namespace tilewright::sweep {

namespace {

constexpr std::int64_t kFormat = 1;

} // namespace

static void bindFields(JsonFields& f, InputFile& input)
{
    f.required("file", input.file);
    f.required("sha256", input.sha256);
}

namespace {

/// The first difference between two documents: its path and both values.
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

} // namespace tilewright::sweep
