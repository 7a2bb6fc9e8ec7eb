// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace tilewright {

/// The separators of the user's locale. The defaults are those of C and English.
struct NumberStyle
{
    std::string decimal = ".";
    std::string group = ",";
};

/// Reads a number that the user typed into a field.
///
/// `unit` is the unit of the field: "GHz", "B", "KiB", "GB/s", "s", "pJ", "B/cycle", "cycles", "%", "pt" or
/// empty for a plain number. Another unit of the same quantity is converted ("500 MHz" in a field in GHz is
/// 0.5). A plain number or a number of bytes may have only a prefix: k is 1,000 and Ki is 1,024.
///
/// Accepted: "1500", "1 500", "1'500", "1e3", "1.5 × 10⁶", "½", "2 ½", signs, and the separators of C and of
/// `style`. If a text has different values with the two sets of separators, the Error states both values. A
/// unit with two meanings is refused, too. The Error is a sentence that quotes the text.
[[nodiscard]] Result<double> readNumber(std::string_view text, std::string_view unit = {},
                                        const NumberStyle& style = {});
/// Like readNumber(), for a whole number.
[[nodiscard]] Result<std::int64_t> readInteger(std::string_view text, std::string_view unit = {},
                                               const NumberStyle& style = {});

/// Text typed by the user, for a message: in quotes, on one line, at most 40 characters.
[[nodiscard]] std::string quotedExcerpt(std::string_view text);

} // namespace tilewright
