// SPDX-License-Identifier: GPL-3.0-or-later
// Included from *_json.cpp files only, like json_reader.h.
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

// Constraints on the value of a field, in addition to its type.

/// Integers in the range [min, max].
struct Integers
{
    std::int64_t min = 0;
    std::int64_t max = kMaxDimension;
};
/// Finite numbers in the range [min, max].
struct Numbers
{
    double min = 0;
    double max = 0;
};
/// Words of an enumeration: its values, and the function that returns the word for a value.
template <typename E> struct Words
{
    std::span<const E> values;
    std::string_view (*name)(E);
};
/// A list with the length of another list of the object, see JsonFields::like().
struct Like
{
    std::string_view key;
    /// Length of the other list. Empty if that field is not a list, for which it reports its own error.
    std::optional<std::size_t> size;
};

/// Binding between one JSON object and a value. One function lists every field once, with its constraints.
/// The same function reads the object, writes the object and defines which fields exist:
///
///     void bindFields(JsonFields& f, MemoryLevel& level)
///     {
///         f.required("buffers", level.buffers, Integers{1, 1 << 20});
///         f.optional("gb_per_s", level.gbPerSecond, Numbers{0, 1e12});
///     }
///
/// Supported types: integers, numbers, texts, bools, enumerations (Words), lists of these, types with a
/// bindFields() function, and functions with a JsonFields parameter for nested objects. Another type is
/// supported if readJson() and writeJson() exist next to it.
///
/// After the first error nothing more is read, and close() returns the error. Only an unknown field has
/// priority over it, because it is usually a misspelt required field.
class JsonFields
{
public:
    /// Creates a binding that reads the object.
    explicit JsonFields(const JsonCursor& object);
    /// Creates a binding that writes the object.
    explicit JsonFields(Json& object) : m_out(&object) { object = Json::object(); }
    JsonFields(const JsonFields&) = delete;
    JsonFields& operator=(const JsonFields&) = delete;

    [[nodiscard]] bool reading() const noexcept { return m_out == nullptr; }
    [[nodiscard]] bool failed() const noexcept { return m_error.has_value(); }
    /// True if the binding reads and the file has the field.
    [[nodiscard]] bool has(std::string_view key) const { return reading() && m_object->has(key); }

    template <typename T, typename... Rule>
    void required(std::string_view key, T&& value, const Rule&... rule)
    {
        bind(key, true, value, rule...);
    }
    /// An optional field. If it is missing, the value is unchanged.
    template <typename T, typename... Rule>
    void optional(std::string_view key, T&& value, const Rule&... rule)
    {
        bind(key, false, value, rule...);
    }
    /// An optional field that is written only if the value differs from `absent`.
    template <typename T, typename... Rule>
    void defaulted(std::string_view key, T& value, const std::type_identity_t<T>& absent, const Rule&... rule)
    {
        if (reading() || value != absent)
            bind(key, false, value, rule...);
    }

    [[nodiscard]] Like like(std::string_view key) const;

    /// A field that is accepted and ignored.
    void ignored(std::string_view key) { m_keys.push_back(key); }

    /// Reports an error that involves several fields. `where` is the path relative to this object
    /// ("inputs[2]") or empty.
    void fail(std::string_view where, std::string message);
    /// Reports the Error of a check, if there is one. Its path is relative to this object.
    void check(const Status& status);

    /// Accepts unknown fields; others() returns them. A field that is probably a misspelt required field is
    /// still an error. `knownOthers`: unknown fields that have a meaning elsewhere.
    void allowOthers(std::span<const std::string_view> knownOthers = {})
    {
        m_othersAllowed = true;
        m_knownOthers = knownOthers;
    }
    /// Unknown fields as the text of one JSON object; empty if there are none.
    [[nodiscard]] std::string others() const;

    /// Ends the binding. Returns the first error; an unknown field has priority.
    [[nodiscard]] Status close() const;

private:
    template <typename T, typename... Rule>
    void bind(std::string_view key, bool isRequired, T& value, const Rule&... rule);
    /// Records the key and returns the field. Empty if the field is missing or an error occurred before.
    std::optional<JsonCursor> find(std::string_view key, bool isRequired);

    std::optional<JsonCursor> m_object;
    Json* m_out = nullptr;
    std::vector<std::string_view> m_keys;
    std::optional<Error> m_error;
    bool m_othersAllowed = false;
    std::span<const std::string_view> m_knownOthers;
};

template <typename T>
concept JsonObjectFunction = std::invocable<const T&, JsonFields&>;

// Functions that read one value; `out` is changed only if the value is legal:

[[nodiscard]] Status readJson(const JsonCursor& at, double& out, const Numbers& range);
[[nodiscard]] Status readJson(const JsonCursor& at, std::string& out);
[[nodiscard]] Status readJson(const JsonCursor& at, bool& out);
[[nodiscard]] Status readJson(const JsonCursor& at, std::vector<std::int64_t>& out, const Integers& range);
/// Reads a list of exactly out.size() integers.
[[nodiscard]] Status readJson(const JsonCursor& at, std::span<std::int64_t> out, const Integers& range);
/// Returns an error unless the value is a list with the length of the other list.
[[nodiscard]] Status checkLength(const JsonCursor& at, const Like& like);
/// Returns the error `expected "a", "b" or "c", got ...`.
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

// Functions that write one value:

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
    T copy = value; // a copy, because bindFields() needs a mutable value
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

// Functions that read a whole text:

/// Parses a JSON text as a value of type T.
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

/// Checks a value by the constraints of its bindFields(), for example after an edit by the user.
template <typename T> [[nodiscard]] Status checkJsonValue(const T& value)
{
    const Json json = writeJson(value);
    T copy = value;
    return readJson(JsonCursor(json, {}), copy);
}

/// Binds the optional field "bits", the width of an element. It is a multiple of 1/1024 bit, at most 64 bits.
/// `parts` is the width in 1/1024 bit; 0 if the field is absent.
void bindBits(JsonFields& f, std::int64_t& parts);

} // namespace tilewright
