// SPDX-License-Identifier: GPL-3.0-or-later
// Included from *_json.cpp files only: nlohmann/json.hpp adds more than a second of compile time.
#pragma once

#include "base/integer.h"
#include "base/result.h"

#include <nlohmann/json.hpp>

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright {

using Json = nlohmann::ordered_json;

/// Strict parser, the only one of the program: no duplicate keys, valid UTF-8, at most 64 nesting levels,
/// 4,000,000 lists and objects, 16,000,000 values. Comments (`//`, `/* */`) are skipped; if the file has a
/// name, a notice() reports them. An Error contains line and column. Never throws. Time and memory are linear
/// in the length of the text.
[[nodiscard]] Result<Json> parseJson(std::string_view text, const std::string& file);

/// Text of a value, on one line or with `indent` spaces per level. All JSON is written by this function,
/// which never throws.
[[nodiscard]] std::string jsonText(const Json& value, int indent = -1);

/// Parses a text that this program wrote or has already checked, so that no error needs to be reported.
/// Returns a discarded value (is_discarded()) if the text is not JSON.
[[nodiscard]] Json parsedJson(std::string_view text);

/// A node of a JSON document with its path, so that every error message contains the field. Getters return
/// the value or the Error "file: path: expected ..., got ...".
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
    /// Returns the error "expected WHAT, got VALUE".
    [[nodiscard]] Error expected(std::string_view what) const;
    /// Returns the error "unknown field KEY", with the known field that was probably meant.
    [[nodiscard]] Error unknownField(const std::string& key, std::span<const std::string_view> known) const;

    [[nodiscard]] bool isNull() const { return m_node->is_null(); }
    [[nodiscard]] bool has(std::string_view key) const;
    /// Returns the member `key`; an error if the node is not an object or has no such member.
    [[nodiscard]] Result<JsonCursor> member(std::string_view key) const;
    /// Returns the member `key`; empty if the node has no such member.
    [[nodiscard]] std::optional<JsonCursor> find(std::string_view key) const;
    /// Returns an error unless the node is an object.
    [[nodiscard]] Status object() const;
    /// Returns an error unless the node is an array (with exactly `size` elements if given). at(i) returns an
    /// element.
    [[nodiscard]] Status list(std::optional<std::size_t> size = {}) const;
    [[nodiscard]] std::size_t size() const { return m_node->size(); }
    [[nodiscard]] JsonCursor at(std::size_t i) const
    {
        return {(*m_node)[i], m_file, m_path + "[" + std::to_string(i) + "]"};
    }
    /// Returns the elements of an array. For long arrays, list() and at() need less memory.
    [[nodiscard]] Result<std::vector<JsonCursor>> array(std::optional<std::size_t> size = {}) const;

    [[nodiscard]] Result<std::int64_t> integer(std::int64_t min, std::int64_t max) const;
    [[nodiscard]] Result<double> number(double min, double max) const;
    /// Returns the text of the node on one line, as printable() makes it.
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
