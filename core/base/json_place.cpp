// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/json_place.h"

#include "base/json_comments.h"

#include <algorithm>
#include <charconv>
#include <string>

namespace tilewright {

namespace {

/// Scans a JSON text. For any other text the scan stops early but never reads past the end.
class Walker
{
public:
    explicit Walker(std::string_view text) : m_text(text) {}

    [[nodiscard]] std::size_t skipSpace(std::size_t i) const
    {
        return std::min(m_text.find_first_not_of(" \t\r\n", i), m_text.size());
    }
    /// Returns the offset after the string that begins at i.
    [[nodiscard]] std::size_t stringEnd(std::size_t i) const
    {
        for (++i; i < m_text.size() && m_text[i] != '"'; ++i)
            if (m_text[i] == '\\')
                ++i;
        return std::min(i + 1, m_text.size());
    }
    /// Returns the offset after the value that begins at i.
    [[nodiscard]] std::size_t valueEnd(std::size_t i) const
    {
        int depth = 0;
        while (i < m_text.size()) {
            const char c = m_text[i];
            if (c == '"') {
                i = stringEnd(i);
            } else if (c == '{' || c == '[') {
                ++depth;
                ++i;
            } else if (c == '}' || c == ']') {
                --depth;
                ++i;
            } else if (depth == 0) {
                return std::min(m_text.find_first_of(",]} \t\r\n", i), m_text.size());
            } else {
                ++i;
            }
            if (depth == 0)
                return i;
        }
        return m_text.size();
    }
    [[nodiscard]] char at(std::size_t i) const { return i < m_text.size() ? m_text[i] : '\0'; }
    [[nodiscard]] std::string_view part(std::size_t begin, std::size_t end) const
    {
        return m_text.substr(begin, end - begin);
    }

    /// Returns the offset of the value of a member (or element) of the object (or list) at i.
    [[nodiscard]] std::optional<std::size_t> member(std::size_t i, std::string_view key) const
    {
        if (at(i) != '{')
            return std::nullopt;
        for (i = skipSpace(i + 1); at(i) == '"';) {
            const std::size_t end = stringEnd(i);
            const bool found = part(i + 1, end - 1) == key;
            const std::size_t value = skipSpace(skipSpace(end) + 1); // after the colon
            if (found)
                return value;
            i = skipSpace(valueEnd(value));
            if (at(i) == ',')
                i = skipSpace(i + 1);
        }
        return std::nullopt;
    }
    [[nodiscard]] std::optional<std::size_t> element(std::size_t i, std::size_t index) const
    {
        if (at(i) != '[')
            return std::nullopt;
        i = skipSpace(i + 1);
        for (; index > 0; --index) {
            i = skipSpace(valueEnd(i));
            if (at(i) != ',')
                return std::nullopt;
            i = skipSpace(i + 1);
        }
        return at(i) == ']' || i >= m_text.size() ? std::nullopt : std::optional(i);
    }

private:
    std::string_view m_text;
};

/// Returns the number that follows `word` in a text; nullopt if there is none.
std::optional<std::size_t> numberAfter(std::string_view text, std::string_view word)
{
    const auto at = text.find(word);
    if (at == std::string_view::npos)
        return std::nullopt;
    const char* const begin = text.data() + at + word.size();
    std::size_t value = 0;
    const auto [end, error] = std::from_chars(begin, text.data() + text.size(), value);
    return error == std::errc() ? std::optional(value) : std::nullopt;
}

} // namespace

std::optional<TextPlace> placeOfPath(std::string_view json, std::string_view path)
{
    if (firstJsonComment(json)) {
        const std::string plain = withoutJsonComments(json);
        return firstJsonComment(plain) ? std::nullopt : placeOfPath(plain, path);
    }
    const Walker walker(json);
    std::size_t at = walker.skipSpace(0);
    bool any = false;
    while (!path.empty()) {
        std::optional<std::size_t> next;
        if (path.front() == '[') {
            const auto index = numberAfter(path, "[");
            const auto close = path.find(']');
            if (!index || close == std::string_view::npos)
                break;
            next = walker.element(at, *index);
            path.remove_prefix(close + 1);
        } else {
            if (path.front() == '.')
                path.remove_prefix(1);
            const std::string_view key = path.substr(0, path.find_first_of(".["));
            next = walker.member(at, key);
            path.remove_prefix(key.size());
        }
        if (!next)
            break;
        at = *next;
        any = true;
    }
    return any ? std::optional(TextPlace{at, walker.valueEnd(at)}) : std::nullopt;
}

std::optional<TextPlace> placeOfError(std::string_view json, const Error& error)
{
    if (const auto place = placeOfPath(json, error.path))
        return place;
    const auto line = numberAfter(error.message, "line ");
    const auto column = numberAfter(error.message, ", column ");
    if (error.code != ErrorCode::Syntax || !line || !column || *line == 0 || *column == 0)
        return std::nullopt;
    std::size_t begin = 0;
    for (std::size_t n = 1; n < *line; ++n) {
        begin = json.find('\n', begin);
        if (begin == std::string_view::npos)
            return std::nullopt;
        ++begin;
    }
    begin = std::min(begin + *column - 1, json.size());
    const std::size_t end = std::min(begin + 1, json.size());
    // The parser stops at the last character of an unexpected string. The whole string is marked.
    if (begin < json.size() && json[begin] == '"' && begin > 0)
        if (const auto quote = json.find_last_of("\"\n", begin - 1);
            quote != std::string_view::npos && json[quote] == '"')
            begin = quote;
    return TextPlace{begin, end};
}

} // namespace tilewright
