// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "theme/number.h"

#include <QStringList>

#include <concepts>
#include <optional>
#include <string_view>

namespace tilewright::ui {

/// A word of the core (kinds, codes, levels).
[[nodiscard]] inline QString word(std::string_view text)
{
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

// A cell of a row that is copied: numbers with everything there is.
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

/// A row as tab-separated text.
[[nodiscard]] inline QString textRow(const QStringList& cells)
{
    return cells.join(QLatin1Char('\t')) + QLatin1Char('\n');
}
template <typename... Cells> [[nodiscard]] QString textRow(const Cells&... cells)
{
    return textRow(QStringList{cellText(cells)...});
}

} // namespace tilewright::ui
