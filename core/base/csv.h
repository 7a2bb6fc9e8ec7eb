// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string_view>
#include <vector>

namespace tilewright {

/// Returns the cells of one line of a table, without the quotes and blanks around them. A separator between
/// quotes is part of its cell. Trailing separators add no empty cells.
[[nodiscard]] std::vector<std::string_view> csvCells(std::string_view line, char separator = ',');

} // namespace tilewright
