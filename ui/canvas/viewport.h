// SPDX-License-Identifier: GPL-3.0-or-later
// The visible part of a painted view: transformation, history, scroll bar.
#pragma once

#include <QPointF>
#include <QRectF>
#include <QScrollBar>
#include <QTransform>

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

namespace tilewright::ui {

/// Transformation between scene and screen of a 2-D view: screen = scene * scale + offset.
struct Viewport
{
    double scale = 1;
    QPointF offset;

    [[nodiscard]] QPointF toScreen(QPointF p) const { return p * scale + offset; }
    [[nodiscard]] QRectF toScreen(const QRectF& r) const { return {toScreen(r.topLeft()), r.size() * scale}; }
    [[nodiscard]] QPointF toScene(QPointF p) const { return (p - offset) / scale; }
    [[nodiscard]] QRectF toScene(const QRectF& r) const { return {toScene(r.topLeft()), r.size() / scale}; }
    [[nodiscard]] QTransform transform() const { return {scale, 0, 0, scale, offset.x(), offset.y()}; }

    /// Returns a zoomed viewport in which the scene point at `anchor` (screen coordinates) keeps its
    /// position.
    [[nodiscard]] Viewport zoomed(double factor, QPointF anchor, double minScale, double maxScale) const
    {
        const double next = std::clamp(scale * factor, minScale, maxScale);
        return {next, anchor - toScene(anchor) * next};
    }
    [[nodiscard]] Viewport panned(QPointF by) const { return {scale, offset + by}; }

    /// Returns the viewport that shows all of `scene` in `screen` with a margin; its scale is at most
    /// `maxScale`.
    [[nodiscard]] static Viewport fit(const QRectF& scene, const QRectF& screen, double margin,
                                      double maxScale)
    {
        if (scene.isEmpty() || screen.width() <= 2 * margin || screen.height() <= 2 * margin)
            return {1, screen.center() - scene.center()};
        const double s = std::min({(screen.width() - 2 * margin) / scene.width(),
                                   (screen.height() - 2 * margin) / scene.height(), maxScale});
        return {s, screen.center() - scene.center() * s};
    }
    /// Returns the viewport that shows `part` of the scene in `screen`: the inverse of toScene(screen), for
    /// any size of the screen.
    [[nodiscard]] static Viewport showing(const QRectF& part, const QRectF& screen)
    {
        if (part.isEmpty() || screen.isEmpty())
            return {1, screen.center() - part.center()};
        const double s = std::min(screen.width() / part.width(), screen.height() / part.height());
        return {s, screen.center() - part.center() * s};
    }
    bool operator==(const Viewport&) const = default;
};

/// Zoom history of a view, with stacks for back and forward (docs/design.md 4.4). An entry is the visible
/// part: a rectangle in the view's own coordinates, or the null rectangle for everything.
class ZoomHistory
{
public:
    /// Kind of input that changed the visible part. Consecutive wheel turns or keys make one entry.
    enum class Gesture { Wheel, Keys, Drag, Command };

    /// Records that the view leaves `part`. `now`: time in milliseconds.
    void leave(const QRectF& part, Gesture gesture, qint64 now);
    /// Goes back from the part `here`. Returns the part to show; nothing if the history is at its start.
    [[nodiscard]] std::optional<QRectF> back(const QRectF& here);
    [[nodiscard]] std::optional<QRectF> forward(const QRectF& here);
    [[nodiscard]] bool canGoBack() const { return !m_back.empty(); }
    [[nodiscard]] bool canGoForward() const { return !m_forward.empty(); }
    void clear();

private:
    std::vector<QRectF> m_back, m_forward;
    std::optional<Gesture>
        /// Kind and time of the last input; empty after going back or forward, so that the next input makes a
        /// new entry.
        m_last;
    qint64 m_lastAt = 0;
};

/// Scroll bar of a list that is painted in a canvas; hidden while everything fits.
class ListScroll : public QScrollBar
{
public:
    ListScroll(const QString& name, QWidget* parent) : QScrollBar(Qt::Vertical, parent)
    {
        setAccessibleName(name);
        setSingleStep(24);
        hide();
    }
    /// Places the scroll bar. `list`: visible area of the list; `content`: height of all its lines.
    void place(const QRectF& list, double content)
    {
        const double hidden = list.isEmpty() ? 0 : content - list.height();
        setRange(0, hidden > 1 ? static_cast<int>(std::ceil(hidden)) : 0);
        setPageStep(std::max(1, static_cast<int>(list.height())));
        const int w = sizeHint().width();
        setGeometry(static_cast<int>(std::floor(list.right())) - w - kFocusRing,
                    static_cast<int>(std::ceil(list.top())), w, static_cast<int>(list.height()) - kFocusRing);
        setVisible(hidden > 1);
    }
    /// Width of the bar if the content does not fit; otherwise 0.
    [[nodiscard]] double widthFor(const QRectF& list, double content) const
    {
        return content - list.height() > 1 ? sizeHint().width() + kFocusRing : 0;
    }
    /// Scrolls as little as possible to make [top, bottom) of the content visible.
    void reveal(double top, double bottom)
    {
        if (top < value())
            setValue(static_cast<int>(top));
        else if (bottom > value() + pageStep())
            setValue(static_cast<int>(std::ceil(bottom)) - pageStep());
    }

private:
    static constexpr int kFocusRing =
        2; ///< width in pixels of the canvas's focus ring, which the scroll bar must not cover
};

} // namespace tilewright::ui
