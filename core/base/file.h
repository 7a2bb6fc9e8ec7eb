// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"

#include <string>
#include <string_view>

namespace tilewright {

/// Size limit of input files, in bytes.
inline constexpr std::size_t kMaxFileBytes = std::size_t{64} << 20;

/// Reads a whole file. Returns an error if it cannot be read or is larger than kMaxFileBytes.
[[nodiscard]] Result<std::string> readFile(const std::string& path);

/// Writes a temporary file next to the target and renames it, so that a crash leaves no partial file.
[[nodiscard]] Status writeFileAtomically(const std::string& path, std::string_view content);

} // namespace tilewright
