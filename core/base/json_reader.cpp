// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/json_reader.h"

#include "base/json_comments.h"
#include "base/limits.h"
#include "base/notice.h"
#include "base/text.h"
#include "base/utf8.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <new>
#include <utility>

namespace tilewright {

namespace {

/// Maximum number of fields per object. Real files have fewer. The limit exists because fields are found by
/// linear search.
constexpr std::size_t kMaxFields = 2000;
/// Maximum numbers of lists and objects, and of values. A model of 64 MiB has less than half of them. An
/// empty list takes 3 bytes of a file and 60 bytes of memory.
constexpr std::size_t kMaxContainers = 4'000'000;
constexpr std::size_t kMaxValues = 16'000'000;

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

/// A limit that a text exceeds, and the place where it does.
struct Excess
{
    std::string what;
    std::size_t offset = 0;
};

/// Checks the limits before the text is parsed, because the parser would need gigabytes for a hundred
/// megabytes of brackets.
std::optional<Excess> firstExcess(std::string_view text)
{
    int depth = 0;
    std::size_t containers = 0, values = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (c == '"') {
            for (++i; i < text.size() && text[i] != '"'; ++i)
                if (text[i] == '\\')
                    ++i;
        } else if (c == '[' || c == '{') {
            if (++depth > kMaxNesting)
                return Excess{"brackets are nested more than " + std::to_string(kMaxNesting) + " levels deep",
                              i};
            if (++containers > kMaxContainers)
                return Excess{"more than " + std::to_string(kMaxContainers) + " lists and objects", i};
        } else if (c == ']' || c == '}') {
            --depth;
        } else if (c == ',' && ++values >= kMaxValues) {
            return Excess{"more than " + std::to_string(kMaxValues) + " values", i};
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
    // The message quotes the last token, which can be megabytes long.
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
            text.pop_back(); // removes an incomplete UTF-8 sequence at the end
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

/// Builds a document from the events of the parser. Time and memory are linear in the text; the parser of
/// nlohmann::json with a callback takes quadratic time for lists of objects.
class DocumentBuilder final : public nlohmann::json_sax<Json>
{
public:
    explicit DocumentBuilder(std::string_view text) : m_text(text) {}

    [[nodiscard]] Json take() { return std::move(m_root); }
    [[nodiscard]] const std::string& fault() const { return m_fault; }

    bool null() override { return add(nullptr); }
    bool boolean(bool value) override { return add(value); }
    bool number_integer(number_integer_t value) override { return add(value); }
    bool number_unsigned(number_unsigned_t value) override { return add(value); }
    bool number_float(number_float_t value, const string_t&) override { return add(value); }
    bool string(string_t& value) override { return add(std::move(value)); }
    bool binary(binary_t&) override { return false; }
    bool start_object(std::size_t) override { return open(Json::object()); }
    bool start_array(std::size_t) override { return open(Json::array()); }
    bool end_array() override
    {
        m_open.pop_back();
        return true;
    }
    bool key(string_t& name) override
    {
        auto& fields = m_open.back()->get_ref<Json::object_t&>();
        if (fields.size() >= kMaxFields)
            return refuse("one object has more than " + std::to_string(kMaxFields) + " fields");
        // The key is appended to the vector below the ordered map, because the map would compare it with all
        // other keys.
        static_cast<Json::object_t::Container&>(fields).emplace_back(std::move(name), nullptr);
        return true;
    }
    bool end_object() override
    {
        const auto& fields = m_open.back()->get_ref<const Json::object_t&>();
        m_open.pop_back();
        m_names.clear();
        for (const auto& field : fields)
            m_names.emplace_back(field.first);
        std::ranges::sort(m_names);
        const auto twice = std::ranges::adjacent_find(m_names);
        return twice == m_names.end() ||
               refuse("the key " + excerpt(std::string(*twice)) + " occurs twice in one object");
    }
    bool parse_error(std::size_t position, const std::string&, const nlohmann::detail::exception& e) override
    {
        const bool hasPlace = dynamic_cast<const Json::parse_error*>(&e) != nullptr;
        return refuse(
            "not valid JSON " +
            (hasPlace ? "at " + positionOf(m_text, position > 0 ? position - 1 : 0).text() + " " : "") + "(" +
            plainReason(e.what()) + ")");
    }

private:
    template <typename T> bool add(T&& value)
    {
        place(Json(std::forward<T>(value)));
        return true;
    }
    bool open(Json container)
    {
        m_open.push_back(place(std::move(container)));
        return true;
    }
    /// Inserts a value at the current position of the parser: as root, for the last key, or at the end of the
    /// list.
    Json* place(Json value)
    {
        if (m_open.empty())
            return &(m_root = std::move(value));
        Json& parent = *m_open.back();
        if (parent.is_object())
            return &(parent.get_ref<Json::object_t&>().back().second = std::move(value));
        auto& list = parent.get_ref<Json::array_t&>();
        list.push_back(std::move(value));
        return &list.back();
    }
    bool refuse(std::string why)
    {
        m_fault = std::move(why);
        return false;
    }

    std::string_view m_text;
    Json m_root;
    std::vector<Json*> m_open; ///< objects and lists that are not closed yet, from the outermost inwards
    std::vector<std::string_view> m_names;
    std::string m_fault;
};

/// Parses a text that has no comments.
Result<Json> parsePlainJson(std::string_view text, const std::string& file)
{
    const auto syntax = [&](std::string why) { return Error{ErrorCode::Syntax, std::move(why), {}, file}; };
    if (text.find_first_not_of(" \t\r\n") == std::string_view::npos)
        return syntax("the file is empty");
    if (const auto excess = firstExcess(text))
        return syntax(excess->what + " at " + positionOf(text, excess->offset).text());
    DocumentBuilder builder(text);
    try {
        if (Json::sax_parse(text.begin(), text.end(), &builder))
            return builder.take();
    } catch (const std::bad_alloc&) { // lack of memory is not an error of the text
        throw;
    } catch (const std::exception& e) {
        return syntax("not valid JSON (" + plainReason(e.what()) + ")");
    }
    return syntax(builder.fault());
}

} // namespace

Result<Json> parseJson(std::string_view text, const std::string& file)
{
    const auto syntax = [&](std::string why) { return Error{ErrorCode::Syntax, std::move(why), {}, file}; };
    if (const auto zero = text.find('\0'); zero != std::string_view::npos)
        return syntax("not JSON: there is a zero byte at " + positionOf(text, zero).text() +
                      " (a binary file, or not saved as UTF-8)");
    if (const auto comment = firstJsonComment(text)) {
        const std::string plain = withoutJsonComments(text);
        if (const auto open = firstJsonComment(plain))
            return syntax("not valid JSON at " + positionOf(text, *open).text() +
                          " (the comment is not closed)");
        auto document = parsePlainJson(plain, file);
        if (document && !file.empty())
            notice({ErrorCode::Syntax,
                    "comments are read over (the first at " + positionOf(text, *comment).text() +
                        ") and are not kept when the file is saved",
                    {},
                    file});
        return document;
    }
    return parsePlainJson(text, file);
}

Json parsedJson(std::string_view text)
{
    auto document = parseJson(text, {});
    return document ? std::move(*document) : Json(Json::value_t::discarded);
}

std::string jsonText(const Json& value, int indent)
{
    return value.dump(indent, ' ', false, Json::error_handler_t::replace);
}

Error JsonCursor::expected(std::string_view what) const
{
    return error("expected " + std::string(what) + ", got " + describe(*m_node));
}

Error JsonCursor::unknownField(const std::string& key, std::span<const std::string_view> known) const
{
    const std::string_view similar = similarWord(key, known);
    return error("unknown field " + excerpt(key) +
                 (similar.empty() ? "" : "; did you mean \"" + std::string(similar) + "\"?"));
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
        // Many programs write the integer 128 as 128.0.
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
