// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/file.h"
#include "base/json_reader.h"
#include "systolic/hierarchy.h"

#include <limits>

namespace tilewright::systolic {

namespace {

constexpr std::int64_t kMaxBytes = std::int64_t{1} << 62;

Result<MemoryLevel> readLevel(const JsonCursor& levels, Level level)
{
    const auto node = levels.member(levelName(level));
    if (!node)
        return node.error();
    if (const auto ok = node->object({"buffers", "bytes", "gb_per_s"}); !ok)
        return ok.error();
    MemoryLevel out;
    const auto integer = [&](std::string_view key, std::int64_t max, std::int64_t& into) -> Status {
        const auto field = node->member(key);
        if (!field)
            return field.error();
        const auto value = field->integer(1, max);
        if (!value)
            return value.error();
        into = *value;
        return Unit{};
    };
    if (const auto ok = integer("buffers", 1 << 20, out.buffers); !ok)
        return ok.error();
    if (const auto ok = integer("bytes", kMaxBytes, out.bytes); !ok)
        return ok.error();
    const auto bandwidth = node->member("gb_per_s");
    if (!bandwidth)
        return bandwidth.error();
    const auto value = bandwidth->number(0, 1e12);
    if (!value)
        return value.error();
    if (*value <= 0)
        return bandwidth->error("the bandwidth must be greater than zero");
    out.gbPerSecond = *value;
    return out;
}

} // namespace

Result<Hierarchy> parseHierarchy(std::string_view text, const std::string& file)
{
    const auto document = parseJson(text, file);
    if (!document)
        return document.error();
    const JsonCursor root(*document, file);
    if (const auto ok = root.object({"name", "frequency_ghz", "element_bytes", "array", "levels"}); !ok)
        return ok.error();
    Hierarchy h;
    if (const auto name = root.find("name")) {
        const auto value = name->string();
        if (!value)
            return value.error();
        h.name = *value;
    }
    if (const auto f = root.find("frequency_ghz")) {
        const auto value = f->number(1e-6, 1e6);
        if (!value)
            return value.error();
        h.frequencyGhz = *value;
    }
    if (const auto e = root.find("element_bytes")) {
        const auto value = e->integer(1, 64);
        if (!value)
            return value.error();
        h.elementBytes = *value;
    }
    const auto array = root.member("array");
    if (!array)
        return array.error();
    if (const auto ok = array->object({"rows", "cols"}); !ok)
        return ok.error();
    for (const auto& [key, into] : {std::pair{"rows", &h.array.rows}, {"cols", &h.array.cols}}) {
        const auto field = array->member(key);
        if (!field)
            return field.error();
        const auto value = field->integer(1, kMaxArraySide);
        if (!value)
            return value.error();
        *into = *value;
    }
    const auto levels = root.member("levels");
    if (!levels)
        return levels.error();
    if (const auto ok = levels->object({"host", "external", "l3", "l2", "l1"}); !ok)
        return ok.error();
    for (const Level level : kLevels) {
        const auto value = readLevel(*levels, level);
        if (!value)
            return value.error();
        h.at(level) = *value;
    }
    if (const auto ok = checkHierarchy(h); !ok) {
        Error error = ok.error();
        error.file = file;
        return error;
    }
    return h;
}

Result<Hierarchy> readHierarchy(const std::string& path)
{
    const auto text = readFile(path);
    if (!text)
        return text.error();
    return parseHierarchy(*text, path);
}

std::string hierarchyJson(const Hierarchy& h)
{
    Json levels = Json::object();
    for (const Level level : kLevels) {
        const MemoryLevel& m = h.at(level);
        levels[std::string(levelName(level))] = {
            {"buffers", m.buffers}, {"bytes", m.bytes}, {"gb_per_s", m.gbPerSecond}};
    }
    const Json out = {{"name", h.name},
                      {"frequency_ghz", h.frequencyGhz},
                      {"element_bytes", h.elementBytes},
                      {"array", {{"rows", h.array.rows}, {"cols", h.array.cols}}},
                      {"levels", levels}};
    return out.dump(2) + "\n";
}

} // namespace tilewright::systolic
