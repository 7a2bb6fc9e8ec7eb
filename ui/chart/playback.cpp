// SPDX-License-Identifier: GPL-3.0-or-later
#include "chart/playback.h"

#include "canvas/animation_clock.h"

#include <algorithm>
#include <cmath>

namespace tilewright::ui {

Playback::Playback(AnimationClock& clock, Steps steps, QObject* parent)
    : QObject(parent), m_clock(clock), m_steps(std::move(steps))
{
    connect(&clock, &AnimationClock::tick, this, &Playback::tick);
}

void Playback::setPlaying(bool playing)
{
    if (playing == m_playing || (playing && m_steps.count() <= 0))
        return;
    if (playing && m_steps.at() >= m_steps.count() - 1)
        m_steps.show(0);
    m_playing = playing;
    m_at = static_cast<double>(m_steps.at());
    playing ? m_clock.start(this) : m_clock.stop(this);
    Q_EMIT playingChanged(playing);
}

void Playback::goTo(std::int64_t step)
{
    setPlaying(false);
    if (const std::int64_t count = m_steps.count(); count > 0)
        m_steps.show(std::clamp<std::int64_t>(step, 0, count - 1));
}

void Playback::moveBy(std::int64_t steps)
{
    goTo(m_steps.at() + steps);
}

void Playback::tick(double seconds)
{
    if (!m_playing)
        return;
    const std::int64_t count = m_steps.count();
    if (count <= 0)
        return; // the content is being recomputed
    const std::int64_t at = m_steps.at();
    if (static_cast<std::int64_t>(std::floor(m_at)) != at) // other code has changed the position
        m_at = static_cast<double>(at);
    m_at = std::min(static_cast<double>(count - 1),
                    m_at + seconds * (m_speed > 0 ? m_speed : static_cast<double>(count) / 10));
    if (const auto next = static_cast<std::int64_t>(std::floor(m_at)); next != at)
        m_steps.show(next);
    if (m_at >= static_cast<double>(count - 1))
        setPlaying(false);
}

} // namespace tilewright::ui
