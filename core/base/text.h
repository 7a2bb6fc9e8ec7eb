// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <concepts>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace tilewright {

// Numbers for files and exact copies: plain text that can be read back, independent of the locale.

/// Returns the shortest decimal text that reads back as the same double.
[[nodiscard]] std::string formatNumber(double value);
[[nodiscard]] std::string formatNumber(std::int64_t value);
/// Appends the number to `out`. Faster than formatNumber() for millions of numbers.
void appendNumber(std::string& out, std::int64_t value);

/// Returns one CSV field, with quotes if necessary. A text that a spreadsheet would take for a formula (it
/// begins with "=", "+", "-" or "@" and is not a number) gets an apostrophe before it.
[[nodiscard]] std::string csvField(std::string_view text);

/// Returns a text in quotes, so that the shells bash, zsh and sh read it as one word.
[[nodiscard]] std::string shellQuoted(std::string_view text);
/// Like shellQuoted(), but without quotes if the text needs none. Used for hints that people read.
[[nodiscard]] std::string shellWord(std::string_view text);

// Numbers for the user: one format for window, report, command line and messages (docs/design.md 4.7). Narrow
// no-break spaces separate groups of three digits, the minus sign is U+2212, "–" means not a number, and
// halves are rounded to even.

/// Number with at most one decimal ("12 345.6"); with an exponent from 10^15 on.
[[nodiscard]] std::string formatGrouped(double value);
[[nodiscard]] std::string formatGrouped(std::int64_t value);
[[nodiscard]] std::string formatGrouped(std::integral auto value)
{
    return formatGrouped(static_cast<std::int64_t>(value));
}
/// Number with a fixed number of decimals ("1 234.50"), for columns and for values that change while they are
/// shown.
[[nodiscard]] std::string fixedNumber(double value, int decimals);
/// Number with the given number of significant digits, but always with all digits before the decimal point
/// ("0.0123", "1.23", "12 345").
[[nodiscard]] std::string significantNumber(double value, int digits = 3);
/// Number with three significant digits and a suffix ("12.3k", "4.56M"), for axes and badges.
[[nodiscard]] std::string shortNumber(double value);
/// Number in scientific notation ("1.234 × 10⁸"), for values of very different magnitude.
[[nodiscard]] std::string scientific(double value, int decimals = 3);
/// Integer in superscript digits, for example "⁻¹²".
[[nodiscard]] std::string superscript(int value);
/// Percentage of a fraction, for example "12.4 %" with a no-break space.
[[nodiscard]] std::string percent(double fraction, int decimals = 1);
/// Number with sign ("+12.5", "−3 276.8"); "±0" only if the value is exactly 0.
[[nodiscard]] std::string signedNumber(double value);
/// Percentage with sign, for example "−12.4 %".
[[nodiscard]] std::string signedPercent(double fraction);
/// Number of bytes with a unit: "512 B", "1.5 KiB", "12 345.6 PiB".
[[nodiscard]] std::string bytesText(std::int64_t bytes);
/// Duration with a unit: "11.7 µs", "0.52 ms", "1.25 s".
[[nodiscard]] std::string secondsText(double seconds);

/// Returns the known word that was probably meant. It differs from `word` only in upper case and separators,
/// or in one or two characters. Empty if there is none.
[[nodiscard]] std::string_view similarWord(std::string_view word, std::span<const std::string_view> known);

} // namespace tilewright
