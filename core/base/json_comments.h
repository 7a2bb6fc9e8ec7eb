// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace tilewright {

/// Returns the offset of the first comment of a JSON text: `//` or `/*` outside of a quoted text.
[[nodiscard]] std::optional<std::size_t> firstJsonComment(std::string_view text);

/// Returns the text with its comments (`//` to the end of the line, `/*` to the next `*/`) replaced by
/// spaces, so that every offset, line and column remains. A comment that is not closed is left as it is, with
/// everything after it.
[[nodiscard]] std::string withoutJsonComments(std::string_view text);

} // namespace tilewright
