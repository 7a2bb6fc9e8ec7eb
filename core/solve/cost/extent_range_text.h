// SPDX-License-Identifier: GPL-3.0-or-later
// A range of tile sizes as text: "64", "16 to 128", "at least 16", "at most 128".
#pragma once

#include "base/result.h"
#include "solve/cost/constraints.h"

#include <string>
#include <string_view>

namespace tilewright {

/// The text of a range that is not free.
[[nodiscard]] std::string extentRangeText(const ExtentRange& range);
/// Reads a range that the user typed, without spaces around it: as extentRangeText() writes it, with sizes as
/// readInteger() reads them; an empty text is a free range. The Error is a sentence that quotes the text.
[[nodiscard]] Result<ExtentRange> readExtentRange(std::string_view text);

} // namespace tilewright
