// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/file.h"
#include "base/json_fields.h"
#include "systolic/hierarchy.h"

namespace tilewright::systolic {

namespace {

void bindLevel(JsonFields& f, MemoryLevel& level)
{
    f.required("buffers", level.buffers, Integers{1, 1 << 20});
    f.required("bytes", level.bytes, Integers{1, std::int64_t{1} << 62});
    f.required("gb_per_s", level.gbPerSecond, Numbers{0, 1e12});
    if (level.gbPerSecond <= 0)
        f.fail("gb_per_s", "the bandwidth must be greater than zero");
}

} // namespace

void bindFields(JsonFields& f, Hierarchy& h)
{
    f.optional("name", h.name);
    f.optional("frequency_ghz", h.frequencyGhz, Numbers{1e-6, 1e6});
    f.optional("element_bytes", h.elementBytes, Integers{1, 64});
    f.required("array", [&](JsonFields& array) {
        array.required("rows", h.array.rows, Integers{1, kMaxArraySide});
        array.required("cols", h.array.cols, Integers{1, kMaxArraySide});
    });
    f.required("levels", [&](JsonFields& levels) {
        for (const Level level : kLevels)
            levels.required(levelName(level), [&](JsonFields& l) { bindLevel(l, h.at(level)); });
    });
    if (!f.failed())
        f.check(checkHierarchy(h));
}

Result<Hierarchy> parseHierarchy(std::string_view text, const std::string& file)
{
    return parseJsonValue<Hierarchy>(text, file);
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
    return jsonText(writeJson(h), 2) + "\n";
}

} // namespace tilewright::systolic
