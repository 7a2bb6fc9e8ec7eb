// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "eval/lower_bound.h"

#include <string>

namespace tilewright {

/// The document of `bound --json`: {"lower_bound", "compute", "memory", "parts": [...]}.
[[nodiscard]] std::string boundJson(const LowerBound& bound);

} // namespace tilewright
