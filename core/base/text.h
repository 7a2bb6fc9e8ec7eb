// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tilewright {

/// Shortest decimal text that reads back as the same double; never depends on the locale.
[[nodiscard]] std::string formatNumber(double value);
[[nodiscard]] std::string formatNumber(std::int64_t value);

/// With a comma between groups of three digits, for messages ("65,536").
[[nodiscard]] std::string formatGrouped(std::int64_t value);

/// One CSV field, quoted when it has to be.
[[nodiscard]] std::string csvField(std::string_view text);

} // namespace tilewright
