// SPDX-License-Identifier: GPL-3.0-or-later
// Included from *_json.cpp files only, as json_reader.h.
#pragma once

#include "base/json_document.h"

#include <array>
#include <concepts>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace tilewright {

// What a field may hold, beside its type.

/// Integers from min to max.
struct Integers
{
    std::int64_t min = 0;
    std::int64_t max = kMaxDimension;
};
/// Finite numbers from min to max.
struct Numbers
{
    double min = 0;
    double max = 0;
};
/// The words of an enumeration, given by its values and the function that names one.
template <typename E> struct Words
{
    std::span<const E> values;
    std::string_view (*name)(E);
};
/// A list as long as the list of another key, see JsonFields::like().
struct Like
{
    std::string_view key;
    std::optional<std::size_t> size; ///< nothing when the other is no list, which is reported there
};

/// The fields of one JSON object. One function names every field once, with what it may hold; it reads the
/// object into a value, writes the object from a value, and thereby tells which fields exist:
///
///     void bindFields(JsonFields& f, MemoryLevel& level)
///     {
///         f.required("buffers", level.buffers, Integers{1, 1 << 20});
///         f.optional("gb_per_s", level.gbPerSecond, Numbers{0, 1e12});
///     }
///
/// A value is an integer, number, text, bool, enumeration (Words), a list of values, anything with a
/// bindFields(), or a function of a JsonFields for an object inside this one. Further kinds are added by
/// readJson() and writeJson() beside their type.
///
/// Errors stick: after the first one nothing is read, and close() returns it. Only an unknown field comes
/// before it: it is most often the misspelt form of one that would be reported missing.
class JsonFields
{
public:
    /// Reads from the object.
    explicit JsonFields(const JsonCursor& object);
    /// Writes into the object.
    explicit JsonFields(Json& object) : m_out(&object) { object = Json::object(); }
    JsonFields(const JsonFields&) = delete;
    JsonFields& operator=(const JsonFields&) = delete;

    [[nodiscard]] bool reading() const noexcept { return m_out == nullptr; }
    [[nodiscard]] bool failed() const noexcept { return m_error.has_value(); }
    /// Reading: is the field in the file?
    [[nodiscard]] bool has(std::string_view key) const { return reading() && m_object->has(key); }

    template <typename T, typename... Rule>
    void required(std::string_view key, T&& value, const Rule&... rule)
    {
        bind(key, true, value, rule...);
    }
    /// A field that may be missing, which leaves the value as it is.
    template <typename T, typename... Rule>
    void optional(std::string_view key, T&& value, const Rule&... rule)
    {
        bind(key, false, value, rule...);
    }
    /// An optional field that is written only when the value is another than `absent`.
    template <typename T, typename... Rule>
    void defaulted(std::string_view key, T& value, const std::type_identity_t<T>& absent, const Rule&... rule)
    {
        if (reading() || value != absent)
            bind(key, false, value, rule...);
    }

    [[nodiscard]] Like like(std::string_view key) const;

    /// A known field that nobody needs.
    void ignored(std::string_view key) { m_keys.push_back(key); }

    /// A fault that no field shows alone. `where` is the path below this object ("inputs[2]"), may be empty.
    void fail(std::string_view where, std::string message);
    /// The same for the error of a check, whose path is one below this object.
    void check(const Status& status);

    /// Fields that were not named are no error; others() keeps them.
    void allowOthers() noexcept { m_othersAllowed = true; }
    /// They as the text of one object, empty when there are none.
    [[nodiscard]] std::string others() const;

    /// After the last field: the unknown field, or the first error.
    [[nodiscard]] Status close() const;

private:
    template <typename T, typename... Rule>
    void bind(std::string_view key, bool isRequired, T& value, const Rule&... rule);
    /// Notes the key; nothing when it is missing or an error came before.
    std::optional<JsonCursor> find(std::string_view key, bool isRequired);

    std::optional<JsonCursor> m_object;
    Json* m_out = nullptr;
    std::vector<std::string_view> m_keys;
    std::optional<Error> m_error;
    bool m_othersAllowed = false;
};

template <typename T>
concept JsonObjectFunction = std::invocable<const T&, JsonFields&>;

// -- one value at a place; into `out` only when it is legal

[[nodiscard]] Status readJson(const JsonCursor& at, double& out, const Numbers& range);
[[nodiscard]] Status readJson(const JsonCursor& at, std::string& out);
[[nodiscard]] Status readJson(const JsonCursor& at, bool& out);
[[nodiscard]] Status readJson(const JsonCursor& at, std::vector<std::int64_t>& out, const Integers& range);
/// A list of exactly as many integers.
[[nodiscard]] Status readJson(const JsonCursor& at, std::span<std::int64_t> out, const Integers& range);
/// Errors unless it is a list as long as the other.
[[nodiscard]] Status checkLength(const JsonCursor& at, const Like& like);
/// `expected "a", "b" or "c", got ...`
[[nodiscard]] Error expectedWord(const JsonCursor& at, std::span<const std::string_view> words);

template <std::integral T> Status readJson(const JsonCursor& at, T& out, const Integers& range)
{
    constexpr auto kLargest = std::numeric_limits<T>::max();
    const std::int64_t max =
        std::cmp_less(kLargest, range.max) ? static_cast<std::int64_t>(kLargest) : range.max;
    const auto value = at.integer(range.min, max);
    if (!value)
        return value.error();
    out = static_cast<T>(*value);
    return Unit{};
}

template <std::size_t N>
Status readJson(const JsonCursor& at, std::array<std::int64_t, N>& out, const Integers& range)
{
    return readJson(at, std::span(out), range);
}

template <typename E> Status readJson(const JsonCursor& at, E& out, const Words<E>& words)
{
    std::string text;
    if (Status s = readJson(at, text); !s)
        return s;
    std::vector<std::string_view> known;
    for (const E value : words.values) {
        known.push_back(words.name(value));
        if (known.back() == text) {
            out = value;
            return Unit{};
        }
    }
    return expectedWord(at, known);
}

template <typename T, typename... Context>
requires requires(JsonFields& f, T& value, const Context&... context)
{
    bindFields(f, value, context...);
}
Status readJson(const JsonCursor& at, T& out, const Context&... context)
{
    JsonFields fields(at);
    bindFields(fields, out, context...);
    return fields.close();
}

template <JsonObjectFunction F> Status readJson(const JsonCursor& at, const F& bind)
{
    JsonFields fields(at);
    bind(fields);
    return fields.close();
}

template <typename T, typename... Rule>
Status readJson(const JsonCursor& at, std::optional<T>& out, const Rule&... rule)
{
    T value;
    if (Status s = readJson(at, value, rule...); !s)
        return s;
    out = std::move(value);
    return Unit{};
}

template <typename T, typename... Rule>
Status readJson(const JsonCursor& at, std::vector<T>& out, const Rule&... rule)
{
    if (Status s = at.list(); !s)
        return s;
    out.assign(at.size(), T());
    for (std::size_t i = 0; i < out.size(); ++i)
        if (Status s = readJson(at.at(i), out[i], rule...); !s)
            return s;
    return Unit{};
}

template <typename T, typename... Rule>
Status readJson(const JsonCursor& at, std::vector<T>& out, const Like& like, const Rule&... rule)
{
    if (Status s = checkLength(at, like); !s)
        return s;
    return readJson(at, out, rule...);
}

// -- and back

template <typename T, typename... Rule> Json writeJson(const T& value, const Rule&...)
{
    return value;
}

template <typename E> Json writeJson(const E& value, const Words<E>& words)
{
    return words.name(value);
}

template <typename T, typename... Context>
requires requires(JsonFields& f, T& value, const Context&... context)
{
    bindFields(f, value, context...);
}
Json writeJson(const T& value, const Context&... context)
{
    Json out;
    JsonFields fields(out);
    T copy = value; // fields are bound to what can be read into
    bindFields(fields, copy, context...);
    return out;
}

template <JsonObjectFunction F> Json writeJson(const F& bind)
{
    Json out;
    JsonFields fields(out);
    bind(fields);
    return out;
}

template <typename T, typename... Rule> Json writeJson(const std::optional<T>& value, const Rule&... rule)
{
    return value ? writeJson(*value, rule...) : Json();
}

template <typename T, typename... Rule>
requires(!std::same_as<T, std::int64_t>) Json writeJson(const std::vector<T>& values, const Rule&... rule)
{
    Json out = Json::array();
    for (const T& value : values)
        out.push_back(writeJson(value, rule...));
    return out;
}

template <typename T, typename... Rule>
void JsonFields::bind(std::string_view key, bool isRequired, T& value, const Rule&... rule)
{
    if (m_out)
        (*m_out)[std::string(key)] = writeJson(value, rule...);
    else if (const auto at = find(key, isRequired))
        if (Status s = readJson(*at, value, rule...); !s)
            m_error = s.error();
}

// -- whole texts

/// The value that the text holds.
template <typename T, typename... Context>
[[nodiscard]] Result<T> parseJsonValue(std::string_view text, const std::string& file,
                                       const Context&... context)
{
    const auto document = parseJson(text, file);
    if (!document)
        return document.error();
    T out;
    if (Status s = readJson(JsonCursor(*document, file), out, context...); !s)
        return s.error();
    return out;
}

/// Is this value one that a file may hold? For values that people edit: the ranges stand in bindFields()
/// alone.
template <typename T> [[nodiscard]] Status checkJsonValue(const T& value)
{
    const Json json = writeJson(value);
    T copy = value;
    return readJson(JsonCursor(json, {}), copy);
}

} // namespace tilewright
