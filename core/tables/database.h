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

/// Limits of a question.
struct QueryLimits
{
    double seconds = 10;        ///< 0: none
    std::size_t rows = 100'000; ///< rows of the answer; further ones are left out
};

/// The answer to a question.
struct QueryResult
{
    std::vector<std::string> columns; ///< names, as the question has them
    std::vector<std::vector<TableValue>> rows;
    bool more = false; ///< rows beyond the limit are left out

    /// True if the column has a number, and nothing but numbers and missing values.
    [[nodiscard]] bool isNumeric(std::size_t column) const;
    /// Index of the column with this name, whatever its case; columns.size() if there is none.
    [[nodiscard]] std::size_t indexOf(std::string_view name) const;
    /// A cell, whose text has six digits if the value is a fraction.
    [[nodiscard]] TableCell cell(std::size_t row, std::size_t column) const;
    /// The answer as a table of the screen, of a file or of the clipboard.
    [[nodiscard]] Table table() const;
};

/// The name and number of rows of a table.
struct TableSize
{
    std::string_view name;
    std::int64_t rows = 0;
};

/// A database that nothing can change. May be asked from several threads; one question waits for the other.
class Database
{
public:
    /// Writes the tables of a subject into a new database; null if stopped. Throws std::bad_alloc.
    [[nodiscard]] static std::shared_ptr<const Database> of(const Subject& subject,
                                                            const Progress& progress = {});
    ~Database();
    Database(const Database&) = delete;
    Database& operator=(const Database&) = delete;

    /// Answers one SELECT statement. The Error says in a sentence what is wrong with it, that it took too
    /// long, or that it was stopped. Throws std::bad_alloc.
    [[nodiscard]] Result<QueryResult> query(const std::string& sql, const QueryLimits& limits = {},
                                            const std::stop_token& stop = {}) const;
    /// The content of an SQLite file with all tables.
    [[nodiscard]] std::string file() const;
    /// In the order of schemas().
    [[nodiscard]] const std::vector<TableSize>& sizes() const noexcept;

private:
    struct State;
    explicit Database(std::unique_ptr<State> state);
    std::unique_ptr<State> m_state;
};

} // namespace tilewright::tables
