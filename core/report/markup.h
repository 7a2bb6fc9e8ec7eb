// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>

namespace tilewright {

/// Text as the content of an element or a quoted attribute; control characters and invalid UTF-8 are
/// replaced.
[[nodiscard]] std::string escapeMarkup(std::string_view text);

} // namespace tilewright
