// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include <cstdint>

namespace tilewright::ui {

/// For the screen: thin spaces between groups, at most one decimal ("12 345.6"); docs/design.md 4.7.
[[nodiscard]] QString number(double value);
[[nodiscard]] QString number(std::int64_t value);
/// Everything there is, for tooltips and the clipboard ("12345.678901").
[[nodiscard]] QString exactNumber(double value);
/// Three significant digits with a suffix, for axes and badges ("12.3k", "4.56M").
[[nodiscard]] QString shortNumber(double value);
/// With sign ("+12.5", "−3 276.8"), "±0" for no change.
[[nodiscard]] QString signedNumber(double value);
/// "−12.4 %"
[[nodiscard]] QString signedPercent(double fraction);
[[nodiscard]] QString percent(double fraction);
/// "1 step", "12 345 steps"; `one` and `many` are the words.
[[nodiscard]] QString counted(std::int64_t n, const QString& one, const QString& many);

} // namespace tilewright::ui
