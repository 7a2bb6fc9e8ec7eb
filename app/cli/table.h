// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <iosfwd>
#include <string>
#include <vector>

namespace tilewright::cli {

/// Columns as wide as their widest cell; numbers to the right, text to the left.
class Table
{
public:
    explicit Table(std::vector<std::string> header) { m_rows.push_back(std::move(header)); }
    void add(std::vector<std::string> row) { m_rows.push_back(std::move(row)); }
    /// The first column and cells that do not start with a digit or sign are text.
    void print(std::ostream& out) const;

private:
    std::vector<std::vector<std::string>> m_rows;
};

/// The text in a column of `width` characters, at its right or left end.
[[nodiscard]] std::string padded(const std::string& text, std::size_t width, bool right = true);

} // namespace tilewright::cli
