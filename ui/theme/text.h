// SPDX-License-Identifier: GPL-3.0-or-later
// Texts of the window: numbers, words, rows of cells.
#pragma once

#include <QString>
#include <QStringList>

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

namespace tilewright {
enum class Bound : std::uint8_t;
}

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
/// An energy with four digits and a suitable unit, from pJ to J.
[[nodiscard]] QString energyText(double picojoules);
/// Scientific notation: "1.234 × 10⁸".
[[nodiscard]] QString scientific(double value);
[[nodiscard]] QString superscript(int value);
/// Number with sign: "+12.5", "−3 276.8"; "±0" for no change.
[[nodiscard]] QString signedNumber(double value);
/// Returns after − before, or 0 if the difference is only a rounding error of sums (R10.3).
[[nodiscard]] double change(double before, double after);
/// Fraction as percentage with sign: "−12.4 %".
[[nodiscard]] QString signedPercent(double fraction);
[[nodiscard]] QString percent(double fraction);
/// Time with a suitable unit: "0.52 ms", "1.25 s".
[[nodiscard]] QString secondsText(double seconds);
/// Progress of a computation: "52.0 %, about 3 s left". The estimate appears after half a second. `seconds`:
/// elapsed time.
[[nodiscard]] QString progressText(double fraction, double seconds);
/// Sizes with signs between them: "1 024 × 64 × 8".
[[nodiscard]] QString sizeText(std::initializer_list<std::int64_t> sizes,
                               const QString& times = QStringLiteral(" × "));
/// Number of bytes with a suitable unit: "512 B", "1.5 KiB".
[[nodiscard]] QString bytesText(std::int64_t bytes);
/// Removes grouping and typographic signs from all numbers in a text, for the clipboard.
[[nodiscard]] QString plainNumbers(QString text);
/// Number with a noun: "1 step", "12 345 steps". `one` and `many`: singular and plural of the noun.
[[nodiscard]] QString counted(std::int64_t n, const QString& one, const QString& many);

/// Translates a text, for code outside of QObject classes.
[[nodiscard]] QString tr(const char* text);

/// Text of a grid of tiles: "3 × 4 tiles", "1 tile".
[[nodiscard]] QString tilesText(std::int64_t rows, std::int64_t cols);

/// Text of a bound: "compute-bound", "memory-bound", "balanced".
[[nodiscard]] QString boundText(Bound bound);
/// Sign of a bound, as paintBoundMark() draws it: "△", "▽", "◇".
[[nodiscard]] QString boundSign(Bound bound);

/// Replaces thin spaces in the numbers of rich text by an entity: Qt would turn them into normal spaces, at
/// which lines can break.
[[nodiscard]] QString rich(QString html);

/// Escapes a text that may contain names, for a tooltip or label: Qt would interpret a name that looks like
/// markup. Texts that do not look like markup are unchanged.
[[nodiscard]] QString plain(const QString& text);

/// Converts a message of the core library for the window: its numbers are formatted as by number().
[[nodiscard]] QString sentence(const QString& text);
[[nodiscard]] QString sentence(const std::string& text);
/// sentence() with a capital letter at the beginning and a full stop at the end.
[[nodiscard]] QString wholeSentence(const std::string& text);

/// Converts a word of the core library (kind, code, level) to QString.
[[nodiscard]] inline QString word(std::string_view text)
{
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

// Converts a value to the text of a copied cell; numbers have full precision.
[[nodiscard]] inline QString cellText(const QString& text)
{
    return text;
}
[[nodiscard]] inline QString cellText(std::string_view text)
{
    return word(text);
}
[[nodiscard]] inline QString cellText(double value)
{
    return exactNumber(value);
}
template <std::integral Number> [[nodiscard]] QString cellText(Number value)
{
    return QString::number(value);
}
template <typename Value> [[nodiscard]] QString cellText(const std::optional<Value>& value)
{
    return value ? cellText(*value) : QString();
}

/// Joins cells into one line of tab-separated text.
[[nodiscard]] inline QString textRow(const QStringList& cells)
{
    return cells.join(QLatin1Char('\t')) + QLatin1Char('\n');
}
template <typename... Cells> [[nodiscard]] QString textRow(const Cells&... cells)
{
    return textRow(QStringList{cellText(cells)...});
}

} // namespace tilewright::ui
