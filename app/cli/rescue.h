// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"

#include <functional>
#include <string>
#include <string_view>

namespace tilewright::cli {

/// Writes the result of a search to `path`. If that fails, writes it to NAME.rescued.json (or with the file's
/// own extension) in the current folder, else in the temporary folder, and prints the path on stderr. The
/// returned Error is that of `path`.
[[nodiscard]] Status writeFound(const std::string& path, std::string_view text);

/// To be called after a search has printed its result. If standard output failed, writes `text()` to a rescue
/// file as writeFound() does, named after the input.
void rescueOutput(const std::string& input, const std::function<std::string()>& text);

} // namespace tilewright::cli
