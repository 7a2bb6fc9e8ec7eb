// SPDX-License-Identifier: GPL-3.0-or-later
// As much of JSON Schema as docs/schema uses, to ask of one value whether its description allows it.
#pragma once

#include <nlohmann/json.hpp>

#include <string>

namespace tilewright::fuzz {

class Schema
{
public:
    /// docs/schema/NAME.schema.json.
    explicit Schema(const std::string& name);

    [[nodiscard]] bool allows(const nlohmann::json& value) const { return allows(m_root, value); }

    using Rules = const nlohmann::json*;
    [[nodiscard]] Rules root() const { return &m_root; }
    /// Rules of a member or an item of a value that `rules` describe; null where nothing describes it.
    [[nodiscard]] Rules ofMember(Rules rules, const std::string& key, const nlohmann::json& value) const;
    [[nodiscard]] Rules ofItem(Rules rules, const nlohmann::json& value) const;
    /// Whether any key may stand in such an object: a map, or what has no description.
    [[nodiscard]] bool takesAnyKey(Rules rules, const nlohmann::json& value) const;
    /// One value of "enum", "minimum", ...; null where there is none.
    [[nodiscard]] static Rules rule(Rules rules, const char* name);

private:
    [[nodiscard]] bool allows(const nlohmann::json& rules, const nlohmann::json& value) const;
    [[nodiscard]] const nlohmann::json& followed(const nlohmann::json& rules) const;
    /// Of alternatives the one that allows the value.
    [[nodiscard]] const nlohmann::json& chosen(const nlohmann::json& rules,
                                               const nlohmann::json& value) const;

    nlohmann::json m_root;
};

} // namespace tilewright::fuzz
