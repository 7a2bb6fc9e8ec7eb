// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "canvas/control_bar.h"
#include "chart/axis.h"
#include "chart/time_axis.h"

#include <optional>
#include <utility>

namespace tilewright::ui {

/// Base of the views over time: the visible range with W/S/A/D, wheel and an overview strip with handles, and
/// measuring by dragging. What is drawn is the subclass's.
class TimeCanvas : public ToolCanvas
{
    Q_OBJECT
public:
    using Range = std::pair<double, double>;
    /// What dragging in the plot does; the cursor's views measure with Shift.
    enum class Dragging { Measures, MovesCursor };
    TimeCanvas(const ViewContext& context, QString name, QString title, Dragging dragging,
               QWidget* parent = nullptr);

    void zoomBy(double factor, QPointF anchor) override;
    void panBy(QPointF pixels) override;
    void fitAll() override;
    [[nodiscard]] std::optional<QRectF> shownPart() const override;
    void showPart(const QRectF& part) override;

    [[nodiscard]] Range visibleRange() const { return m_range.pair(); }
    /// The range that was dragged over, ascending.
    [[nodiscard]] const std::optional<Range>& measured() const { return m_measured; }
    void setMeasured(std::optional<Range> range);

protected:
    struct Places
    {
        QRectF plot; ///< takes the mouse; its width is the time axis. Empty while there is nothing to show
        QRectF overview; ///< empty when there is no room for it
    };
    [[nodiscard]] virtual Places timePlaces() const = 0;
    [[nodiscard]] virtual double shortestRange() const { return m_range.total() * 1e-9; }
    /// Where the end of a measured range goes unless Alt is held.
    [[nodiscard]] virtual double snapped(double time) const { return time; }
    /// The pinned time, about which the keys zoom when the mouse is elsewhere.
    [[nodiscard]] virtual std::optional<double> pinnedTime() const { return std::nullopt; }
    virtual void clicked(QPointF position, double time) = 0;
    virtual void hovered(QPointF position) = 0;
    virtual void measuredChanged() {}

    virtual void cursorDragged(double time) { Q_UNUSED(time) }

    [[nodiscard]] Axis timeAxis() const;
    void setRange(double from, double to);
    /// Another end of time: the visible part stays, unless it was everything or lies behind the end.
    void setTotal(double total);
    /// The next setTotal() shows everything.
    void forgetRange()
    {
        m_range = {};
        m_wanted = {};
    }
    /// Brings a time into sight.
    void reveal(double time);
    /// Zooms into the measured range; false without one.
    bool fitMeasured();
    [[nodiscard]] const std::optional<double>& hoverTime() const { return m_hover; }
    [[nodiscard]] QPointF pressedAt() const { return m_pressed; }
    /// Where keys act: at the mouse, at the pinned time, in the middle of the plot.
    [[nodiscard]] QPointF keyAnchor() const override;

    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;

private:
    enum class Drag { None, Plot, Scrub, Range, Left, Right };
    [[nodiscard]] Axis wholeAxis(const QRectF& overview) const;

    TimeAxis m_range;
    QRectF m_wanted; ///< asked for before there was anything to show
    std::optional<Range> m_measured;
    std::optional<double> m_hover;
    Drag m_drag = Drag::None;
    Dragging m_dragging;
    QPointF m_pressed;
    double m_pressedTime = 0;
    double m_grabOffset = 0;
};

/// The visible part of an overview strip, with its handles; the rest steps back.
void paintVisibleRange(QPainter& painter, const QRectF& strip, double total, const Axis& visible,
                       const Theme& theme);
/// A measured range over the plot, with `text` (may be empty) in a box at its top.
void paintMeasured(QPainter& painter, const QRectF& plot, const Axis& time, const TimeCanvas::Range& range,
                   const QString& text, const Theme& theme);

} // namespace tilewright::ui
