// SPDX-License-Identifier: GPL-3.0-or-later
// The tables as an SQLite database in memory, which only answers questions. SQLite only here.
#pragma once

#include "tables/tables.h"

#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright::tables {

/// Limits of a query.
struct QueryLimits
{
    double seconds = 10;        ///< time limit; 0: none
    std::size_t rows = 100'000; ///< maximum number of rows of the answer; further rows are left out
};

/// The answer to a query.
struct QueryResult
{
    std::vector<std::string> columns; ///< names of the columns, as the query states them
    std::vector<std::vector<TableValue>> rows;
    bool more = false; ///< true if rows beyond the limit were left out

    /// True if the column contains at least one number, and otherwise only numbers and missing values.
    [[nodiscard]] bool isNumeric(std::size_t column) const;
    /// Index of the column with this name, in any case; columns.size() if there is none.
    [[nodiscard]] std::size_t indexOf(std::string_view name) const;
    /// Returns a cell. Its text has six digits if the value is a fraction.
    [[nodiscard]] TableCell cell(std::size_t row, std::size_t column) const;
    /// Returns the answer as a table for the screen, a file or the clipboard.
    [[nodiscard]] Table table() const;
};

/// The name and number of rows of a table.
struct TableSize
{
    std::string_view name;
    std::int64_t rows = 0;
};

/// A database that cannot be changed. Several threads may use it; one query waits for the other.
class Database
{
public:
    /// Writes the tables of a subject into a new database; null if stopped. May throw std::bad_alloc.
    [[nodiscard]] static std::shared_ptr<const Database> of(const Subject& subject,
                                                            const Progress& progress = {});
    ~Database();
    Database(const Database&) = delete;
    Database& operator=(const Database&) = delete;

    /// Answers one SELECT statement. The Error says in a sentence what is wrong with it, that it took too
    /// long, or that it was stopped. May throw std::bad_alloc.
    [[nodiscard]] Result<QueryResult> query(const std::string& sql, const QueryLimits& limits = {},
                                            const std::stop_token& stop = {}) const;
    /// Returns the content of an SQLite file with all tables.
    [[nodiscard]] std::string file() const;
    /// Sizes of the tables in the order of schemas().
    [[nodiscard]] const std::vector<TableSize>& sizes() const noexcept;

private:
    struct State;
    explicit Database(std::unique_ptr<State> state);
    std::unique_ptr<State> m_state;
};

} // namespace tilewright::tables
