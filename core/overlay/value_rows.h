// SPDX-License-Identifier: GPL-3.0-or-later
// What the readers of files of values share.
#pragma once

#include "overlay/named_values.h"

namespace tilewright::overlay {

/// Receives the rows of a table in the order of the file, for every form of file.
class ValueRows
{
public:
    ValueRows(std::string file, Form form, const ReadOptions& options);

    /// Receives the names of the columns.
    [[nodiscard]] Status header(std::vector<std::string_view> names, std::size_t line);
    [[nodiscard]] Status row(std::vector<std::string_view> cells, std::size_t line);
    /// Ends the table. Combines rows with the same name (joined()).
    [[nodiscard]] Result<NamedValues> finish() &&;

    [[nodiscard]] bool hasHeader() const noexcept { return m_hasHeader; }
    void addHead(std::string line) { m_out.head.push_back(std::move(line)); }

private:
    const ReadOptions& m_options;
    validation::RowCells m_row;
    std::vector<validation::Condition> m_conditions;
    std::size_t m_name = 0, m_value = 0;
    bool m_hasHeader = false;
    NamedValues m_out;
};

/// Combines rows with the same name. Returns an Error if there are such rows and they are refused, or if
/// there is no row at all.
[[nodiscard]] Result<NamedValues> joined(NamedValues values, Repeated repeated);

/// Reads the JSON form. It is an object of numbers by name, or a list of objects with a name and numbers. The
/// list is the document, or the only list in the object that is the document.
[[nodiscard]] Result<NamedValues> readNamedValuesJson(std::string_view text, const std::string& file,
                                                      const ReadOptions& options);
/// True if the text has the JSON form of named values.
[[nodiscard]] bool isNamedValuesJson(std::string_view text);

} // namespace tilewright::overlay
