// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include <cstdint>
#include <string>

namespace tilewright {
enum class Bound : std::uint8_t;
}

namespace tilewright::ui {

/// Translates a text, for code outside of QObject classes.
[[nodiscard]] QString tr(const char* text);

/// Text of a grid of tiles: "3 × 4 tiles", "1 tile".
[[nodiscard]] QString tilesText(std::int64_t rows, std::int64_t cols);

/// Text of a bound: "compute-bound", "memory-bound", "balanced".
[[nodiscard]] QString boundText(Bound bound);
/// Sign of a bound, as paintBoundMark() draws it: "△", "▽", "◇".
[[nodiscard]] QString boundSign(Bound bound);

/// Protects thin spaces in the numbers of rich text: Qt would replace them by normal spaces that can break.
[[nodiscard]] QString rich(QString html);

/// Text that may contain names, for a tooltip or label: Qt would interpret a name that looks like markup.
/// Other texts are unchanged.
[[nodiscard]] QString plain(const QString& text);

/// Message of the core library for the window: formats its numbers like number().
[[nodiscard]] QString sentence(const QString& text);
[[nodiscard]] QString sentence(const std::string& text);
/// sentence() with a capital letter at the beginning and a full stop at the end.
[[nodiscard]] QString wholeSentence(const std::string& text);

} // namespace tilewright::ui
