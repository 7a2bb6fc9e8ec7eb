// SPDX-License-Identifier: GPL-3.0-or-later
// The hardware that a schedule file names beside its own fields (docs/rules/workload.md 2).
#include "base/json_fields.h"
#include "lower/machine_lenses.h"
#include "workload/hardware_json.h"

namespace tilewright::lower {

Result<std::optional<Hardware>> hardwareField(const std::string& extra, const std::string& file)
{
    if (extra.empty())
        return std::optional<Hardware>();
    const auto json = parseJson(extra, file);
    if (!json)
        return json.error();
    const auto field = json->find("hardware");
    if (field == json->end() || !field->is_object() || !field->contains("fast_memory_capacity"))
        return std::optional<Hardware>(); // other tools may call something else so
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
    Json json = extra.empty() ? Json::object() : Json::parse(extra);
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
    const Json json = Json::parse(text, nullptr, false);
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
    Json json = extra.empty() ? Json::object() : Json::parse(extra);
    json.erase("machine");
    json.erase("dimensions");
    const std::string without =
        withHardwareField(json.empty() ? std::string() : jsonText(json), target.hardware);
    return target.machine ? withMachineField(without, *target.machine, target.dimensions) : without;
}

} // namespace tilewright::lower
