// SPDX-License-Identifier: GPL-3.0-or-later
// Included from *_json.cpp files only, like base/json_document.h.
#pragma once

#include "base/json_fields.h"
#include "workload/rules.h"

#include <string>

namespace tilewright {

/// Reads rules (docs/rules/real.md R18): the name of a set, or an object with the field "set" and the
/// switches that differ from it, by name.
[[nodiscard]] inline Status readJson(const JsonCursor& at, Rules& rules)
{
    const auto named = [](const JsonCursor& where, Rules& out) -> Status {
        std::string name;
        if (Status s = readJson(where, name); !s)
            return s;
        const auto set = ruleSetNamed(name);
        if (!set)
            return expectedWord(where, ruleSetNames());
        out = *set;
        return Unit{};
    };
    if (!at.node().is_object())
        return named(at, rules);
    Rules out;
    if (const auto set = at.find("set"))
        if (Status s = named(*set, out); !s)
            return s;
    for (const auto& [key, value] : at.node().items()) {
        if (key == "set")
            continue;
        const auto member = at.member(key);
        if (!member)
            return member.error();
        std::string word;
        if (Status s = readJson(*member, word); !s)
            return s;
        if (const Status s = setRule(out, key, word); !s)
            return member->error(s.error().message);
    }
    rules = out;
    return Unit{};
}

[[nodiscard]] inline Json writeJson(const Rules& rules)
{
    const RulesInWords words = inWords(rules);
    if (words.switches.empty())
        return words.set;
    Json out = {{"set", words.set}};
    for (const std::string& setting : words.switches)
        out[setting.substr(0, setting.find('='))] = setting.substr(setting.find('=') + 1);
    return out;
}

} // namespace tilewright
