// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QRectF>

#include <optional>
#include <vector>

namespace tilewright::ui {

/// Zoom history of a view with stacks for back and forward (docs/design.md 4.4). A part is a rectangle in the
/// view's own coordinates; the null rectangle means everything.
class ZoomHistory
{
public:
    /// Kind of input that changed the visible part. Consecutive wheel turns or keys make one entry.
    enum class Gesture { Wheel, Keys, Drag, Command };

    /// Records that the view leaves `part`. `now`: time in milliseconds.
    void leave(const QRectF& part, Gesture gesture, qint64 now);
    /// Goes back from `here`. Returns the part to show; nothing if there is none.
    [[nodiscard]] std::optional<QRectF> back(const QRectF& here);
    [[nodiscard]] std::optional<QRectF> forward(const QRectF& here);
    [[nodiscard]] bool canGoBack() const { return !m_back.empty(); }
    [[nodiscard]] bool canGoForward() const { return !m_forward.empty(); }
    void clear();

private:
    std::vector<QRectF> m_back, m_forward;
    std::optional<Gesture>
        m_last; ///< last input; empty after going back or forward, so that the next input makes a new entry
    qint64 m_lastAt = 0;
};

} // namespace tilewright::ui
