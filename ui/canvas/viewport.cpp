// SPDX-License-Identifier: GPL-3.0-or-later
#include "canvas/viewport.h"

namespace tilewright::ui {

namespace {
// Wheel turns that follow each other within this time make one entry of the history.
constexpr qint64 kTogetherMs = 700;
constexpr std::size_t kMost = 100;
} // namespace

void ZoomHistory::leave(const QRectF& part, Gesture gesture, qint64 now)
{
    const bool continues = m_last == gesture && (gesture == Gesture::Wheel || gesture == Gesture::Keys) &&
                           now - m_lastAt < kTogetherMs && !m_back.empty();
    m_last = gesture;
    m_lastAt = now;
    if (continues)
        return;
    m_forward.clear();
    if (m_back.size() == kMost)
        m_back.erase(m_back.begin());
    m_back.push_back(part);
}

namespace {

std::optional<QRectF> move(std::vector<QRectF>& from, std::vector<QRectF>& to, const QRectF& here)
{
    if (from.empty())
        return std::nullopt;
    const QRectF part = from.back();
    from.pop_back();
    to.push_back(here);
    return part;
}

} // namespace

std::optional<QRectF> ZoomHistory::back(const QRectF& here)
{
    m_last.reset();
    return move(m_back, m_forward, here);
}

std::optional<QRectF> ZoomHistory::forward(const QRectF& here)
{
    m_last.reset();
    return move(m_forward, m_back, here);
}

void ZoomHistory::clear()
{
    m_back.clear();
    m_forward.clear();
    m_last.reset();
}

} // namespace tilewright::ui
