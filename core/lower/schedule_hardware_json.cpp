// SPDX-License-Identifier: GPL-3.0-or-later
// The hardware that a schedule file names beside its own fields (docs/rules/workload.md 2).
#include "base/json_fields.h"
#include "lower/machine_lenses.h"
#include "workload/hardware_json.h"

#include <algorithm>

namespace tilewright::lower {

namespace {

std::string unknownFieldsText(const std::string& extra, bool (*isKnown)(const std::string&, const Json&))
{
    if (extra.empty())
        return {};
    constexpr std::size_t kNamed = 4, kLongest = 40;
    const Json fields = parsedJson(extra);
    std::string names;
    std::size_t count = 0;
    for (const auto& [key, value] : fields.items())
        if (!isKnown(key, value) && ++count <= kNamed)
            names += (names.empty() ? "" : ", ") +
                     Json(key.substr(0, kLongest)).dump(-1, ' ', false, Json::error_handler_t::ignore);
    if (count == 0)
        return {};
    if (count > kNamed)
        names += " and " + std::to_string(count - kNamed) + " more";
    return count == 1 ? "the field " + names + " is unknown: it is kept, but has no effect"
                      : "the fields " + names + " are unknown: they are kept, but have no effect";
}

/// True for a field that names hardware. Other tools may call something else so.
bool isHardware(const Json& field)
{
    return field.is_object() && field.contains("fast_memory_capacity");
}

} // namespace

std::string unknownInSchedule(const std::string& extra)
{
    return unknownFieldsText(extra, [](const std::string& key, const Json& value) {
        return (key == "machine" && value.is_object()) || (key == "hardware" && isHardware(value)) ||
               (key == "dimensions" && value.is_object() &&
                std::ranges::all_of(value, [](const Json& size) { return size.is_number_integer(); }));
    });
}

std::string unknownInProblem(const std::string& extra)
{
    return unknownFieldsText(extra, [](const std::string&, const Json&) { return false; });
}

Result<std::optional<Hardware>> hardwareField(const std::string& extra, const std::string& file)
{
    if (extra.empty())
        return std::optional<Hardware>();
    const auto json = parseJson(extra, file);
    if (!json)
        return json.error();
    const auto field = json->find("hardware");
    if (field == json->end() || !isHardware(*field))
        return std::optional<Hardware>();
    Hardware out;
    std::vector<std::int64_t> native;
    JsonFields f(JsonCursor(*field, file));
    f.required("fast_memory_capacity", out.fastMemoryCapacity, Integers{1, kMaxArea});
    f.required("slow_memory_bandwidth", out.slowMemoryBandwidth, Integers{1, kMaxArea});
    f.required("native_granularity", native, Integers{1, kMaxDimension});
    if (!f.failed() && native.size() != 2 && native.size() != 3)
        f.fail("native_granularity", "expected [width, height] or [width, height, depth]");
    if (Status s = f.close(); !s)
        return s.error();
    out.nativeWidth = native[0];
    out.nativeHeight = native[1];
    if (native.size() == 3)
        out.nativeDepth = native[2];
    return std::optional(out);
}

std::string withHardwareField(const std::string& extra, const std::optional<Hardware>& hardware)
{
    Json json = extra.empty() ? Json::object() : parsedJson(extra);
    json.erase("hardware");
    if (hardware)
        json["hardware"] = hardwareJson(*hardware);
    return json.empty() ? std::string() : jsonText(json);
}

Result<std::shared_ptr<const Problem>> withHardware(const Problem& problem, const Hardware& hardware)
{
    Problem::Data data = problem.data();
    data.hardware = hardware;
    return Problem::build(std::move(data));
}

Result<ScheduleTarget> targetOfSchedule(const std::string& text, const std::string& file)
{
    ScheduleTarget out;
    const Json json = parsedJson(text);
    if (!json.is_object())
        return out; // the reader of schedules has the sentence for it
    Json named = Json::object();
    for (const char* field : {"machine", "dimensions", "hardware"})
        if (json.contains(field))
            named[field] = json[field];
    const std::string fields = jsonText(named);
    auto machine = machineField(fields, file);
    if (!machine)
        return machine.error();
    out.machine = std::move(*machine);
    out.dimensions = dimensionsField(fields);
    const auto hardware = hardwareField(fields, file);
    if (!hardware)
        return hardware.error();
    out.hardware = *hardware;
    return out;
}

std::string withTarget(const std::string& extra, const ScheduleTarget& target)
{
    Json json = extra.empty() ? Json::object() : parsedJson(extra);
    json.erase("machine");
    json.erase("dimensions");
    const std::string without =
        withHardwareField(json.empty() ? std::string() : jsonText(json), target.hardware);
    return target.machine ? withMachineField(without, *target.machine, target.dimensions) : without;
}

} // namespace tilewright::lower
