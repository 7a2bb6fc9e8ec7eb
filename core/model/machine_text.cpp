// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/machine_text.h"

#include <algorithm>
#include <array>

namespace tilewright {

std::string sourceText(const Provenance& source)
{
    std::string out(toString(source.kind));
    if (!source.source.empty())
        out.append(": ").append(source.source);
    if (source.year > 0)
        out.append(" (").append(std::to_string(source.year)).append(")");
    if (!source.note.empty())
        out.append("; ").append(source.note);
    return out;
}

std::string originText(const MachineField& field)
{
    if (field.source)
        return sourceText(*field.source);
    return field.given ? "given" : field.formula == "default" ? "default" : "derived: " + field.formula;
}

bool isOfLevels(std::string_view path)
{
    constexpr std::array kUsed{"arrays",          "array.kind", "array.rates",   "array.row_loops",
                               "array.col_loops", "levels.",    "register_files"};
    return std::ranges::any_of(kUsed, [&](const char* used) { return path.starts_with(used); });
}

std::string usedBy(const MachineField& field)
{
    if (field.path.starts_with("launch_us."))
        return "Summary and floor (times)";
    if (field.path.starts_with("links."))
        return "Summary and sweep (several chips)";
    std::string out;
    for (const MachineLens lens : field.lenses)
        out.append(out.empty() ? "" : ", ").append(toString(lens));
    if (isOfLevels(field.path) && std::ranges::find(field.lenses, MachineLens::Mapping) == field.lenses.end())
        out.append(out.empty() ? "" : ", ").append("Mapping with levels");
    return out.empty() ? "nothing yet" : out;
}

} // namespace tilewright
