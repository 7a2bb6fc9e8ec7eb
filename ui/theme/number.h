// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include <concepts>
#include <cstdint>
#include <initializer_list>

namespace tilewright::ui {

// The number texts of core/base/text.h, which say how numbers are written, for the screen.

/// "12 345.6", at most one decimal.
[[nodiscard]] QString number(double value);
[[nodiscard]] QString number(std::int64_t value);
[[nodiscard]] QString number(std::integral auto value)
{
    return number(static_cast<std::int64_t>(value));
}
/// Everything there is, for tooltips and the clipboard ("12345.678901").
[[nodiscard]] QString exactNumber(double value);
[[nodiscard]] QString fixedNumber(double value, int decimals);
[[nodiscard]] QString significantNumber(double value, int digits = 3);
/// "12.3k", "4.56M", for axes and badges.
[[nodiscard]] QString shortNumber(double value);
/// "1.234 × 10⁸"
[[nodiscard]] QString scientific(double value);
[[nodiscard]] QString superscript(int value);
/// With sign ("+12.5", "−3 276.8"), "±0" for no change.
[[nodiscard]] QString signedNumber(double value);
/// after − before; 0 where only rounding tells them apart: equal sums of other summands (R10.3).
[[nodiscard]] double change(double before, double after);
/// "−12.4 %"
[[nodiscard]] QString signedPercent(double fraction);
[[nodiscard]] QString percent(double fraction);
/// "0.52 ms", "1.25 s"
[[nodiscard]] QString secondsText(double seconds);
/// "1 024 × 64 × 8"
[[nodiscard]] QString sizeText(std::initializer_list<std::int64_t> sizes,
                               const QString& times = QStringLiteral(" × "));
/// "512 B", "1.5 KiB"
[[nodiscard]] QString bytesText(std::int64_t bytes);
/// A text whose numbers a program can read: for the clipboard.
[[nodiscard]] QString plainNumbers(QString text);
/// "1 step", "12 345 steps"; `one` and `many` are the words.
[[nodiscard]] QString counted(std::int64_t n, const QString& one, const QString& many);

} // namespace tilewright::ui
