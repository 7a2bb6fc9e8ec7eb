// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <QTimer>

#include <set>

namespace tilewright::ui {

/// The one timer of all playing views: ticks at 60 Hz while any visible view has asked for it. Playback is
/// always "state at time t", so a tick only says how much time went by.
class AnimationClock : public QObject
{
    Q_OBJECT
public:
    explicit AnimationClock(QObject* parent = nullptr);
    void start(QObject* client);
    void stop(QObject* client);
    [[nodiscard]] bool isRunning(QObject* client) const { return m_clients.count(client) > 0; }

Q_SIGNALS:
    void tick(double seconds); ///< since the previous tick

private:
    QTimer m_timer;
    QElapsedTimer m_elapsed;
    std::set<QObject*> m_clients;
};

} // namespace tilewright::ui
