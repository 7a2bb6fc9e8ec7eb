// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/table.h"

#include "base/text.h"

#include <algorithm>

namespace tilewright {

namespace {

std::string shownAs(ColumnKind kind, const TableValue& value)
{
    if (const auto* text = std::get_if<std::string>(&value))
        return *text;
    if (!value.isKnown())
        return {};
    const auto* whole = std::get_if<std::int64_t>(&value);
    const double number = whole ? static_cast<double>(*whole) : std::get<double>(value);
    switch (kind) {
    case ColumnKind::Change:
        return signedNumber(number);
    case ColumnKind::Percent:
        return percent(number);
    case ColumnKind::Bytes:
        return bytesText(whole ? *whole : static_cast<std::int64_t>(number));
    default:
        return whole ? formatGrouped(*whole) : formatGrouped(number);
    }
}

std::vector<std::string> split(std::string_view text, char separator)
{
    std::vector<std::string> out;
    for (std::size_t at = 0; at <= text.size();) {
        const std::size_t end = std::min(text.find(separator, at), text.size());
        out.emplace_back(text.substr(at, end - at));
        at = end + 1;
    }
    return out;
}

} // namespace

std::string TableValue::exact() const
{
    if (const auto* whole = std::get_if<std::int64_t>(this))
        return formatNumber(*whole);
    if (const auto* number = std::get_if<double>(this))
        return formatNumber(*number);
    const auto* text = std::get_if<std::string>(this);
    return text ? *text : std::string();
}

Table::Table(const std::vector<TableText>& titles)
{
    for (const TableText& title : titles)
        columns.push_back({title});
}

void Table::nameColumns(const TableText& names)
{
    const std::vector<std::string> each = split(names, '\t');
    for (std::size_t c = 0; c < columns.size(); ++c) {
        columns[c].copied = c < each.size();
        columns[c].name = columns[c].copied ? each[c] : std::string();
    }
}

std::string Table::heading(std::size_t column) const
{
    return columns[column].name.empty() ? columns[column].title : columns[column].name;
}

TableCell Table::cell(std::size_t row, std::size_t column) const
{
    return columns[column].cell ? columns[column].cell(row) : rows[row][column];
}

std::string Table::shown(std::size_t row, std::size_t column) const
{
    const TableCell c = cell(row, column);
    return c.shown ? std::string(*c.shown) : shownAs(columns[column].kind, c.value);
}

TableValue Table::key(std::size_t row, std::size_t column) const
{
    const TableCell c = cell(row, column);
    return c.key.value_or(c.value);
}

std::string Table::tip(std::size_t row, std::size_t column) const
{
    const TableText own = cell(row, column).tip;
    return own.empty() && rowTip ? rowTip(row) : own;
}

Table tableOf(std::string_view titles)
{
    Table out;
    for (const std::string& title : split(titles, ','))
        out.columns.push_back({title});
    return out;
}

std::string lineOf(const std::vector<TableValue>& values, std::string_view separator)
{
    std::string out;
    for (const TableValue& value : values) {
        out += &value == &values.front() ? std::string_view() : separator;
        out += separator == "\t" ? value.exact() : csvField(value.exact());
    }
    return out + '\n';
}

std::string csvOf(const Table& table, std::string_view separator)
{
    std::string out;
    for (std::size_t line = 0; line <= table.rowCount(); ++line) {
        std::vector<TableValue> values;
        for (std::size_t c = 0; c < table.columns.size(); ++c)
            if (table.columns[c].copied)
                values.push_back(line == 0 ? TableValue(table.heading(c)) : table.cell(line - 1, c).value);
        out += lineOf(values, separator);
    }
    return out;
}

} // namespace tilewright
