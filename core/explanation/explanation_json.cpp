// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/json_document.h"
#include "explanation/explanation.h"

namespace tilewright {

namespace {

Json documentOfExplanation(const ExplainedValue& e)
{
    Json out{{"name", e.name}};
    if (!e.unit.empty())
        out["unit"] = e.unit;
    out["value"] = jsonNumber(e.value);
    out["operation"] = std::string(toString(e.operation));
    if (!e.rule.empty())
        out["rule"] = e.rule;
    if (!e.source.empty())
        out["source"] = e.source;
    if (!e.parts.empty()) {
        Json& parts = out["parts"] = Json::array();
        for (const ExplainedValue& part : e.parts)
            parts.push_back(documentOfExplanation(part));
    }
    return out;
}

} // namespace

std::string explanationJson(const ExplainedValue& explanation)
{
    return jsonText(documentOfExplanation(explanation));
}

} // namespace tilewright
