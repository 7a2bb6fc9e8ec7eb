// SPDX-License-Identifier: GPL-3.0-or-later
// Included from *_json.cpp files only, like json_reader.h.
#pragma once

#include "base/json_document.h"
#include "validation/comparison.h"

namespace tilewright::validation {

/// Returns the document of comparisonJson().
[[nodiscard]] Json jsonOf(const Comparison& comparison);

} // namespace tilewright::validation
