// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

class QStyle;

namespace tilewright::ui {

/// Fusion with check boxes that can be seen on dark panels (Fusion draws their frame darker than the window).
/// `reduceMotion`: nothing that asks the style animates.
[[nodiscard]] QStyle* makeStyle(bool reduceMotion = false);

/// Side of the icons of tool bars for the font in force: 20 pixels at usual sizes.
[[nodiscard]] int toolIconSize();

} // namespace tilewright::ui
