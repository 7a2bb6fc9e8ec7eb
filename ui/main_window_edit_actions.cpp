// SPDX-License-Identifier: GPL-3.0-or-later
// Edits of the schedule on what is selected: fuse, split, move, recompute, retain ...
#include "main_window.h"

namespace tilewright::ui {

void MainWindow::createEditActions() {}

void MainWindow::refreshEditActions() {}

} // namespace tilewright::ui
