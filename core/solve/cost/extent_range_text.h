// SPDX-License-Identifier: GPL-3.0-or-later
// A range of tile sizes as text: "64", "16 to 128", "at least 16", "at most 128".
#pragma once

#include "base/result.h"
#include "solve/cost/constraints.h"

#include <string>
#include <string_view>

namespace tilewright {

/// Returns the text of a range that has at least one limit.
[[nodiscard]] std::string extentRangeText(const ExtentRange& range);
/// Reads a range that the user typed, in the form of extentRangeText() and without spaces around it. The
/// sizes may have every form that readInteger() accepts. An empty text is a range without limits. The Error
/// is a sentence that quotes the text.
[[nodiscard]] Result<ExtentRange> readExtentRange(std::string_view text);

} // namespace tilewright
