// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/json_fields.h"

#include "base/text.h"

#include <algorithm>

namespace tilewright {

namespace {

std::string joined(const std::string& path, std::string_view below)
{
    std::string out = path;
    if (!path.empty() && !below.empty() && below.front() != '[')
        out += '.';
    return out.append(below);
}

} // namespace

JsonFields::JsonFields(const JsonCursor& object) : m_object(object)
{
    if (Status s = object.object(); !s)
        m_error = s.error();
}

std::optional<JsonCursor> JsonFields::find(std::string_view key, bool isRequired)
{
    m_keys.push_back(key);
    if (m_error)
        return std::nullopt;
    if (!isRequired)
        return m_object->find(key);
    auto member = m_object->member(key);
    if (member)
        return *member;
    m_error = member.error();
    return std::nullopt;
}

Like JsonFields::like(std::string_view key) const
{
    if (const auto other = reading() ? m_object->find(key) : std::nullopt; other && other->node().is_array())
        return {key, other->size()};
    return {key, std::nullopt};
}

void JsonFields::fail(std::string_view where, std::string message)
{
    if (m_error || !reading())
        return;
    m_error = m_object->error(std::move(message));
    m_error->path = joined(m_object->path(), where);
}

void JsonFields::check(const Status& status)
{
    if (status || m_error || !reading())
        return;
    fail(status.error().path, status.error().message);
    m_error->code = status.error().code;
}

std::string JsonFields::others() const
{
    return reading() ? unknownFields(m_object->node(), m_keys) : std::string();
}

Status JsonFields::close() const
{
    if (reading() && m_object->node().is_object()) {
        std::vector<std::string_view> known = m_keys;
        known.insert(known.end(), m_knownOthers.begin(), m_knownOthers.end());
        // Present fields are removed: they are not missing by a misspelling.
        std::vector<std::string_view> missing = known;
        std::erase_if(missing, [&](std::string_view key) { return m_object->has(key); });
        for (const auto& [key, value] : m_object->node().items())
            if (std::ranges::find(known, key) == known.end() &&
                (!m_othersAllowed || !similarWord(key, missing).empty()))
                return m_object->unknownField(key, missing);
    }
    if (m_error)
        return *m_error;
    return Unit{};
}

Status readJson(const JsonCursor& at, double& out, const Numbers& range)
{
    const auto value = at.number(range.min, range.max);
    if (!value)
        return value.error();
    out = *value;
    return Unit{};
}

Status readJson(const JsonCursor& at, std::string& out)
{
    auto value = at.string();
    if (!value)
        return value.error();
    out = std::move(*value);
    return Unit{};
}

Status readJson(const JsonCursor& at, bool& out)
{
    const auto value = at.boolean();
    if (!value)
        return value.error();
    out = *value;
    return Unit{};
}

Status readJson(const JsonCursor& at, std::vector<std::int64_t>& out, const Integers& range)
{
    auto values = at.integers(range.min, range.max);
    if (!values)
        return values.error();
    out = std::move(*values);
    return Unit{};
}

Status readJson(const JsonCursor& at, std::span<std::int64_t> out, const Integers& range)
{
    const auto values = at.integers(range.min, range.max, out.size());
    if (!values)
        return values.error();
    std::ranges::copy(*values, out.begin());
    return Unit{};
}

Status checkLength(const JsonCursor& at, const Like& like)
{
    if (Status s = at.list(); !s)
        return s;
    if (like.size && at.size() != *like.size)
        return at.error("has " + std::to_string(at.size()) + " entries, but \"" + std::string(like.key) +
                        "\" has " + std::to_string(*like.size));
    return Unit{};
}

Error expectedWord(const JsonCursor& at, std::span<const std::string_view> words)
{
    std::string list;
    for (std::size_t i = 0; i < words.size(); ++i) {
        if (i > 0)
            list += i + 1 < words.size() ? ", " : " or ";
        list += '"' + std::string(words[i]) + '"';
    }
    return at.expected(list);
}

void bindBits(JsonFields& f, std::int64_t& parts)
{
    constexpr double kParts = 1024, kMostBits = 64;
    double bits = static_cast<double>(parts) / kParts;
    f.defaulted("bits", bits, 0, Numbers{1 / kParts, kMostBits});
    parts = static_cast<std::int64_t>(bits * kParts);
    if (static_cast<double>(parts) != bits * kParts)
        f.fail("bits", "expected a multiple of 1/1024");
}

} // namespace tilewright
