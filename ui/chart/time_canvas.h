// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "canvas/control_bar.h"
#include "chart/axis.h"

#include <optional>
#include <utility>

namespace tilewright::ui {

/// Base of charts over time. The visible range is changed by W/S/A/D, by the wheel and by an overview strip
/// with handles; dragging measures. Subclasses draw the content.
class TimeCanvas : public ToolCanvas
{
    Q_OBJECT
public:
    using Range = std::pair<double, double>;
    /// Effect of dragging in the plot. With MovesCursor, dragging measures if Shift is held.
    enum class Dragging { Measures, MovesCursor };
    TimeCanvas(const ViewContext& context, QString name, QString title, Dragging dragging,
               QWidget* parent = nullptr);

    void zoomBy(double factor, QPointF anchor) override;
    void panBy(QPointF pixels) override;
    void fitAll() override;
    [[nodiscard]] std::optional<QRectF> shownPart() const override;
    void showPart(const QRectF& part) override;

    [[nodiscard]] Range visibleRange() const { return m_range.pair(); }
    /// Measured range with ascending ends.
    [[nodiscard]] const std::optional<Range>& measured() const { return m_measured; }
    void setMeasured(std::optional<Range> range);

protected:
    static constexpr double kDragPixels = 4; ///< a smaller movement of the mouse is a click
    struct Places
    {
        QRectF plot; ///< area of the plot, whose width is the time axis; empty if there is nothing to show
        QRectF overview; ///< area of the overview strip; empty if there is no room
    };
    [[nodiscard]] virtual Places timePlaces() const = 0;
    [[nodiscard]] virtual double shortestRange() const { return m_range.total() * 1e-9; }
    /// Time to which the end of a measured range snaps, unless Alt is held.
    [[nodiscard]] virtual double snapped(double time) const { return time; }
    /// Time about which keys zoom if the mouse is not over the plot.
    [[nodiscard]] virtual std::optional<double> pinnedTime() const { return std::nullopt; }
    virtual void clicked(QPointF position, double time) = 0;
    virtual void hovered(QPointF position) = 0;
    virtual void measuredChanged() {}

    virtual void cursorDragged(double time) { Q_UNUSED(time) }

    [[nodiscard]] Axis timeAxis() const;
    void setRange(double from, double to);
    /// Sets the end of the time axis. The visible range is kept, unless it was everything or lies beyond the
    /// new end.
    void setTotal(double total);
    /// Makes the next setTotal() show everything.
    void forgetRange()
    {
        m_range = {};
        m_wanted = {};
    }
    /// Scrolls to a time if it is not visible.
    void reveal(double time);
    /// Zooms to the measured range. False if there is none.
    bool fitMeasured();
    [[nodiscard]] const std::optional<double>& hoverTime() const { return m_hover; }
    [[nodiscard]] QPointF pressedAt() const { return m_pressed; }
    /// Point about which keys zoom: the mouse, otherwise pinnedTime(), otherwise the centre of the plot.
    [[nodiscard]] QPointF keyAnchor() const override;

    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;

private:
    enum class Drag { None, Plot, Scrub, Range, Left, Right };
    [[nodiscard]] Axis wholeAxis(const QRectF& overview) const;

    TimeAxis m_range;
    QRectF m_wanted; ///< part given to showPart() before setTotal(); applied by setTotal()
    std::optional<Range> m_measured;
    std::optional<double> m_hover;
    Drag m_drag = Drag::None;
    Dragging m_dragging;
    QPointF m_pressed;
    double m_pressedTime = 0;
    double m_grabOffset = 0;
};

/// Paints the visible range into an overview strip, with handles at its ends; the rest of the strip is
/// dimmed.
void paintVisibleRange(QPainter& painter, const QRectF& strip, double total, const Axis& visible,
                       const Theme& theme);
/// Paints a measured range over the plot. `text`: shown in a box at its top; may be empty.
void paintMeasured(QPainter& painter, const QRectF& plot, const Axis& time, const TimeCanvas::Range& range,
                   const QString& text, const Theme& theme);

} // namespace tilewright::ui
