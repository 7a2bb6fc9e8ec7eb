// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/json_reader.h"

#include "base/text.h"

#include <cmath>
#include <limits>
#include <set>

namespace tilewright {

namespace {

constexpr int kMaxDepth = 64;
/// Members of one object: no format has as many, and the ordered object is searched linearly.
constexpr std::size_t kMaxFields = 2000;

struct Position
{
    std::size_t line = 1;
    std::size_t column = 1;
    [[nodiscard]] std::string text() const
    {
        return "line " + std::to_string(line) + ", column " + std::to_string(column);
    }
};

Position positionOf(std::string_view text, std::size_t offset)
{
    Position p;
    for (std::size_t i = 0; i < offset && i < text.size(); ++i) {
        if (text[i] == '\n') {
            ++p.line;
            p.column = 1;
        } else {
            ++p.column;
        }
    }
    return p;
}

/// Offset of the first bracket deeper than kMaxDepth; checked before parsing, because the parser's memory
/// use on a hundred megabytes of brackets would be gigabytes.
std::optional<std::size_t> firstTooDeep(std::string_view text)
{
    int depth = 0;
    bool inString = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (inString) {
            if (c == '\\')
                ++i;
            else if (c == '"')
                inString = false;
        } else if (c == '"') {
            inString = true;
        } else if (c == '[' || c == '{') {
            if (++depth > kMaxDepth)
                return i;
        } else if (c == ']' || c == '}') {
            --depth;
        }
    }
    return std::nullopt;
}

/// nlohmann's text is for programmers ("[json.exception.parse_error.101] parse error at ..."); keep its
/// reason.
std::string plainReason(const std::string& what)
{
    std::string reason = what;
    for (const std::string_view marker : {"syntax error while parsing ", "parse error at ", "] "}) {
        const auto at = reason.find(marker);
        if (at != std::string::npos) {
            reason = reason.substr(at + marker.size());
            break;
        }
    }
    // The text quotes what it last read, which can be megabytes.
    constexpr std::size_t kLongest = 160;
    if (reason.size() > kLongest)
        reason = reason.substr(0, kLongest) + "...";
    for (char& c : reason)
        if (static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) >= 0x7f)
            c = '?';
    return reason;
}

std::string describe(const Json& node)
{
    switch (node.type()) {
    case Json::value_t::null:
        return "null";
    case Json::value_t::boolean:
        return node.get<bool>() ? "true" : "false";
    case Json::value_t::number_integer:
        return std::to_string(node.get<std::int64_t>());
    case Json::value_t::number_unsigned:
        return std::to_string(node.get<std::uint64_t>());
    case Json::value_t::number_float:
        return formatNumber(node.get<double>());
    case Json::value_t::string: {
        std::string text = node.get<std::string>();
        if (text.size() > 40)
            text = text.substr(0, 40) + "...";
        return "the text \"" + text + "\"";
    }
    case Json::value_t::array:
        return "a list of " + std::to_string(node.size());
    case Json::value_t::object:
        return "an object";
    default:
        return "something else";
    }
}

} // namespace

Result<Json> parseJson(std::string_view text, const std::string& file)
{
    if (text.find_first_not_of(" \t\r\n") == std::string_view::npos)
        return Error{ErrorCode::Syntax, "the file is empty", {}, file};
    if (const auto at = firstTooDeep(text))
        return Error{ErrorCode::Syntax,
                     "brackets are nested more than " + std::to_string(kMaxDepth) + " levels deep at " +
                         positionOf(text, *at).text(),
                     {},
                     file};
    std::vector<std::set<std::string>> keys;
    std::string duplicate;
    struct TooManyFields
    {
    };
    const auto onEvent = [&](int, Json::parse_event_t event, Json& parsed) {
        if (event == Json::parse_event_t::object_start)
            keys.emplace_back();
        else if (event == Json::parse_event_t::object_end)
            keys.pop_back();
        else if (event == Json::parse_event_t::key) {
            if (!keys.back().insert(parsed.get<std::string>()).second && duplicate.empty())
                duplicate = parsed.get<std::string>();
            if (keys.back().size() > kMaxFields)
                throw TooManyFields{};
        }
        return true;
    };
    try {
        Json document = Json::parse(text.begin(), text.end(), onEvent);
        if (!duplicate.empty())
            return Error{
                ErrorCode::Syntax, "the key \"" + duplicate + "\" occurs twice in one object", {}, file};
        return document;
    } catch (const TooManyFields&) {
        return Error{ErrorCode::Syntax,
                     "one object has more than " + std::to_string(kMaxFields) + " fields",
                     {},
                     file};
    } catch (const Json::parse_error& e) {
        const std::size_t offset = e.byte > 0 ? e.byte - 1 : 0;
        return Error{ErrorCode::Syntax,
                     "not valid JSON at " + positionOf(text, offset).text() + " (" + plainReason(e.what()) +
                         ")",
                     {},
                     file};
    } catch (const std::exception& e) {
        return Error{ErrorCode::Syntax, "not valid JSON (" + plainReason(e.what()) + ")", {}, file};
    }
}

Error JsonCursor::expected(std::string_view what) const
{
    return error("expected " + std::string(what) + ", got " + describe(*m_node));
}

bool JsonCursor::has(std::string_view key) const
{
    return m_node->is_object() && m_node->contains(key);
}

std::optional<JsonCursor> JsonCursor::find(std::string_view key) const
{
    if (!has(key))
        return std::nullopt;
    return JsonCursor(*m_node->find(key), m_file,
                      m_path.empty() ? std::string(key) : m_path + "." + std::string(key));
}

Result<JsonCursor> JsonCursor::member(std::string_view key) const
{
    if (!m_node->is_object())
        return expected("an object");
    if (auto found = find(key))
        return *found;
    return error("the field \"" + std::string(key) + "\" is missing");
}

Status JsonCursor::object(std::initializer_list<std::string_view> allowedKeys) const
{
    if (!m_node->is_object())
        return expected("an object");
    if (allowedKeys.size() > 0)
        for (const auto& [key, value] : m_node->items()) {
            bool known = false;
            for (const std::string_view allowed : allowedKeys)
                known = known || key == allowed;
            if (!known)
                return error("unknown field \"" + key + "\"");
        }
    return Unit{};
}

Result<std::vector<JsonCursor>> JsonCursor::array(std::optional<std::size_t> size) const
{
    if (!m_node->is_array())
        return expected(size ? "a list of " + std::to_string(*size) : "a list");
    if (size && m_node->size() != *size)
        return expected("a list of " + std::to_string(*size));
    std::vector<JsonCursor> out;
    out.reserve(m_node->size());
    for (std::size_t i = 0; i < m_node->size(); ++i)
        out.emplace_back((*m_node)[i], m_file, m_path + "[" + std::to_string(i) + "]");
    return out;
}

Result<std::int64_t> JsonCursor::integer(std::int64_t min, std::int64_t max) const
{
    const auto what = [&] {
        if (max == std::numeric_limits<std::int64_t>::max())
            return "an integer of at least " + std::to_string(min);
        return "an integer from " + std::to_string(min) + " to " + std::to_string(max);
    };
    std::int64_t value = 0;
    if (m_node->is_number_unsigned()) {
        const auto u = m_node->get<std::uint64_t>();
        if (u > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
            return expected(what());
        value = static_cast<std::int64_t>(u);
    } else if (m_node->is_number_integer()) {
        value = m_node->get<std::int64_t>();
    } else if (m_node->is_number_float()) {
        // 128.0 is written by many programs for 128.
        const double d = m_node->get<double>();
        if (!(std::abs(d) <= 9007199254740992.0) || d != std::floor(d))
            return expected(what());
        value = static_cast<std::int64_t>(d);
    } else {
        return expected(what());
    }
    if (value < min || value > max)
        return expected(what());
    return value;
}

Result<double> JsonCursor::number(double min, double max) const
{
    if (!m_node->is_number())
        return expected("a number");
    const double value = m_node->get<double>();
    if (!std::isfinite(value) || value < min || value > max)
        return expected("a number from " + formatNumber(min) + " to " + formatNumber(max));
    return value;
}

Result<std::string> JsonCursor::string() const
{
    if (!m_node->is_string())
        return expected("a text");
    return m_node->get<std::string>();
}

Result<bool> JsonCursor::boolean() const
{
    if (!m_node->is_boolean())
        return expected("true or false");
    return m_node->get<bool>();
}

Result<std::vector<std::int64_t>> JsonCursor::integers(std::int64_t min, std::int64_t max,
                                                       std::optional<std::size_t> size) const
{
    if (!m_node->is_array() || (size && m_node->size() != *size))
        return expected(size ? "a list of " + std::to_string(*size) : "a list");
    std::vector<std::int64_t> out;
    out.reserve(m_node->size());
    for (const Json& node : *m_node) {
        // No path is composed for good elements: orders have millions of them.
        if (node.is_number_integer() && !node.is_number_unsigned()) {
            if (const auto value = node.get<std::int64_t>(); value >= min && value <= max) {
                out.push_back(value);
                continue;
            }
        } else if (node.is_number_unsigned() && max >= 0) {
            if (const auto value = node.get<std::uint64_t>();
                value <= static_cast<std::uint64_t>(max) && static_cast<std::int64_t>(value) >= min) {
                out.push_back(static_cast<std::int64_t>(value));
                continue;
            }
        }
        const auto value =
            JsonCursor(node, m_file, m_path + "[" + std::to_string(out.size()) + "]").integer(min, max);
        if (!value)
            return value.error();
        out.push_back(*value);
    }
    return out;
}

} // namespace tilewright
