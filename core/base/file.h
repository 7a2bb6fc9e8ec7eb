// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"

#include <string>
#include <string_view>

namespace tilewright {

/// Largest file any reader accepts.
inline constexpr std::size_t kMaxFileBytes = std::size_t{64} << 20;

/// The whole file; an Error naming it when it cannot be read or is larger than kMaxFileBytes.
[[nodiscard]] Result<std::string> readFile(const std::string& path);

/// Writes beside the target and renames, so that a crash never leaves half a file.
[[nodiscard]] Status writeFileAtomically(const std::string& path, std::string_view content);

} // namespace tilewright
