// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace tilewright {

/// A text type of the user interface (QString). It is a template parameter, because core/ does not depend on
/// Qt.
template <typename T>
concept WindowText = std::same_as<decltype(std::declval<const T&>().toStdString()), std::string>;

/// Text of a table. It converts from the text types of core/ and of the user interface.
struct TableText : std::string
{
    TableText() = default;
    TableText(const char* text) : std::string(text) {}
    TableText(std::string text) : std::string(std::move(text)) {}
    template <WindowText T> TableText(const T& text) : std::string(text.toStdString()) {}
};

/// Exact value of a cell: unknown, an integer, a number or a text.
struct TableValue : std::variant<std::monostate, std::int64_t, double, std::string>
{
    TableValue() = default;
    TableValue(std::integral auto number) : variant(static_cast<std::int64_t>(number)) {}
    TableValue(double number) : variant(number) {}
    TableValue(std::convertible_to<std::string_view> auto const& text)
        : variant(std::string(std::string_view(text)))
    {
    }
    template <WindowText T> TableValue(const T& text) : variant(text.toStdString()) {}
    template <typename T> TableValue(const std::optional<T>& value)
    {
        if (value)
            *this = TableValue(*value);
    }

    [[nodiscard]] bool isKnown() const noexcept { return index() > 0; }
    /// Returns the value as plain text that reads back; empty if unknown.
    [[nodiscard]] std::string exact() const;
};

/// Kind of the values in a column. It determines number format and alignment; only texts are left-aligned.
enum class ColumnKind : std::uint8_t {
    Text,
    Number,
    Change,  ///< difference, with sign
    Percent, ///< fraction, as percent
    Bytes
};

/// A cell: its exact value and optionally a displayed text (default: the number format of the column), a sort
/// key (default: the value) and a tooltip.
struct TableCell
{
    template <typename T>
    requires std::constructible_from<TableValue, const T&> TableCell(const T& exact) : value(exact) {}
    TableCell(TableValue exact, TableText text, std::optional<TableValue> sortedBy = {},
              TableText explained = {})
        : value(std::move(exact)), shown(std::move(text)), key(std::move(sortedBy)), tip(std::move(explained))
    {
    }

    TableValue value;
    std::optional<TableText> shown;
    std::optional<TableValue> key;
    TableText tip;
};

/// A column: its heading and, for tables without stored rows, the function that creates its cells.
struct TableColumn
{
    TableText title = {};
    ColumnKind kind = ColumnKind::Text;
    TableText tip = {};
    std::function<TableCell(std::size_t row)> cell = {};
    TableText name = {}; ///< heading in copies and files; empty: the title
    bool copied = true;  ///< false: copies and files do not contain the column
    /// Lens and address of the column's figures: "schedule:subgraphs.*.latency", where * stands for the row.
    TableText figure = {};
};

/// A table for the screen, the command line, files and the clipboard. The cells are either stored in `rows`
/// or created by the columns (`count` rows).
struct Table
{
    Table() = default;
    /// Creates a table with stored rows.
    explicit Table(const std::vector<TableText>& titles);

    std::vector<TableColumn> columns;
    std::vector<std::vector<TableCell>> rows;
    std::size_t count = 0;
    std::function<TableText(std::size_t row)> rowTip; ///< tooltip of cells that have none of their own

    [[nodiscard]] std::size_t rowCount() const noexcept { return rows.empty() ? count : rows.size(); }
    void add(std::vector<TableCell> row) { rows.push_back(std::move(row)); }
    template <typename... Cells> void add(const Cells&... cells) { rows.push_back({TableCell(cells)...}); }
    /// Sets the headings for copies and files. `names` is separated by tabs. Columns without a name are not
    /// copied.
    void nameColumns(const TableText& names);
    [[nodiscard]] std::string heading(std::size_t column) const; ///< heading in copies and files
    [[nodiscard]] TableCell cell(std::size_t row, std::size_t column) const;
    [[nodiscard]] std::string shown(std::size_t row, std::size_t column) const;
    [[nodiscard]] TableValue key(std::size_t row, std::size_t column) const;
    [[nodiscard]] std::string tip(std::size_t row, std::size_t column) const;
};

/// Returns a table with stored rows. `titles` is separated by commas.
[[nodiscard]] Table tableOf(std::string_view titles);

/// Returns one line of exact values. Fields are quoted if necessary, except with tabs as separator.
[[nodiscard]] std::string lineOf(const std::vector<TableValue>& values, std::string_view separator);
template <typename... Cells> [[nodiscard]] std::string csvRow(const Cells&... cells)
{
    return lineOf({TableValue(cells)...}, ",");
}
/// Returns headings and exact values, one line per row; with tabs as separator for the clipboard.
[[nodiscard]] std::string csvOf(const Table& table, std::string_view separator = ",");

} // namespace tilewright
