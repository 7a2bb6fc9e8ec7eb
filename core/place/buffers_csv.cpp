// SPDX-License-Identifier: GPL-3.0-or-later
#include "place/buffers_csv.h"

#include "base/text.h"
#include "base/utf8.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <unordered_map>
#include <utility>

namespace tilewright {

namespace {

/// Limit that keeps sums of sizes within 64 bits.
constexpr std::int64_t kMaxElements = std::int64_t{1} << 60;
constexpr std::size_t kMaxBuffers = 1'000'000;

enum Column : std::size_t { kId, kLower, kUpper, kSize, kOffset, kColumns };
constexpr std::array<std::string_view, kColumns> kNames = {"id", "lower", "upper", "size", "offset"};

std::string_view trimmed(std::string_view text)
{
    const std::size_t first = text.find_first_not_of(" \t\r");
    return first == std::string_view::npos ? std::string_view()
                                           : text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

std::vector<std::string_view> fieldsOf(std::string_view line)
{
    std::vector<std::string_view> out;
    for (std::size_t start = 0; start <= line.size();) {
        const std::size_t comma = std::min(line.find(',', start), line.size());
        out.push_back(trimmed(line.substr(start, comma - start)));
        start = comma + 1;
    }
    return out;
}

/// The column with this name. Also accepts the older names buffer, start and end.
std::optional<Column> columnNamed(std::string_view name)
{
    constexpr std::array<std::string_view, kColumns> kOlder = {"buffer", "start", "end", "size", "offset"};
    for (std::size_t c = 0; c < kColumns; ++c)
        if (name == kNames[c] || name == kOlder[c])
            return static_cast<Column>(c);
    return std::nullopt;
}

class Reader
{
public:
    [[nodiscard]] Result<Buffers> read(std::string_view text)
    {
        for (std::size_t start = 0; start < text.size();) {
            const std::size_t end = std::min(text.find('\n', start), text.size());
            const std::string_view line = trimmed(text.substr(start, end - start));
            ++m_line;
            start = end + 1;
            if (line.empty())
                continue;
            if (const Status status = m_places.empty() ? head(line) : row(line); !status)
                return status.error();
        }
        if (m_places.empty())
            return problemError({},
                                "the header line with the column names id, lower, upper, size is missing");
        if (m_out.items.empty())
            return problemError({}, "has no buffers");
        return std::move(m_out);
    }

private:
    [[nodiscard]] Error fault(std::string_view field, std::string message) const
    {
        std::string place = "line " + std::to_string(m_line);
        if (!field.empty())
            place.append(", ").append(field);
        return {ErrorCode::Field, std::move(message), std::move(place), {}};
    }

    Status head(std::string_view line)
    {
        std::array<bool, kColumns> seen{};
        for (const std::string_view name : fieldsOf(line)) {
            const auto column = columnNamed(name);
            if (!column)
                return fault({}, "'" + std::string(name) +
                                     "' is not a column of a buffer file (id, lower, upper, size, offset)");
            if (std::exchange(seen[*column], true))
                return fault(kNames[*column], "the column occurs twice");
            m_places.push_back(*column);
        }
        for (const Column c : {kId, kLower, kUpper, kSize})
            if (!seen[c])
                return fault(kNames[c], "the column is missing");
        return Unit{};
    }

    Status row(std::string_view line)
    {
        const std::vector<std::string_view> fields = fieldsOf(line);
        if (fields.size() != m_places.size())
            return fault({}, "has " + formatGrouped(fields.size()) + " fields, the columns are " +
                                 formatGrouped(m_places.size()));
        if (m_out.items.size() == kMaxBuffers)
            return fault({}, "more than " + formatGrouped(kMaxBuffers) + " buffers");
        std::array<std::int64_t, kColumns> value{};
        std::string id;
        for (std::size_t i = 0; i < fields.size(); ++i) {
            const Column column = m_places[i];
            if (column == kId) {
                id = printable(fields[i]);
                continue;
            }
            if (column == kOffset) // ignored: offset of an earlier placement
                continue;
            const char* end = fields[i].data() + fields[i].size();
            const auto [at, error] = std::from_chars(fields[i].data(), end, value[column]);
            if (error != std::errc{} || at != end || fields[i].empty())
                return fault(kNames[column], "'" + std::string(fields[i]) + "' is not a whole number");
        }
        if (id.empty())
            return fault(kNames[kId], "is empty");
        if (const auto [known, fresh] = m_lineOf.try_emplace(id, m_line); !fresh)
            return fault(kNames[kId],
                         "'" + id + "' is the buffer of line " + std::to_string(known->second) + " too");
        if (value[kLower] < 0)
            return fault(kNames[kLower], "must not be negative");
        if (value[kUpper] <= value[kLower])
            return fault(kNames[kUpper],
                         "must be greater than lower, which is " + std::to_string(value[kLower]));
        if (value[kSize] <= 0)
            return fault(kNames[kSize], "must be positive");
        if (value[kSize] > kMaxElements - m_sum)
            return fault(kNames[kSize], "the sizes add up to more than " + std::to_string(kMaxElements));
        m_sum += value[kSize];
        m_out.ids.push_back(std::move(id));
        m_out.items.push_back({value[kLower], value[kUpper], value[kSize], value[kLower], 0});
        return Unit{};
    }

    Buffers m_out;
    std::vector<Column> m_places; // columns in the order of the file
    std::unordered_map<std::string, std::size_t> m_lineOf;
    std::size_t m_line = 0;
    std::int64_t m_sum = 0;
};

} // namespace

Result<Buffers> readBuffers(std::string_view text)
{
    return Reader().read(text);
}

std::string writeBuffers(const Buffers& buffers, const std::vector<std::int64_t>& offsets)
{
    std::string out = "id,lower,upper,size,offset\n";
    for (std::size_t i = 0; i < buffers.items.size(); ++i) {
        const PlacementItem& item = buffers.items[i];
        out += buffers.ids[i];
        for (const std::int64_t v : {item.lower, item.upper, item.size, offsets[i]}) {
            out += ',';
            appendNumber(out, v);
        }
        out += '\n';
    }
    return out;
}

} // namespace tilewright
