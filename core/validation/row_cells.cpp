// SPDX-License-Identifier: GPL-3.0-or-later
#include "validation/row_cells.h"

#include "base/utf8.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace tilewright::validation {

std::string lowerCase(std::string_view text)
{
    std::string out(text);
    for (char& c : out)
        if (c >= 'A' && c <= 'Z')
            c = static_cast<char>(c - 'A' + 'a');
    return out;
}

std::optional<double> numberOf(std::string_view cell)
{
    double value = 0;
    const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
    if (error != std::errc() || end != cell.data() + cell.size() || !std::isfinite(value))
        return std::nullopt;
    return value;
}

std::string quotedText(std::string_view text)
{
    return '"' + printable(text.substr(0, 40)) + '"';
}

void RowCells::takeNames()
{
    for (std::size_t i = 0; i < cells.size(); ++i)
        columns.emplace(lowerCase(cells[i]), i);
    names.assign(cells.begin(), cells.end());
}

Error RowCells::fail(std::string message) const
{
    return {ErrorCode::Field, std::move(message), "line " + std::to_string(line), file};
}

std::string RowCells::namesText() const
{
    std::string out;
    for (const std::string& name : names)
        out.append(out.empty() ? "" : ", ").append(printable(name));
    return out;
}

std::optional<std::size_t> RowCells::column(std::initializer_list<const char*> of) const
{
    for (const char* name : of)
        if (const auto it = columns.find(name); it != columns.end())
            return it->second;
    return std::nullopt;
}

bool RowCells::has(std::initializer_list<const char*> all) const
{
    return std::ranges::all_of(all, [this](const char* name) { return columns.contains(name); });
}

std::string_view RowCells::cell(std::optional<std::size_t> at) const
{
    return at && *at < cells.size() ? cells[*at] : std::string_view();
}

Result<std::int64_t> RowCells::size(std::optional<std::size_t> at) const
{
    constexpr double kMost = 1e12;
    if (!at)
        return fail("a column with a size of the operator is missing; the columns are " + namesText());
    const auto value = numberOf(cell(at));
    if (!value || *value < 1 || *value > kMost || *value != std::floor(*value))
        return fail(printable(names[*at]) + ": expected a whole number from 1, got " + quotedText(cell(at)));
    return static_cast<std::int64_t>(*value);
}

Result<std::int64_t> RowCells::size(std::optional<std::size_t> at, std::int64_t otherwise) const
{
    return cell(at).empty() ? Result(otherwise) : size(at);
}

} // namespace tilewright::validation
