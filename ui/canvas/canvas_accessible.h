// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace tilewright::ui {

/// Presents every Canvas to assistive technology as a table with the rows of View::tableText(), plus its
/// child controls. Called once, by the first canvas.
void installCanvasAccessibility();

} // namespace tilewright::ui
