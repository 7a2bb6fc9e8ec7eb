// SPDX-License-Identifier: GPL-3.0-or-later
#include "npu/hardware_json.h"
#include "base/file.h"
#include "base/json_reader.h"
#include "npu/hardware.h"

#include <limits>

namespace tilewright::npu {

namespace {

/// Reads the optional integer `key` into `out`; ranges are checked by checkHardware.
template <typename T> Status readInteger(const JsonCursor& object, std::string_view key, T& out)
{
    const auto field = object.find(key);
    if (!field)
        return Unit{};
    const auto value = field->integer(std::numeric_limits<std::int32_t>::min(), std::int64_t{1} << 40);
    if (!value)
        return value.error();
    if (*value > static_cast<std::int64_t>(std::numeric_limits<T>::max()))
        return field->expected("an integer of at most " + std::to_string(std::numeric_limits<T>::max()));
    out = static_cast<T>(*value);
    return Unit{};
}

Status readDram(const JsonCursor& c, DramHardware& dram)
{
    if (auto s = c.object({"channels", "banks", "bytes_per_cycle", "burst_bytes", "interleave_bytes",
                           "row_bytes", "row_hit_cycles", "row_miss_cycles", "arbiter"});
        !s)
        return s;
    for (Status s :
         {readInteger(c, "channels", dram.channels), readInteger(c, "banks", dram.banks),
          readInteger(c, "bytes_per_cycle", dram.bytesPerCycle),
          readInteger(c, "burst_bytes", dram.burstBytes),
          readInteger(c, "interleave_bytes", dram.interleaveBytes),
          readInteger(c, "row_bytes", dram.rowBytes), readInteger(c, "row_hit_cycles", dram.rowHitCycles),
          readInteger(c, "row_miss_cycles", dram.rowMissCycles)})
        if (!s)
            return s;
    if (const auto field = c.find("arbiter")) {
        const auto text = field->string();
        if (!text)
            return text.error();
        if (*text == "dram_aware")
            dram.arbiter = Arbiter::DramAware;
        else if (*text == "oldest_first")
            dram.arbiter = Arbiter::OldestFirst;
        else
            return field->expected("\"dram_aware\" or \"oldest_first\"");
    }
    return Unit{};
}

Status readPasses(const JsonCursor& c, VectorPasses& passes)
{
    if (auto s = c.object({"softmax", "layer_norm", "rms_norm", "elementwise"}); !s)
        return s;
    for (Status s :
         {readInteger(c, "softmax", passes.softmax), readInteger(c, "layer_norm", passes.layerNorm),
          readInteger(c, "rms_norm", passes.rmsNorm), readInteger(c, "elementwise", passes.elementwise)})
        if (!s)
            return s;
    return Unit{};
}

Status readNoc(const JsonCursor& c, NpuHardware& hw)
{
    if (auto s = c.object({"link_bytes_per_cycle", "trunk_bytes_per_cycle"}); !s)
        return s;
    if (auto s = readInteger(c, "link_bytes_per_cycle", hw.linkBytesPerCycle); !s)
        return s;
    return readInteger(c, "trunk_bytes_per_cycle", hw.trunkBytesPerCycle);
}

Status readFields(const JsonCursor& c, NpuHardware& hw)
{
    if (auto s = c.object({"name", "cores", "engine_rows", "engine_cols", "vector_lanes", "clock_ghz",
                           "spm_bytes", "accumulator_bytes", "passes", "dram", "noc"});
        !s)
        return s;
    if (const auto field = c.find("name")) {
        auto text = field->string();
        if (!text)
            return text.error();
        hw.name = *text;
    }
    if (const auto field = c.find("clock_ghz")) {
        const auto value = field->number(0.001, 1000);
        if (!value)
            return value.error();
        hw.clockGhz = *value;
    }
    for (Status s :
         {readInteger(c, "cores", hw.cores), readInteger(c, "engine_rows", hw.engineRows),
          readInteger(c, "engine_cols", hw.engineCols), readInteger(c, "vector_lanes", hw.vectorLanes),
          readInteger(c, "spm_bytes", hw.spmBytes), readInteger(c, "accumulator_bytes", hw.accumulatorBytes)})
        if (!s)
            return s;
    if (const auto field = c.find("passes"))
        if (auto s = readPasses(*field, hw.passes); !s)
            return s;
    if (const auto field = c.find("dram"))
        if (auto s = readDram(*field, hw.dram); !s)
            return s;
    if (const auto field = c.find("noc"))
        if (auto s = readNoc(*field, hw); !s)
            return s;
    return Unit{};
}

} // namespace

Result<NpuHardware> readHardware(const JsonCursor& cursor, const std::string& file)
{
    NpuHardware hw;
    if (auto s = readFields(cursor, hw); !s)
        return s.error();
    if (auto s = checkHardware(hw); !s) {
        Error e = s.error();
        e.file = file;
        if (!cursor.path().empty())
            e.path = cursor.path() + "." + e.path;
        return e;
    }
    return hw;
}

Result<NpuHardware> parseHardware(std::string_view text, const std::string& file)
{
    const auto json = parseJson(text, file);
    if (!json)
        return json.error();
    return readHardware(JsonCursor(*json, file), file);
}

Result<NpuHardware> loadHardware(const std::string& path)
{
    const auto text = readFile(path);
    if (!text)
        return text.error();
    return parseHardware(*text, path);
}

std::string hardwareToJson(const NpuHardware& hw)
{
    Json j;
    j["name"] = hw.name;
    j["cores"] = hw.cores;
    j["engine_rows"] = hw.engineRows;
    j["engine_cols"] = hw.engineCols;
    j["vector_lanes"] = hw.vectorLanes;
    j["clock_ghz"] = hw.clockGhz;
    j["spm_bytes"] = hw.spmBytes;
    j["accumulator_bytes"] = hw.accumulatorBytes;
    j["passes"] = {{"softmax", hw.passes.softmax},
                   {"layer_norm", hw.passes.layerNorm},
                   {"rms_norm", hw.passes.rmsNorm},
                   {"elementwise", hw.passes.elementwise}};
    j["dram"] = {{"channels", hw.dram.channels},
                 {"banks", hw.dram.banks},
                 {"bytes_per_cycle", hw.dram.bytesPerCycle},
                 {"burst_bytes", hw.dram.burstBytes},
                 {"interleave_bytes", hw.dram.interleaveBytes},
                 {"row_bytes", hw.dram.rowBytes},
                 {"row_hit_cycles", hw.dram.rowHitCycles},
                 {"row_miss_cycles", hw.dram.rowMissCycles},
                 {"arbiter", hw.dram.arbiter == Arbiter::DramAware ? "dram_aware" : "oldest_first"}};
    j["noc"] = {{"link_bytes_per_cycle", hw.linkBytesPerCycle},
                {"trunk_bytes_per_cycle", hw.trunkBytesPerCycle}};
    return j.dump(2) + "\n";
}

} // namespace tilewright::npu
