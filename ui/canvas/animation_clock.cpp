// SPDX-License-Identifier: GPL-3.0-or-later
#include "canvas/animation_clock.h"

namespace tilewright::ui {

AnimationClock::AnimationClock(QObject* parent) : QObject(parent)
{
    m_timer.setInterval(16);
    connect(&m_timer, &QTimer::timeout, this, [this] {
        Q_EMIT tick(static_cast<double>(m_elapsed.nsecsElapsed()) * 1e-9), m_elapsed.restart();
    });
}

void AnimationClock::start(QObject* client)
{
    if (!m_clients.insert(client).second)
        return;
    connect(client, &QObject::destroyed, this, &AnimationClock::stop);
    if (!m_timer.isActive()) {
        m_elapsed.start();
        m_timer.start();
    }
}

void AnimationClock::stop(QObject* client)
{
    if (m_clients.erase(client) == 0)
        return;
    disconnect(client, &QObject::destroyed, this, &AnimationClock::stop);
    if (m_clients.empty())
        m_timer.stop();
}

} // namespace tilewright::ui
