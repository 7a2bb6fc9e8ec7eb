// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>

namespace tilewright {

/// Escapes text for an element or a quoted attribute. Control characters and invalid UTF-8 are replaced.
[[nodiscard]] std::string escapeMarkup(std::string_view text);

} // namespace tilewright
