// SPDX-License-Identifier: GPL-3.0-or-later
#include "schema.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <set>

namespace tilewright::fuzz {

using nlohmann::json;

namespace {

bool isOfType(const std::string& type, const json& value)
{
    if (type == "object")
        return value.is_object();
    if (type == "array")
        return value.is_array();
    if (type == "string")
        return value.is_string();
    if (type == "boolean")
        return value.is_boolean();
    if (type == "null")
        return value.is_null();
    if (type == "integer")
        return value.is_number_integer() ||
               (value.is_number_float() && value.get<double>() == std::floor(value.get<double>()));
    return value.is_number();
}

} // namespace

Schema::Schema(const std::string& name)
    : m_root(json::parse(std::ifstream(TILEWRIGHT_SOURCE_DIR "/docs/schema/" + name + ".schema.json")))
{
}

Schema::Rules Schema::rule(Rules rules, const char* name)
{
    const auto found = rules ? rules->find(name) : json::const_iterator();
    return rules && found != rules->end() ? &*found : nullptr;
}

const json& Schema::followed(const json& rules) const
{
    const Rules to = rule(&rules, "$ref");
    return to ? followed(m_root.at(json::json_pointer(to->get<std::string>().substr(1)))) : rules;
}

const json& Schema::chosen(const json& given, const json& value) const
{
    const json& rules = followed(given);
    if (rules.contains("properties") || rules.contains("items"))
        return rules;
    for (const char* name : {"oneOf", "anyOf"})
        if (const Rules list = rule(&rules, name))
            for (const json& one : *list)
                if (allows(one, value))
                    return chosen(one, value);
    return rules;
}

Schema::Rules Schema::ofMember(Rules rules, const std::string& key, const json& value) const
{
    if (!rules)
        return nullptr;
    const json& own = chosen(*rules, value);
    if (const Rules all = rule(&own, "properties"))
        if (const Rules one = rule(all, key.c_str()))
            return &followed(*one);
    const Rules others = rule(&own, "additionalProperties");
    return others && others->is_object() ? &followed(*others) : nullptr;
}

Schema::Rules Schema::ofItem(Rules rules, const json& value) const
{
    const Rules items = rules ? rule(&chosen(*rules, value), "items") : nullptr;
    return items ? &followed(*items) : nullptr;
}

bool Schema::takesAnyKey(Rules rules, const json& value) const
{
    if (!rules)
        return true;
    const json& own = chosen(*rules, value);
    const Rules others = rule(&own, "additionalProperties");
    return others ? others->is_object() : !own.contains("properties");
}

bool Schema::allows(const json& given, const json& value) const
{
    if (given.is_boolean())
        return given.get<bool>();
    const json& rules = followed(given);
    for (const auto& item : rules.items()) {
        const std::string& name = item.key();
        const json& r = item.value();
        if (name == "type") {
            if (r.is_string() ? !isOfType(r, value) : std::none_of(r.begin(), r.end(), [&](const json& t) {
                    return isOfType(t, value);
                }))
                return false;
        } else if (name == "enum") {
            if (std::find(r.begin(), r.end(), value) == r.end())
                return false;
        } else if (name == "const") {
            if (r != value)
                return false;
        } else if (name == "minimum" || name == "exclusiveMinimum" || name == "maximum") {
            if (value.is_number() && (name == "maximum"   ? value > r
                                      : name == "minimum" ? value < r
                                                          : value <= r))
                return false;
        } else if (name == "minItems" || name == "maxItems") {
            if (value.is_array() && (name == "minItems" ? value.size() < r : value.size() > r))
                return false;
        } else if (name == "minProperties" || name == "maxProperties") {
            if (value.is_object() && (name == "minProperties" ? value.size() < r : value.size() > r))
                return false;
        } else if (name == "uniqueItems") {
            if (value.is_array() && std::set<json>(value.begin(), value.end()).size() != value.size())
                return false;
        } else if (name == "required") {
            for (const json& key : r)
                if (value.is_object() && !value.contains(key.get<std::string>()))
                    return false;
        } else if (name == "items") {
            if (value.is_array() &&
                !std::all_of(value.begin(), value.end(), [&](const json& each) { return allows(r, each); }))
                return false;
        } else if (name == "properties" || name == "additionalProperties") {
            const Rules known = name == "properties" ? &r : rule(&rules, "properties");
            if (!value.is_object())
                continue;
            for (const auto& [key, member] : value.items()) {
                const bool isKnown = known && known->contains(key);
                if (isKnown && name == "properties" && !allows(r.at(key), member))
                    return false;
                if (!isKnown && name == "additionalProperties" && !allows(r, member))
                    return false;
            }
        } else if (name == "anyOf" || name == "oneOf") {
            const auto n =
                std::count_if(r.begin(), r.end(), [&](const json& one) { return allows(one, value); });
            if (n == 0 || (name == "oneOf" && n > 1))
                return false;
        } else if (name == "not") {
            if (allows(r, value))
                return false;
        }
    }
    return true;
}

} // namespace tilewright::fuzz
