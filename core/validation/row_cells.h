// SPDX-License-Identifier: GPL-3.0-or-later
// The cells of a row of a table, by the names of its columns.
#pragma once

#include "base/result.h"

#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright::validation {

[[nodiscard]] std::string lowerCase(std::string_view text);
/// The number in a cell; nullopt if it is not a number.
[[nodiscard]] std::optional<double> numberOf(std::string_view cell);
/// The first 40 characters of a text in quotation marks, for messages.
[[nodiscard]] std::string quotedText(std::string_view text);

/// The cells of the current row of a table.
struct RowCells
{
    std::string file;
    std::size_t line = 0; ///< line of the row in the file, from 1
    std::vector<std::string_view> cells;
    std::vector<std::string> names; ///< names of the columns, as in the file
    /// Positions of the columns; keys are names in lower case.
    std::map<std::string, std::size_t, std::less<>> columns;

    /// Uses the cells of the current row as names of the columns.
    void takeNames();
    [[nodiscard]] Error fail(std::string message) const;
    [[nodiscard]] std::string namesText() const;
    /// Position of the first of these columns that the table has. Names are compared in any case.
    [[nodiscard]] std::optional<std::size_t> column(std::initializer_list<const char*> of) const;
    [[nodiscard]] bool has(std::initializer_list<const char*> all) const;
    [[nodiscard]] std::string_view cell(std::optional<std::size_t> at) const;
    /// Returns the cell as a whole number of at least 1.
    [[nodiscard]] Result<std::int64_t> size(std::optional<std::size_t> at) const;
    [[nodiscard]] Result<std::int64_t> size(std::optional<std::size_t> at, std::int64_t otherwise) const;
};

} // namespace tilewright::validation
