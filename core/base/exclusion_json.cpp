// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/exclusion_json.h"

namespace tilewright {

Json limitsJson(const std::vector<ExcludingLimit>& limits)
{
    Json out = Json::array();
    for (const ExcludingLimit& limit : limits)
        out.push_back({{"limit", limit.name}, {"value", limit.value}, {"would_do", limit.enough}});
    return out;
}

Json exclusionJson(const Exclusion& exclusion)
{
    return {{"limits", limitsJson(exclusion.limits)},
            {"because", exclusion.because},
            {"proven", exclusion.proven}};
}

Json noneJson(const std::string& message, const std::optional<Exclusion>& why)
{
    Json out{{"code", "NONE"}, {"message", message}};
    if (why)
        out.update(exclusionJson(*why));
    return out;
}

std::string noneReport(const std::string& message, const std::optional<Exclusion>& why)
{
    return jsonText({{"valid", false}, {"error", noneJson(message, why)}}, 2) + "\n";
}

} // namespace tilewright
