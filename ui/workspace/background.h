// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

class QThreadPool;

namespace tilewright::ui {

/// Where background work runs. Not Qt's global pool: Qt paints large translucent areas there and waits for
/// it, so that a picture would wait until a long job is done.
[[nodiscard]] QThreadPool* backgroundPool();

/// Lets the calling worker thread stand back, from now on, where the window or an evaluation that it waits
/// for need the processor. Does nothing where the system has no such thing.
void standBack();

} // namespace tilewright::ui
