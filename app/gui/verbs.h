// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

class QApplication;

namespace tilewright::ui {

/// `tilewright render FILE… --view NAME --output FILE.png`: draws a view without a display.
int runRender(int argc, char** argv);
/// `tilewright report FILE… -o report.html`
int runReport(int argc, char** argv);

} // namespace tilewright::ui
