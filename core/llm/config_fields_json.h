// SPDX-License-Identifier: GPL-3.0-or-later
// Included from *_json.cpp files only, like json_reader.h.
#pragma once

#include "llm/quantisation_json.h"

#include <initializer_list>
#include <optional>
#include <string>

namespace tilewright::llm {

/// The fields of one configuration, by the names that the families use. Keeps the first error.
class ConfigFields
{
public:
    explicit ConfigFields(const JsonCursor& root) : m_root(root), m_at(root) {}

protected:
    void fail(Error error)
    {
        if (!m_error)
            m_error = std::move(error);
    }
    void wrong(std::string_view key, const std::string& message)
    {
        const auto at = fieldOf(m_at, key);
        fail(at ? at->error(message) : m_at.error(std::string(key) + ": " + message));
    }
    /// The value of the first of these fields that the file has. If two of them have different values, this
    /// is an error.
    std::optional<std::int64_t> integer(std::initializer_list<std::string_view> names, std::int64_t min,
                                        std::int64_t max)
    {
        std::optional<std::int64_t> out;
        for (const std::string_view name : names)
            if (const auto at = fieldOf(m_at, name)) {
                const auto value = at->integer(min, max);
                if (!value)
                    fail(value.error());
                else if (out && *out != *value)
                    fail(at->error("contradicts " + std::string(*names.begin()) + ", which is " +
                                   std::to_string(*out)));
                else
                    out = *value;
            }
        return out;
    }
    std::int64_t needed(std::initializer_list<std::string_view> names, std::int64_t max)
    {
        const auto out = integer(names, 1, max);
        if (!out)
            fail(m_at.error("the field " + std::string(*names.begin()) + " is missing"));
        return out.value_or(1);
    }
    bool flag(const JsonCursor& at, std::string_view key, bool other)
    {
        const auto found = fieldOf(at, key);
        if (!found)
            return other;
        const auto value = found->boolean();
        if (!value)
            fail(value.error());
        return value ? *value : other;
    }
    bool flag(std::string_view key, bool other) { return flag(m_at, key, other); }
    std::string word(std::initializer_list<std::string_view> names)
    {
        for (const std::string_view name : names)
            if (const auto at = fieldOf(m_at, name)) {
                const auto value = at->string();
                if (value)
                    return *value;
                fail(value.error());
            }
        return {};
    }
    /// A field such as "partial_rotary_factor": the share of a head that is rotated.
    double share(std::initializer_list<std::string_view> names)
    {
        for (const std::string_view name : names)
            if (const auto at = fieldOf(m_at, name)) {
                const auto value = at->number(0, 1);
                if (value)
                    return *value;
                fail(value.error());
            }
        return 1;
    }

    JsonCursor m_root, m_at; ///< the file, and its object `text_config` if it has one
    std::optional<Error> m_error;
};

} // namespace tilewright::llm
