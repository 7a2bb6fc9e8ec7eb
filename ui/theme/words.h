// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include <cstdint>
#include <string>

namespace tilewright {
enum class Bound : std::uint8_t;
}

namespace tilewright::ui {

/// Text for the screen outside a QObject, whose own tr() it stands for.
[[nodiscard]] QString tr(const char* text);

/// "3 × 4 tiles", "1 tile".
[[nodiscard]] QString tilesText(std::int64_t rows, std::int64_t cols);

/// "compute-bound", "memory-bound", "balanced".
[[nodiscard]] QString boundText(Bound bound);
/// "△", "▽", "◇": the shape of the bound's mark.
[[nodiscard]] QString boundSign(Bound bound);

/// Keeps the thin spaces inside the numbers of rich text, which Qt would turn into wide ones that break.
[[nodiscard]] QString rich(QString html);

/// A sentence of the core for the screen: its numbers in the style of number(), its words as they are.
[[nodiscard]] QString sentence(const QString& text);
[[nodiscard]] QString sentence(const std::string& text);
/// The same of a note that stands alone: with a capital letter and a full stop.
[[nodiscard]] QString wholeSentence(const std::string& text);

} // namespace tilewright::ui
