// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/exclusion.h"

namespace tilewright {

std::string listedWith(const std::vector<std::string>& parts, std::string_view word)
{
    std::string out;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        if (i > 0 && i + 1 < parts.size())
            out += ", ";
        else if (i > 0)
            out.append(" ").append(word).append(" ");
        out += parts[i];
    }
    return out;
}

std::string wouldDoText(const std::vector<ExcludingLimit>& limits)
{
    std::vector<std::string> enough;
    for (const ExcludingLimit& limit : limits)
        enough.insert(enough.end(), limit.enough.begin(), limit.enough.end());
    return enough.empty() ? std::string() : "; " + listedWith(enough, "or") + " would do";
}

std::string Exclusion::text() const
{
    std::vector<std::string> named;
    named.reserve(limits.size());
    for (const ExcludingLimit& limit : limits)
        named.push_back(limit.value.empty() ? limit.name : limit.name + " " + limit.value);
    std::string out = listedWith(named, "and");
    if (!because.empty())
        out.append(out.empty() ? "" : ": ").append(because);
    return out + wouldDoText(limits);
}

std::string Exclusion::sentence(std::string_view what) const
{
    return "no " + std::string(what) + (proven ? " exists: " : " was found: ") + text();
}

} // namespace tilewright
