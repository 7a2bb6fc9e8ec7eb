// SPDX-License-Identifier: GPL-3.0-or-later
// Included from *_json.cpp files only: nlohmann/json.hpp costs over a second of compile time.
#pragma once

#include "base/integer.h"
#include "base/result.h"

#include <nlohmann/json.hpp>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright {

using Json = nlohmann::ordered_json;

/// Parses strictly (no comments, no duplicate keys, valid UTF-8, at most 64 levels deep); the Error names
/// line and column. Never throws, never recurses on the input's depth.
[[nodiscard]] Result<Json> parseJson(std::string_view text, const std::string& file);

/// A place in a JSON document that remembers its path, so that every message can name the field.
/// The getters return the value or an Error "file: path: expected ..., got ...".
class JsonCursor
{
public:
    JsonCursor(const Json& node, std::string file, std::string path = {})
        : JsonCursor(node, std::make_shared<const std::string>(std::move(file)), std::move(path))
    {
    }

    [[nodiscard]] const Json& node() const { return *m_node; }
    [[nodiscard]] const std::string& path() const { return m_path; }

    [[nodiscard]] Error error(std::string message, ErrorCode code = ErrorCode::Field) const
    {
        return {code, std::move(message), m_path, *m_file};
    }
    /// "expected WHAT, got <what is there>"
    [[nodiscard]] Error expected(std::string_view what) const;
    [[nodiscard]] Error unknownField(const std::string& key) const;

    [[nodiscard]] bool isNull() const { return m_node->is_null(); }
    [[nodiscard]] bool has(std::string_view key) const;
    /// The member `key` of an object; errors when this is no object or the member is missing.
    [[nodiscard]] Result<JsonCursor> member(std::string_view key) const;
    /// The member, or nothing when it is missing.
    [[nodiscard]] std::optional<JsonCursor> find(std::string_view key) const;
    /// Errors unless this is an object.
    [[nodiscard]] Status object() const;
    /// Errors unless this is an array (of exactly `size` elements when given); at(i) are its elements.
    [[nodiscard]] Status list(std::optional<std::size_t> size = {}) const;
    [[nodiscard]] std::size_t size() const { return m_node->size(); }
    [[nodiscard]] JsonCursor at(std::size_t i) const
    {
        return {(*m_node)[i], m_file, m_path + "[" + std::to_string(i) + "]"};
    }
    /// The elements of an array, all at once; for long lists list() and at() need less memory.
    [[nodiscard]] Result<std::vector<JsonCursor>> array(std::optional<std::size_t> size = {}) const;

    [[nodiscard]] Result<std::int64_t> integer(std::int64_t min, std::int64_t max) const;
    [[nodiscard]] Result<double> number(double min, double max) const;
    [[nodiscard]] Result<std::string> string() const;
    [[nodiscard]] Result<bool> boolean() const;
    [[nodiscard]] Result<std::vector<std::int64_t>> integers(std::int64_t min, std::int64_t max,
                                                             std::optional<std::size_t> size = {}) const;

private:
    JsonCursor(const Json& node, std::shared_ptr<const std::string> file, std::string path)
        : m_node(&node), m_file(std::move(file)), m_path(std::move(path))
    {
    }

    const Json* m_node;
    std::shared_ptr<const std::string> m_file;
    std::string m_path;
};

} // namespace tilewright
