// SPDX-License-Identifier: GPL-3.0-or-later
// The hardware that a schedule file names beside its own fields (docs/rules/workload.md 2).
#include "base/json_fields.h"
#include "lower/machine_lenses.h"

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
    if (hardware) {
        std::vector<std::int64_t> native{hardware->nativeWidth, hardware->nativeHeight};
        if (hardware->nativeDepth)
            native.push_back(*hardware->nativeDepth);
        json["hardware"] = {{"fast_memory_capacity", hardware->fastMemoryCapacity},
                            {"slow_memory_bandwidth", hardware->slowMemoryBandwidth},
                            {"native_granularity", native}};
    }
    return json.empty() ? std::string() : json.dump();
}

} // namespace tilewright::lower
