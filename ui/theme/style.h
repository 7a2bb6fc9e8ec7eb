// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

class QStyle;

namespace tilewright::ui {

/// Fusion style with visible check boxes on dark panels (Fusion draws their frames darker than the window).
/// `reduceMotion`: disables the animations of the style.
[[nodiscard]] QStyle* makeStyle(bool reduceMotion = false);

/// Size of toolbar icons in pixels for the present font: 20 for usual fonts.
[[nodiscard]] int toolIconSize();

} // namespace tilewright::ui
