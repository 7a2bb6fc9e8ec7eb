// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/table.h"

namespace tilewright::cli {

/// Prints the table with columns as wide as their widest cell. Columns of numbers are aligned to the right.
void print(const Table& table);

/// Returns the text padded to `width` characters, aligned to the right or to the left.
[[nodiscard]] std::string padded(const std::string& text, std::size_t width, bool right = true);

} // namespace tilewright::cli
