// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <QTimer>

#include <set>

namespace tilewright::ui {

/// Common timer of all views that play: ticks at 60 Hz while a visible view needs it. Views compute their
/// state from the time, so a tick only reports the elapsed time.
class AnimationClock : public QObject
{
    Q_OBJECT
public:
    explicit AnimationClock(QObject* parent = nullptr);
    void start(QObject* client);
    void stop(QObject* client);
    [[nodiscard]] bool isRunning(QObject* client) const { return m_clients.count(client) > 0; }

Q_SIGNALS:
    void tick(double seconds); ///< `seconds`: time since the previous tick

private:
    QTimer m_timer;
    QElapsedTimer m_elapsed;
    std::set<QObject*> m_clients;
};

} // namespace tilewright::ui
