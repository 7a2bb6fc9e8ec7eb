// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

class QStyle;

namespace tilewright::ui {

/// Fusion with check boxes that can be seen on dark panels (Fusion draws their frame darker than the window).
[[nodiscard]] QStyle* makeStyle();

} // namespace tilewright::ui
