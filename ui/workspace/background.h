// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

class QThreadPool;

namespace tilewright::ui {

/// Thread pool for background work. Not Qt's global pool: Qt paints large translucent areas in that pool, so
/// painting would wait for long jobs.
[[nodiscard]] QThreadPool* backgroundPool();

/// Lowers the priority of the calling worker thread below that of the window and of evaluations. Only on
/// Linux.
void standBack();

} // namespace tilewright::ui
