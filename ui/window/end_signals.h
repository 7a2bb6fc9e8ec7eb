// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>

#include <functional>

namespace tilewright::ui {

/// Turns SIGTERM, SIGHUP and SIGINT into a call on the event loop, so that the program can save before it
/// ends. A second signal of the same kind ends the program at once. A signal that was ignored when the
/// program started (nohup) stays ignored. At most one object may exist at a time.
class EndSignals : public QObject
{
public:
    explicit EndSignals(std::function<void(int signal)> caught);
    ~EndSignals() override;
};

} // namespace tilewright::ui
