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

/// A text type of the window (QString), which core does not know.
template <typename T>
concept WindowText = std::same_as<decltype(std::declval<const T&>().toStdString()), std::string>;

/// A text in a table; texts of the window convert to it.
struct TableText : std::string
{
    TableText() = default;
    TableText(const char* text) : std::string(text) {}
    TableText(std::string text) : std::string(std::move(text)) {}
    template <WindowText T> TableText(const T& text) : std::string(text.toStdString()) {}
};

/// The exact value of a cell: nothing where it is not known, a whole number, a number or a text.
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
    /// Plain numbers that read back; empty where nothing is known.
    [[nodiscard]] std::string exact() const;
};

/// What is in a column: it says how numbers are shown when a cell does not say it. All but texts stand at the
/// right.
enum class ColumnKind : std::uint8_t {
    Text,
    Number,
    Change,  ///< with its sign
    Percent, ///< of a fraction
    Bytes
};

/// A cell: its exact value, the text on the screen where that is not how its column shows the value, what its
/// row is sorted by where that is not the value, and a tooltip.
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

/// A column: its heading and, in a table whose rows are not stored, its cells.
struct TableColumn
{
    TableText title = {};
    ColumnKind kind = ColumnKind::Text;
    TableText tip = {};
    std::function<TableCell(std::size_t row)> cell = {};
    TableText name = {}; ///< heading of copies and files; the title when empty
    bool copied = true;  ///< it is in copies and files
};

/// Rows and columns of anything that is listed: on the screen, on the command line, in a file, on the
/// clipboard. The cells are stored (`rows`), or the columns make them from what they capture (`count` rows).
struct Table
{
    Table() = default;
    /// For stored rows.
    explicit Table(const std::vector<TableText>& titles);

    std::vector<TableColumn> columns;
    std::vector<std::vector<TableCell>> rows;
    std::size_t count = 0;
    std::function<TableText(std::size_t row)> rowTip; ///< of cells without a tip of their own

    [[nodiscard]] std::size_t rowCount() const noexcept { return rows.empty() ? count : rows.size(); }
    void add(std::vector<TableCell> row) { rows.push_back(std::move(row)); }
    template <typename... Cells> void add(const Cells&... cells) { rows.push_back({TableCell(cells)...}); }
    /// Gives the columns headings for copies, which stand between tabs; columns beyond these are not copied.
    void nameColumns(const TableText& names);
    [[nodiscard]] std::string heading(std::size_t column) const; ///< of copies and files
    [[nodiscard]] TableCell cell(std::size_t row, std::size_t column) const;
    [[nodiscard]] std::string shown(std::size_t row, std::size_t column) const;
    [[nodiscard]] TableValue key(std::size_t row, std::size_t column) const;
    [[nodiscard]] std::string tip(std::size_t row, std::size_t column) const;
};

/// A table of stored rows whose headings stand between commas.
[[nodiscard]] Table tableOf(std::string_view titles);

/// A line of exact values: fields are quoted where they have to be, between tabs never.
[[nodiscard]] std::string lineOf(const std::vector<TableValue>& values, std::string_view separator);
template <typename... Cells> [[nodiscard]] std::string csvRow(const Cells&... cells)
{
    return lineOf({TableValue(cells)...}, ",");
}
/// Headings and exact values, a line a row; between tabs for the clipboard.
[[nodiscard]] std::string csvOf(const Table& table, std::string_view separator = ",");

} // namespace tilewright
