// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/progress.h"

#include <string>

namespace tilewright::cli {

/// Progress that can be stopped and, with `print`, prints each percent of the work on stderr.
[[nodiscard]] Progress progressLine(std::stop_token stop, bool print, std::string what);

} // namespace tilewright::cli
