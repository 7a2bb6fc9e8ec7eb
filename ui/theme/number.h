// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include <concepts>
#include <cstdint>
#include <initializer_list>

namespace tilewright::ui {

// Formats numbers for the window with the functions of core/base/text.h.

/// Grouped number with at most one decimal: "12 345.6".
[[nodiscard]] QString number(double value);
[[nodiscard]] QString number(std::int64_t value);
[[nodiscard]] QString number(std::integral auto value)
{
    return number(static_cast<std::int64_t>(value));
}
/// Number with full precision, for tooltips and the clipboard: "12345.678901".
[[nodiscard]] QString exactNumber(double value);
[[nodiscard]] QString fixedNumber(double value, int decimals);
[[nodiscard]] QString significantNumber(double value, int digits = 3);
/// Short number for axes and badges: "12.3k", "4.56M".
[[nodiscard]] QString shortNumber(double value);
/// Scientific notation: "1.234 × 10⁸".
[[nodiscard]] QString scientific(double value);
[[nodiscard]] QString superscript(int value);
/// Number with sign: "+12.5", "−3 276.8"; "±0" for no change.
[[nodiscard]] QString signedNumber(double value);
/// after − before; 0 if the difference is only a rounding error of sums (R10.3).
[[nodiscard]] double change(double before, double after);
/// Fraction as percentage with sign: "−12.4 %".
[[nodiscard]] QString signedPercent(double fraction);
[[nodiscard]] QString percent(double fraction);
/// Time with a suitable unit: "0.52 ms", "1.25 s".
[[nodiscard]] QString secondsText(double seconds);
/// Sizes with signs between them: "1 024 × 64 × 8".
[[nodiscard]] QString sizeText(std::initializer_list<std::int64_t> sizes,
                               const QString& times = QStringLiteral(" × "));
/// Number of bytes with a suitable unit: "512 B", "1.5 KiB".
[[nodiscard]] QString bytesText(std::int64_t bytes);
/// Removes grouping and typographic signs from all numbers in a text, for the clipboard.
[[nodiscard]] QString plainNumbers(QString text);
/// Number with a noun: "1 step", "12 345 steps". `one` and `many`: the noun in singular and plural.
[[nodiscard]] QString counted(std::int64_t n, const QString& one, const QString& many);

} // namespace tilewright::ui
