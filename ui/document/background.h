// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace tilewright::ui {

/// Lets the calling worker thread stand back, from now on, where the window or an evaluation that it waits
/// for need the processor. Does nothing where the system has no such thing.
void standBack();

} // namespace tilewright::ui
