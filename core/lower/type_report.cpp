// SPDX-License-Identifier: GPL-3.0-or-later
#include "lower/lowered.h"

namespace tilewright::lower {

std::vector<TypeReport> typesOf(const LoweringReport& report)
{
    std::map<std::string, TypeReport> types;
    for (const NodeReport& n : report.nodes) {
        TypeReport& t = types[n.type];
        ++t.nodes;
        t.macs = saturatingAdd(t.macs, n.macs);
        t.bytes = saturatingAdd(t.bytes, n.bytes);
        ++t.became[static_cast<std::size_t>(n.status)];
    }
    std::vector<TypeReport> out;
    for (auto& [type, t] : types) {
        t.type = type;
        out.push_back(std::move(t));
    }
    return out;
}

} // namespace tilewright::lower
