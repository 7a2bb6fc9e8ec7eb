// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/json_document.h"
#include "model/compare_models.h"

namespace tilewright::model {

std::string comparisonJson(const Model& before, const Model& after, const ModelComparison& c)
{
    const auto side = [&](const Model& m, std::size_t i) {
        return Json{
            {"name", m.name}, {"operators", m.operators.size()}, {"macs", c.macs[i]}, {"bytes", c.bytes[i]}};
    };
    Json out{{"kind", "comparison"}, {"before", side(before, 0)}, {"after", side(after, 1)},
             {"same", c.same},       {"changed", c.changed},      {"new", c.added},
             {"gone", c.gone},       {"operators", Json::array()}};
    for (const OperatorPair& p : c.operators) {
        Json row{{"change", toString(p.change)}};
        const auto tell = [&](const char* key, const Model& m, std::optional<OpId> o) {
            if (o)
                row[key] = {{"name", m.operators[*o].name}, {"type", m.operators[*o].typeName()}};
        };
        tell("before", before, p.before);
        tell("after", after, p.after);
        row["macs"] = p.macs;
        row["bytes"] = p.bytes;
        out["operators"].push_back(std::move(row));
    }
    return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace tilewright::model
