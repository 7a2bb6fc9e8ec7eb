// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "theme/number.h"

#include <QStringList>

#include <concepts>
#include <optional>
#include <string_view>

namespace tilewright::ui {

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
