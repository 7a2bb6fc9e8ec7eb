// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

namespace tilewright {

// -- for files, and for exact copies: plain numbers that read back, never depending on the locale

/// Shortest decimal text that reads back as the same double.
[[nodiscard]] std::string formatNumber(double value);
[[nodiscard]] std::string formatNumber(std::int64_t value);
/// The same without a temporary text for each of millions.
void appendNumber(std::string& out, std::int64_t value);

/// One CSV field, quoted when it has to be.
[[nodiscard]] std::string csvField(std::string_view text);

// -- for people: the window, the report, the command line and messages write numbers alike (docs/design.md
// 4.7). Narrow spaces that never break stand between groups of three digits, the minus is a real one, "–"
// stands for what is no number, and halves of the last digit go to the even one.

/// With at most one decimal ("12 345.6"), powers of ten from 10^15 on.
[[nodiscard]] std::string formatGrouped(double value);
[[nodiscard]] std::string formatGrouped(std::int64_t value);
[[nodiscard]] std::string formatGrouped(std::integral auto value)
{
    return formatGrouped(static_cast<std::int64_t>(value));
}
/// With exactly so many decimals, for figures that run or stand in a column ("1 234.50").
[[nodiscard]] std::string fixedNumber(double value, int decimals);
/// With so many significant digits, but every digit before the point ("0.0123", "1.23", "12 345").
[[nodiscard]] std::string significantNumber(double value, int digits = 3);
/// Three significant digits with a suffix, for axes and badges ("12.3k", "4.56M").
[[nodiscard]] std::string shortNumber(double value);
/// "1.234 × 10⁸", for what spans many magnitudes.
[[nodiscard]] std::string scientific(double value, int decimals = 3);
/// "⁻¹²"
[[nodiscard]] std::string superscript(int value);
/// "12.4 %", the space never at the end of a line.
[[nodiscard]] std::string percent(double fraction, int decimals = 1);
/// With sign ("+12.5", "−3 276.8"), "±0" for no change; one too small for a decimal does not look like none.
[[nodiscard]] std::string signedNumber(double value);
/// "−12.4 %"
[[nodiscard]] std::string signedPercent(double fraction);
/// "512 B", "1.5 KiB", "12 345.6 PiB".
[[nodiscard]] std::string bytesText(std::int64_t bytes);
/// A duration: "11.7 µs", "0.52 ms", "1.25 s".
[[nodiscard]] std::string secondsText(double seconds);

} // namespace tilewright
