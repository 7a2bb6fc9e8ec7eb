// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/json_document.h"

#include <algorithm>
#include <cmath>

namespace tilewright {

std::string unknownFields(const Json& object, std::span<const std::string_view> known)
{
    Json out = Json::object();
    for (const auto& [key, value] : object.items())
        if (std::ranges::find(known, key) == known.end())
            out[key] = value;
    return out.empty() ? std::string() : jsonText(out);
}

void addFields(Json& object, const std::string& extra)
{
    if (extra.empty())
        return;
    const Json fields = parsedJson(extra);
    if (!fields.is_object())
        return;
    for (const auto& [key, value] : fields.items())
        if (!object.contains(key))
            object[key] = value;
}

std::string dumpByField(const Json& object)
{
    std::string out = "{";
    const char* separator = "\n  ";
    for (const auto& [key, value] : object.items()) {
        out += separator;
        out += jsonText(Json(key));
        out += ": ";
        out += jsonText(value);
        separator = ",\n  ";
    }
    return out + "\n}\n";
}

Json jsonNumber(double value)
{
    if (!std::isfinite(value))
        return nullptr;
    if (value == std::floor(value) && std::abs(value) < 9007199254740992.0)
        return static_cast<std::int64_t>(value);
    return value;
}

} // namespace tilewright
