// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/json_document.h"
#include "figures/explain.h"

namespace tilewright::figures {

std::string withExplanation(const std::string& document, const Figure& figure)
{
    Json out = parsedJson(document);
    out["explain"] = parsedJson(figureJson(figure));
    return dumpByField(out);
}

std::string explainJson(const ExplainAnswer& answer)
{
    if (answer.figure) {
        Json out = parsedJson(figureJson(*answer.figure));
        for (const WhatIf& value : answer.whatIf)
            out["what_if"].push_back({{"field", value.field},
                                      {"from", value.from},
                                      {"to", value.to},
                                      {"figure", jsonNumber(value.figure)},
                                      {"change", jsonNumber(value.change)}});
        return dumpByField(out);
    }
    Json list = Json::array();
    for (const std::string& address : answer.figures.addresses(kListedElements))
        if (const auto figure = answer.figures.find(address))
            list.push_back({{"address", address},
                            {"value", jsonNumber(figure->value.value)},
                            {"unit", figure->value.unit},
                            {"title", figure->kind.title}});
    return dumpByField(Json{{"figures", std::move(list)}});
}

} // namespace tilewright::figures
