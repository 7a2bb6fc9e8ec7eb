// SPDX-License-Identifier: GPL-3.0-or-later
// Machines from older files: the three hardware formats, and the hardware that a schedule file names.
#include "base/json_fields.h"
#include "base/json_reader.h"
#include "lower/machine_lenses.h"
#include "mapping/files.h"
#include "workload/hardware_json.h"

#include <algorithm>
#include <map>

namespace tilewright::lower {

// Reads the three older hardware formats as machines (docs/rules/workload.md 2). Each file is checked by the
// reader of its format, and its values are converted to the fields of a machine file.

namespace {

/// Stated fields of a machine by path, each with the file that states it.
struct Given
{
    Json value;
    std::string file;
};
using Fields = std::vector<std::pair<std::string, Json>>;

bool hasAny(const Json& json, std::initializer_list<const char*> keys)
{
    for (const char* key : keys)
        if (json.contains(key))
            return true;
    return false;
}

void copyObject(Fields& out, const Json& from, const char* key, const std::string& path,
                const std::map<std::string, std::string>& names = {})
{
    if (!from.contains(key))
        return;
    for (const auto& [name, value] : from[key].items()) {
        const auto renamed = names.find(name);
        if (!value.is_object())
            out.emplace_back(path + "." + (renamed == names.end() ? name : renamed->second), value);
    }
}

void copyField(Fields& out, const Json& from, const char* key, const std::string& path)
{
    if (from.contains(key))
        out.emplace_back(path, from[key]);
}

void addLevel(Fields& out, const std::string& level, std::int64_t buffers, std::int64_t bytes, double rate)
{
    out.emplace_back("levels." + level + ".buffers", buffers);
    out.emplace_back("levels." + level + ".bytes", bytes);
    out.emplace_back("levels." + level + ".gb_per_s", rate);
}

Result<Fields> hierarchyFields(const Json& json, const MachineText& t)
{
    const auto h = systolic::parseHierarchy(t.text, t.file);
    if (!h)
        return h.error();
    Fields out;
    copyField(out, json, "name", "name");
    copyField(out, json, "frequency_ghz", "clock_ghz");
    copyField(out, json, "element_bytes", "element_bytes");
    out.emplace_back("array.rows", h->array.rows);
    out.emplace_back("array.cols", h->array.cols);
    for (const systolic::Level level : systolic::kLevels)
        addLevel(out, std::string(systolic::levelName(level)), h->at(level).buffers, h->at(level).bytes,
                 h->at(level).gbPerSecond);
    return out;
}

Result<Fields> npuFields(const Json& json, const MachineText& t)
{
    const auto hw = npu::parseHardware(t.text, t.file);
    if (!hw)
        return hw.error();
    Fields out;
    copyField(out, json, "name", "name");
    copyField(out, json, "cores", "cores");
    out.emplace_back("array.rows", hw->engineRows);
    out.emplace_back("array.cols", hw->engineCols);
    out.emplace_back("vector.lanes", hw->vectorLanes);
    copyField(out, json, "clock_ghz", "clock_ghz");
    copyField(out, json, "accumulator_bytes", "accumulator_bytes");
    copyObject(out, json, "passes", "vector.passes");
    for (const auto& [path, value] : {std::pair{"dram.channels", Json(hw->dram.channels)},
                                      std::pair{"dram.bytes_per_cycle", Json(hw->dram.bytesPerCycle)}})
        out.emplace_back(path, value);
    for (const char* key : {"banks", "burst_bytes", "interleave_bytes", "row_bytes", "row_hit_cycles",
                            "row_miss_cycles", "read_latency_cycles", "write_latency_cycles",
                            "outstanding_requests", "request_bytes", "address_hash"})
        if (json.contains("dram") && json["dram"].contains(key))
            out.emplace_back(std::string("dram.") + key, json["dram"][key]);
    copyObject(out, json, "noc", "noc");
    const bool hasShared = hw->shared.bytes > 0;
    addLevel(out, hasShared ? "l2" : "l3", 1, hw->spmBytes,
             static_cast<double>(hw->linkBytesPerCycle) * hw->clockGhz);
    if (hasShared) {
        addLevel(out, "l3", 1, hw->shared.bytes,
                 static_cast<double>(hw->shared.bytesPerCycle) * hw->clockGhz);
        out.emplace_back("levels.l3.shared", true);
        const auto rate = [&](const char* path, std::int64_t bytesPerCycle) {
            out.emplace_back(path, static_cast<double>(bytesPerCycle) * hw->clockGhz);
        };
        if (hw->shared.hasTwoPorts()) {
            rate("levels.l3.read_gb_per_s", hw->shared.readBytesPerCycle);
            rate("levels.l3.write_gb_per_s", hw->shared.writeBytesPerCycle);
        }
        if (hw->shared.multicast)
            out.emplace_back("levels.l3.multicast", true);
    }
    addLevel(out, "external", 1, std::int64_t{1} << 30,
             static_cast<double>(hw->dram.channels * hw->dram.bytesPerCycle) * hw->clockGhz);
    return out;
}

Result<Fields> architectureFields(const Json& json, const MachineText& t)
{
    const auto a = mapping::readArchitecture(t.text, t.file);
    if (!a)
        return a.error();
    Fields out;
    if (!a->name.empty())
        out.emplace_back("name", a->name);
    // The number of rows is the largest divisor of the number of PEs up to its square root.
    std::int64_t rows = 1;
    for (std::int64_t r = 1; r * r <= a->pes; ++r)
        if (a->pes % r == 0)
            rows = r;
    out.emplace_back("array.rows", rows);
    out.emplace_back("array.cols", a->pes / rows);
    out.emplace_back("element_bytes", a->elementBytes);
    out.emplace_back("clock_ghz", a->arrayMhz / 1000);
    out.emplace_back("register_file_bytes", a->rfBytes);
    out.emplace_back("scratchpad_banks", a->spmBanks);
    const std::int64_t cols = a->pes / rows;
    const double arrayRate = static_cast<double>((rows + cols) * a->elementBytes) * a->arrayMhz / 1000;
    addLevel(out, "l3", 2, a->spmBanks * a->spmBankBytes, arrayRate);
    const double dmaRate = a->dmaCyclesPerByte > 0 ? a->dmaMhz / 1000 / a->dmaCyclesPerByte : arrayRate;
    addLevel(out, "external", 1, std::int64_t{1} << 30, dmaRate);
    out.emplace_back("dma.init_cycles", a->dmaInitCycles);
    out.emplace_back("dma.cycles_per_byte", a->dmaCyclesPerByte);
    out.emplace_back("dma.mhz", a->dmaMhz);
    (void)json;
    for (const auto& [key, value] : {std::pair{"rf", a->energyPj.rf}, std::pair{"noc", a->energyPj.noc},
                                     std::pair{"spm", a->energyPj.spm}, std::pair{"dram", a->energyPj.dram},
                                     std::pair{"mac", a->energyPj.mac}})
        out.emplace_back(std::string("energy_pj.") + key, value);
    return out;
}

enum class Format { Machine, Hierarchy, Npu, Architecture };

Format formatOf(const Json& json)
{
    if (hasAny(json, {"pes", "rf_bytes", "spm_banks", "spm_bank_bytes", "dma_mhz", "array_mhz", "arch_basic",
                      "arch_details"}))
        return Format::Architecture;
    if (hasAny(json, {"engine_rows", "engine_cols", "spm_bytes", "vector_lanes"}))
        return Format::Npu;
    if (json.contains("levels") &&
        (json.contains("frequency_ghz") || !hasAny(json, {"name", "element_bytes"})))
        return Format::Hierarchy;
    return Format::Machine;
}

void flatten(const Json& node, const std::string& path, Fields& out)
{
    for (const auto& [key, value] : node.items()) {
        std::string below = path;
        below.append(path.empty() ? "" : ".").append(key);
        value.is_object() ? flatten(value, below, out) : void(out.emplace_back(below, value));
    }
}

/// True if the value of a level is only derived in this format. If another older file states the value, that
/// one is used.
bool isDerivedLevel(const std::string& path, Format format)
{
    return format != Format::Hierarchy && format != Format::Machine && path.starts_with("levels.");
}

} // namespace

Result<Machine> readMachines(std::span<const MachineText> texts)
{
    std::vector<std::pair<Format, Fields>> read;
    std::string lastFile;
    for (const MachineText& t : texts) {
        const auto json = parseJson(t.text, t.file);
        if (!json)
            return json.error();
        if (Status s = JsonCursor(*json, t.file).object(); !s)
            return s.error();
        const Format format = formatOf(*json);
        if (format == Format::Machine && texts.size() == 1)
            return readMachine(t.text, t.file);
        Result<Fields> fields = Fields{};
        if (format == Format::Machine)
            flatten(*json, {}, *fields);
        else
            fields = format == Format::Hierarchy ? hierarchyFields(*json, t)
                     : format == Format::Npu     ? npuFields(*json, t)
                                                 : architectureFields(*json, t);
        if (!fields)
            return fields.error();
        read.emplace_back(format, std::move(*fields));
        lastFile += (lastFile.empty() ? "" : " + ") + t.file;
    }
    std::map<std::string, Given> given;
    std::vector<std::string> order;
    for (const bool derived : {false, true})
        for (std::size_t i = 0; i < read.size(); ++i)
            for (auto& [path, value] : read[i].second) {
                if (isDerivedLevel(path, read[i].first) != derived)
                    continue;
                const auto [it, isNew] = given.emplace(path, Given{value, texts[i].file});
                if (isNew)
                    order.push_back(path);
                else if (it->second.value != value && path != "name" && !derived)
                    return Error{ErrorCode::Problem,
                                 path + " is " + jsonText(it->second.value) + " in " + it->second.file +
                                     " and " + jsonText(value) + " in " + texts[i].file,
                                 {},
                                 {}};
            }
    if (!given.count("element_bytes")) { // a hierarchy has a default; for NPU hardware, models state it
        const bool hierarchy =
            std::any_of(read.begin(), read.end(), [](const auto& r) { return r.first == Format::Hierarchy; });
        given.emplace("element_bytes", Given{hierarchy ? systolic::Hierarchy().elementBytes : 2, {}});
        order.emplace_back("element_bytes");
    }
    if (!given.count("name")) {
        given.emplace("name", Given{lastFile, {}});
        order.emplace_back("name");
    }
    constexpr std::size_t kLongestValue = 40; // largest number of characters of a value in a message
    Json machine = Json::object();
    for (const std::string& path : order) {
        Json* at = &machine;
        for (std::size_t start = 0; start < path.size();) {
            const std::size_t dot = std::min(path.find('.', start), path.size());
            at = &(*at)[path.substr(start, dot - start)];
            start = dot + 1;
            if (start > path.size() ? at->is_object() : !at->is_object() && !at->is_null()) {
                const std::string whole = path.substr(0, dot);
                const Given& value = given[whole];
                return Error{ErrorCode::Field,
                             "expected an object, as in " + given.lower_bound(whole + ".")->second.file +
                                 ", got " + jsonText(value.value).substr(0, kLongestValue),
                             whole, value.file};
            }
        }
        *at = given[path].value;
    }
    return readMachine(jsonText(machine), lastFile);
}

Result<std::optional<Machine>> machineField(const std::string& extra, const std::string& file)
{
    if (extra.empty())
        return std::optional<Machine>();
    const auto json = parseJson(extra, file);
    if (!json)
        return json.error();
    const auto field = json->find("machine");
    if (field == json->end() || !field->is_object())
        return std::optional<Machine>(); // other programs may use the key "machine" for something else
    auto machine = readMachine(jsonText(*field), file);
    if (!machine)
        return machine.error();
    return std::optional<Machine>(std::move(*machine));
}

onnx::Dimensions dimensionsField(const std::string& extra)
{
    onnx::Dimensions out;
    const Json json = extra.empty() ? Json() : parsedJson(extra);
    const auto field = json.find("dimensions");
    if (field == json.end() || !field->is_object())
        return out;
    for (const auto& [name, value] : field->items())
        if (value.is_number_integer())
            out[name] = value.get<std::int64_t>();
    return out;
}

std::string withMachineField(const std::string& extra, const Machine& machine,
                             const onnx::Dimensions& dimensions)
{
    Json json = extra.empty() ? Json::object() : parsedJson(extra);
    json["machine"] = parsedJson(writeMachine(machine));
    if (!dimensions.empty() && !json["dimensions"].is_object())
        json["dimensions"] = Json::object(); // a field of another tool, which dimensionsField() ignores
    for (const auto& [name, value] : dimensions)
        json["dimensions"][name] = value;
    return jsonText(json);
}

// The hardware that a schedule file names, beside the schedule's own fields (docs/rules/workload.md 2).

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
            names += (names.empty() ? "" : ", ") + jsonText(Json(key.substr(0, kLongest)));
    if (count == 0)
        return {};
    if (count > kNamed)
        names += " and " + std::to_string(count - kNamed) + " more";
    return count == 1 ? "the field " + names + " is unknown: it is kept, but has no effect"
                      : "the fields " + names + " are unknown: they are kept, but have no effect";
}

/// True for a field that describes hardware. Other tools may use the same name for something else.
bool isHardware(const Json& field)
{
    return field.is_object() && field.contains("fast_memory_capacity");
}

} // namespace

std::string unknownInSchedule(const std::string& extra)
{
    return unknownFieldsText(extra, [](const std::string& key, const Json& value) {
        return ((key == "machine" || key == "constraints") && value.is_object()) ||
               (key == "hardware" && isHardware(value)) ||
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
        return out; // the reader of schedules reports the error
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
