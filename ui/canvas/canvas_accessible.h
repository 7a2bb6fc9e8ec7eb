// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace tilewright::ui {

/// Makes every Canvas appear to assistive technology as a table: the rows of View::tableText(), beside the
/// controls it has. Done once, by the first canvas.
void installCanvasAccessibility();

} // namespace tilewright::ui
