// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/json_reader.h"

#include "base/notice.h"
#include "base/text.h"
#include "base/utf8.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

namespace tilewright {

namespace {

constexpr int kMaxDepth = 64;
/// Limit of fields per object. Real files have fewer, and the ordered object is searched linearly.
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

/// Offset of the first bracket nested deeper than kMaxDepth. Checked before parsing, because the parser would
/// need gigabytes for a hundred megabytes of brackets.
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

void replaceAll(std::string& text, std::string_view what, std::string_view with)
{
    for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + with.size()))
        text.replace(at, what.size(), with);
}

/// Extracts the reason from an error message of nlohmann::json, in plain words. Such a message is
/// "[json.exception.parse_error.101] parse error at line 1, column 2: syntax error while parsing value -
/// invalid literal; last read: 'th'".
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
    if (const auto context = reason.find(" - "); context != std::string::npos)
        reason.erase(0, context + 3);
    for (const auto& [theirs, ours] :
         {std::pair{"invalid string: ", ""}, std::pair{"unexpected end of input", "the text ends too early"},
          std::pair{"invalid literal", "unexpected character"}, std::pair{"string literal", "text"},
          std::pair{"number literal", "number"}, std::pair{"'[', '{', or a literal", "a value"},
          std::pair{"expected end of input", "expected nothing more"},
          std::pair{"number overflow parsing", "a number is too large:"}})
        replaceAll(reason, theirs, ours);
    // The message quotes the last token, which can have megabytes.
    constexpr std::size_t kLongest = 160;
    if (reason.size() > kLongest)
        reason = reason.substr(0, kLongest) + "...";
    for (char& c : reason)
        if (static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) >= 0x7f)
            c = '?';
    return reason;
}

/// Text of a limit: "2^31" for powers of two.
std::string limitText(std::int64_t value)
{
    if (value >= kMaxDimension && (value & (value - 1)) == 0) {
        int exponent = 0;
        while ((std::int64_t{1} << exponent) != value)
            ++exponent;
        return "2^" + std::to_string(exponent);
    }
    return std::to_string(value);
}

/// Excerpt of a text of the file for a message: short and on one line.
std::string excerpt(std::string text)
{
    constexpr std::size_t kLongest = 40;
    if (text.size() > kLongest) {
        text.resize(kLongest);
        while (!text.empty() && (static_cast<unsigned char>(text.back()) & 0xc0) == 0x80)
            text.pop_back(); // do not cut a UTF-8 sequence
        if (!text.empty() && static_cast<unsigned char>(text.back()) >= 0xc0)
            text.pop_back();
        text += "...";
    }
    return '"' + printable(text) + '"';
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
    case Json::value_t::string:
        return "the text " + excerpt(node.get<std::string>());
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
    if (const auto zero = text.find('\0'); zero != std::string_view::npos)
        return Error{ErrorCode::Syntax,
                     "not JSON: there is a zero byte at " + positionOf(text, zero).text() +
                         " (a binary file, or not saved as UTF-8)",
                     {},
                     file};
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
                ErrorCode::Syntax, "the key " + excerpt(duplicate) + " occurs twice in one object", {}, file};
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

std::string jsonText(const Json& value, int indent)
{
    return value.dump(indent, ' ', false, Json::error_handler_t::replace);
}

Error JsonCursor::expected(std::string_view what) const
{
    return error("expected " + std::string(what) + ", got " + describe(*m_node));
}

Error JsonCursor::unknownField(const std::string& key) const
{
    return error("unknown field " + excerpt(key));
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

Status JsonCursor::object() const
{
    if (!m_node->is_object())
        return expected("an object");
    return Unit{};
}

Status JsonCursor::list(std::optional<std::size_t> size) const
{
    if (!m_node->is_array() || (size && m_node->size() != *size))
        return expected(size ? "a list of " + std::to_string(*size) : "a list");
    return Unit{};
}

Result<std::vector<JsonCursor>> JsonCursor::array(std::optional<std::size_t> size) const
{
    if (auto status = list(size); !status)
        return status.error();
    std::vector<JsonCursor> out;
    out.reserve(m_node->size());
    for (std::size_t i = 0; i < m_node->size(); ++i)
        out.push_back(at(i));
    return out;
}

Result<std::int64_t> JsonCursor::integer(std::int64_t min, std::int64_t max) const
{
    const auto what = [&] {
        if (max == std::numeric_limits<std::int64_t>::max())
            return "an integer of at least " + std::to_string(min);
        return "an integer from " + std::to_string(min) + " to " + limitText(max);
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
        // Many programs write 128.0 for the integer 128.
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
    const auto& text = m_node->get_ref<const std::string&>();
    std::string shown = printable(text);
    if (shown != text)
        notice(error("control characters in a text are read as signs"));
    return shown;
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
    if (auto status = list(size); !status)
        return status.error();
    std::vector<std::int64_t> out;
    out.reserve(m_node->size());
    for (const Json& node : *m_node) {
        // The path of an element is built only for errors: traversal orders have millions of elements.
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
        const auto value = at(out.size()).integer(min, max);
        if (!value)
            return value.error();
        out.push_back(*value);
    }
    return out;
}

} // namespace tilewright
