// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"

#include <string>
#include <string_view>

namespace tilewright::cli {

/// Writes a file into a folder, which is made if there is none.
[[nodiscard]] Status writeInFolder(const std::string& folder, const std::string& name, std::string_view text);

} // namespace tilewright::cli
