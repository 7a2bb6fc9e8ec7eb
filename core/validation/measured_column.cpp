// SPDX-License-Identifier: GPL-3.0-or-later
#include "validation/measured_column.h"

#include "base/utf8.h"

#include <algorithm>
#include <array>

namespace tilewright::validation {

namespace {

std::vector<std::string> wordsOf(std::string_view name)
{
    std::vector<std::string> out(1);
    for (const char c : lowerCase(name))
        if (c == '_' || c == ' ')
            out.emplace_back();
        else
            out.back() += c;
    return out;
}

/// A word for a unit in the name of a column.
struct UnitWord
{
    const char* word;
    Quantity quantity;
    double scale;
};
constexpr UnitWord kUnits[] = {
    {"ns", Quantity::Milliseconds, 1e-6}, {"us", Quantity::Milliseconds, 1e-3},
    {"ms", Quantity::Milliseconds, 1},    {"s", Quantity::Milliseconds, 1e3},
    {"cycles", Quantity::Cycles, 1},      {"kb", Quantity::Bytes, 1024},
    {"bytes", Quantity::Bytes, 1},        {"pj", Quantity::Picojoules, 1},
    {"nj", Quantity::Picojoules, 1e3},    {"uj", Quantity::Picojoules, 1e6},
};
/// If several columns contain times, the one with the earliest of these words is used.
constexpr std::array kPreferred{"avg", "median", "total", "device", "latency"};
constexpr std::string_view kTokens = "tokens_per_s";

} // namespace

std::string_view unitOf(Quantity quantity) noexcept
{
    switch (quantity) {
    case Quantity::Cycles:
        return "cycles";
    case Quantity::Bytes:
        return "bytes";
    case Quantity::Picojoules:
        return "pJ";
    case Quantity::TokensPerSecond:
        return "tokens/s";
    case Quantity::Plain:
        return "";
    case Quantity::Milliseconds:
        break;
    }
    return "ms";
}

std::optional<MeasuredColumn> measuredColumn(std::string_view name)
{
    if (lowerCase(name).starts_with(kTokens))
        return MeasuredColumn{std::string(name), Quantity::TokensPerSecond, 1};
    const std::vector<std::string> words = wordsOf(name);
    // The unit may be followed by other words of the name, so the last unit word counts: "s_mac_cycles".
    for (auto word = words.rbegin(); word != words.rend(); ++word)
        for (const UnitWord& unit : kUnits)
            if (*word == unit.word && (*word != "s" || (words.size() > 1 && word == words.rbegin())))
                return MeasuredColumn{std::string(name), unit.quantity, unit.scale};
    return std::nullopt;
}

std::optional<MeasuredColumn> columnInUnit(std::string_view unit)
{
    for (const UnitWord& known : kUnits)
        if (unit == known.word)
            return MeasuredColumn{std::string(unit), known.quantity, known.scale};
    return std::nullopt;
}

Result<std::size_t> columnNamed(const RowCells& row, const std::string& name)
{
    const auto it = row.columns.find(lowerCase(name));
    if (it == row.columns.end())
        return row.fail("there is no column " + quotedText(name) + "; the columns are " + row.namesText());
    return it->second;
}

Result<ChosenColumn> chosenColumn(const RowCells& row, const std::string& name)
{
    if (!name.empty()) {
        const auto at = columnNamed(row, name);
        if (!at)
            return at.error();
        auto measured = measuredColumn(row.names[*at]);
        if (!measured)
            return row.fail("the name of the column " + quotedText(name) + " has no unit; the units are " +
                            std::string(kUnitWords));
        return ChosenColumn{*at, std::move(*measured)};
    }
    std::optional<ChosenColumn> best;
    std::size_t bestRank = 0;
    for (std::size_t i = 0; i < row.names.size(); ++i) {
        auto measured = measuredColumn(row.names[i]);
        if (!measured || measured->quantity == Quantity::Bytes || measured->quantity == Quantity::Picojoules)
            continue;
        const std::vector<std::string> words = wordsOf(row.names[i]);
        std::size_t rank = kPreferred.size() + 1;
        for (std::size_t p = 0; p < kPreferred.size(); ++p)
            if (std::ranges::find(words, kPreferred[p]) != words.end())
                rank = std::min(rank, p + 1);
        if (words.size() == 1)
            rank = 0;
        if (!best || rank < bestRank) {
            best = ChosenColumn{i, std::move(*measured)};
            bestRank = rank;
        }
    }
    if (!best)
        return row.fail("no column has a time or cycles; the columns are " + row.namesText());
    return std::move(*best);
}

bool Condition::holds(std::string_view cell) const
{
    const auto a = numberOf(cell), b = numberOf(value);
    switch (sign) {
    case '<':
        return a && b && *a < *b;
    case '>':
        return a && b && *a > *b;
    default: {
        const bool equal = a && b ? *a == *b : cell == value;
        return equal == (sign == '=');
    }
    }
}

Result<std::vector<Condition>> readConditions(std::span<const std::string> texts, const RowCells& row)
{
    std::vector<Condition> out;
    for (const std::string& text : texts) {
        const std::size_t sign = text.find_first_of("!=<>");
        const bool isNot = sign != std::string::npos && text[sign] == '!';
        if (sign == std::string::npos || sign == 0 || (isNot && text.compare(sign, 2, "!=") != 0))
            return Error{ErrorCode::Field,
                         "expected COLUMN=VALUE, COLUMN!=VALUE, COLUMN<VALUE or COLUMN>VALUE, got " +
                             quotedText(text),
                         "--where",
                         {}};
        const auto at = columnNamed(row, text.substr(0, sign));
        if (!at)
            return at.error();
        out.push_back({*at, text[sign], text.substr(sign + (isNot ? 2 : 1))});
    }
    return out;
}

bool meets(const RowCells& row, std::span<const Condition> conditions)
{
    return std::ranges::all_of(conditions, [&](const Condition& c) { return c.holds(row.cell(c.column)); });
}

} // namespace tilewright::validation
