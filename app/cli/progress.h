// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/progress.h"

#include <string>

namespace tilewright::cli {

/// Progress that can be stopped and, when `print`, tells on stderr how far the work is, percent by percent.
[[nodiscard]] Progress progressLine(std::stop_token stop, bool print, std::string what);

} // namespace tilewright::cli
