// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/table.h"

namespace tilewright::cli {

/// Prints the table with columns as wide as their widest cell; a column of numbers stands at the right.
void print(const Table& table);

/// The text in a column of `width` characters, at its right or left end.
[[nodiscard]] std::string padded(const std::string& text, std::size_t width, bool right = true);

} // namespace tilewright::cli
