// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/machine_text.h"

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

std::string usedBy(const MachineField& field)
{
    if (field.path.starts_with("launch_us."))
        return "Summary and floor (times)";
    std::string out;
    for (const MachineLens lens : field.lenses)
        out.append(out.empty() ? "" : ", ").append(toString(lens));
    return out.empty() ? "nothing yet" : out;
}

} // namespace tilewright
