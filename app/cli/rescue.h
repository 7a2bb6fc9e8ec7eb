// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"

#include <functional>
#include <string>
#include <string_view>

namespace tilewright::cli {

/// Writes what a search has found. Where that fails, writes it to NAME.rescued.json (or another ending that
/// the file has) in the current folder, else in the temporary one, and prints the path on stderr. The Error
/// is that of the file itself.
[[nodiscard]] Status writeFound(const std::string& path, std::string_view text);

/// After a search has printed what it found: where standard output has lost it, the same for `text()`, under
/// the name of the input.
void rescueOutput(const std::string& input, const std::function<std::string()>& text);

} // namespace tilewright::cli
