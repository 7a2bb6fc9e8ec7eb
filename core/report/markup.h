// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tilewright {

/// Text as the content of an element or a quoted attribute; control characters and invalid UTF-8 are
/// replaced.
[[nodiscard]] std::string escapeMarkup(std::string_view text);

/// For people: digits grouped by thin spaces, at most one decimal.
[[nodiscard]] std::string displayNumber(double value);
[[nodiscard]] std::string displayNumber(std::int64_t value);

} // namespace tilewright
