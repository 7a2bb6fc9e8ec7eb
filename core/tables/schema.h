// SPDX-License-Identifier: GPL-3.0-or-later
// The tables that questions in SQL are asked of: names, columns and units.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright::tables {

/// Type of the values of a column. A value may also be missing (NULL).
enum class ColumnType : std::uint8_t { Integer, Real, Text };
[[nodiscard]] std::string_view toString(ColumnType type) noexcept; ///< "integer", "real", "text"

struct Column
{
    std::string_view name; ///< name, which contains the unit: "load_elements"
    ColumnType type = ColumnType::Text;
    std::string_view meaning; ///< description in one line
};

struct Schema
{
    std::string_view name;    ///< "subgraphs"
    std::string_view meaning; ///< describes what one row stands for
    std::vector<Column> columns;
};

/// The schemas of all tables, in the order in which a file has them.
[[nodiscard]] std::span<const Schema* const> schemas();

/// The SQL statement that creates a table, with the descriptions as comments.
[[nodiscard]] std::string createStatement(const Schema& schema);
/// All tables and their columns as lines of text.
[[nodiscard]] std::string schemaText();

} // namespace tilewright::tables
