// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QRectF>

#include <optional>
#include <vector>

namespace tilewright::ui {

/// Where a view has looked before, and after going back: both stacks of the zoom history of one view
/// (docs/design.md 4.4). A part is a rectangle in the view's own coordinates; the null rectangle is
/// "everything".
class ZoomHistory
{
public:
    /// How a look was left. Turns of the wheel that follow one another are one look, and so are keys.
    enum class Gesture { Wheel, Keys, Drag, Command };

    /// The view moves on from `part`; `now` in milliseconds.
    void leave(const QRectF& part, Gesture gesture, qint64 now);
    /// The part to show instead of `here`; nothing when there is none.
    [[nodiscard]] std::optional<QRectF> back(const QRectF& here);
    [[nodiscard]] std::optional<QRectF> forward(const QRectF& here);
    [[nodiscard]] bool canGoBack() const { return !m_back.empty(); }
    [[nodiscard]] bool canGoForward() const { return !m_forward.empty(); }
    void clear();

private:
    std::vector<QRectF> m_back, m_forward;
    std::optional<Gesture> m_last; ///< nothing after going back or forward: the next gesture is a new look
    qint64 m_lastAt = 0;
};

} // namespace tilewright::ui
