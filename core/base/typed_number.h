// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace tilewright {

/// The separators of the user's locale. By default those of C and of English.
struct NumberStyle
{
    std::string decimal = ".";
    std::string group = ",";
};

/// Reads a number that the user typed into a field.
///
/// `unit` is the unit of the field: "GHz", "B", "KiB", "GB/s", "s", "pJ", "B/cycle", "cycles", "%", "pt" or
/// empty for a plain number. Another unit of the same quantity is converted ("500 MHz" in a field of GHz is
/// 0.5). A plain number and bytes may have a prefix alone: k is 1,000 and Ki is 1,024.
///
/// Accepted: "1500", "1 500", "1'500", "1e3", "1.5 × 10⁶", "½", "2 ½", signs, and the separators of C and of
/// `style`. A text that has different values with the two sets of separators is refused with both values, and
/// so is a unit with two meanings. The Error is a sentence that quotes the text.
[[nodiscard]] Result<double> readNumber(std::string_view text, std::string_view unit = {},
                                        const NumberStyle& style = {});
/// Same as above for a whole number.
[[nodiscard]] Result<std::int64_t> readInteger(std::string_view text, std::string_view unit = {},
                                               const NumberStyle& style = {});

/// A text of the user for a message: in quotes, on one line, at most 40 characters.
[[nodiscard]] std::string quotedExcerpt(std::string_view text);

} // namespace tilewright
