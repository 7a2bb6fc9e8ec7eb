// SPDX-License-Identifier: GPL-3.0-or-later
#include "chart/time_canvas.h"

#include <QMouseEvent>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace tilewright::ui {

namespace {
constexpr double kHandle = 6; // distance in pixels at which a range handle is grabbed
} // namespace

TimeCanvas::TimeCanvas(const ViewContext& context, QString name, QString title, Dragging dragging,
                       QWidget* parent)
    : ToolCanvas(context, std::move(name), std::move(title), parent), m_dragging(dragging)
{
    addTimeKeys();
    const bool shift = dragging == Dragging::MovesCursor;
    addGesture("measure", tr("Measure"),
               shift ? tr("Shift+drag (Alt: no snapping)") : tr("drag (Alt: no snapping)"),
               tr("Measure a range of time. {canvas.fitSelection|F} zooms to it, Escape removes it."));
    addGesture("overview", tr("Move or resize the visible range"), tr("drag the strip or its handles"),
               tr("The strip shows the whole time and the visible range."));
}

Axis TimeCanvas::timeAxis() const
{
    const QRectF plot = timePlaces().plot;
    return m_range.axis(plot.left(), plot.right());
}

Axis TimeCanvas::wholeAxis(const QRectF& overview) const
{
    return {0, m_range.total(), overview.left(), overview.right()};
}

// -- visible range ---------------------------------------------------------------------------------------

void TimeCanvas::setRange(double from, double to)
{
    m_range.set(from, to);
    update();
}

void TimeCanvas::setTotal(double total)
{
    m_range.setTotal(total, shortestRange());
    if (!m_wanted.isNull())
        showPart(std::exchange(m_wanted, {}));
    update();
}

std::optional<QRectF> TimeCanvas::shownPart() const
{
    return timePlaces().plot.isEmpty() ? std::nullopt : std::optional(m_range.part());
}

void TimeCanvas::showPart(const QRectF& part)
{
    if (timePlaces().plot.isEmpty())
        m_wanted = part; // the next setTotal() applies the part
    else
        m_range.show(part);
    update();
}

void TimeCanvas::reveal(double time)
{
    m_range.reveal(time, time);
    update();
}

void TimeCanvas::zoomBy(double factor, QPointF anchor)
{
    if (timePlaces().plot.isEmpty())
        return;
    const Axis a = timeAxis();
    m_range.zoom(factor, a.toValue(std::clamp(anchor.x(), a.p0, a.p1)));
    update();
}

void TimeCanvas::panBy(QPointF pixels)
{
    const QRectF plot = timePlaces().plot;
    if (plot.isEmpty())
        return;
    m_range.pan(-pixels.x() / plot.width() * m_range.span());
    update();
}

void TimeCanvas::fitAll()
{
    m_range.fit();
    update();
}

bool TimeCanvas::fitMeasured()
{
    if (!m_measured)
        return false;
    const auto [from, to] = *m_measured;
    setMeasured(std::nullopt);
    setRange(from, to);
    return true;
}

void TimeCanvas::setMeasured(std::optional<Range> range)
{
    if (range && range->first > range->second)
        std::swap(range->first, range->second);
    if (range == m_measured)
        return;
    m_measured = range;
    measuredChanged();
    update();
}

// -- mouse and keys --------------------------------------------------------------------------------------

void TimeCanvas::mousePressEvent(QMouseEvent* event)
{
    ToolCanvas::mousePressEvent(event);
    m_pressed = event->position();
    m_drag = Drag::None;
    const Places p = timePlaces();
    if (event->button() != Qt::LeftButton || p.plot.isEmpty())
        return;
    if (p.plot.contains(m_pressed) && m_dragging == Dragging::MovesCursor &&
        !(event->modifiers() & Qt::ShiftModifier)) {
        m_drag = Drag::Scrub;
        setMeasured(std::nullopt);
        cursorDragged(timeAxis().toValue(m_pressed.x()));
    } else if (p.plot.contains(m_pressed)) {
        m_drag = Drag::Plot;
        m_pressedTime = timeAxis().toValue(m_pressed.x());
    } else if (p.overview.contains(m_pressed)) {
        const Axis whole = wholeAxis(p.overview);
        const double t = whole.toValue(m_pressed.x());
        if (std::abs(m_pressed.x() - whole.toPixel(m_range.from())) <= kHandle)
            m_drag = Drag::Left;
        else if (std::abs(m_pressed.x() - whole.toPixel(m_range.to())) <= kHandle)
            m_drag = Drag::Right;
        else {
            reveal(t);
            m_drag = Drag::Range;
        }
        m_grabOffset = t - m_range.from();
    }
}

void TimeCanvas::mouseMoveEvent(QMouseEvent* event)
{
    ToolCanvas::mouseMoveEvent(event);
    const Places p = timePlaces();
    if (p.plot.isEmpty())
        return;
    const double t = wholeAxis(p.overview).toValue(event->position().x());
    switch (m_drag) {
    case Drag::None:
        m_hover = p.plot.contains(event->position())
                      ? std::optional(timeAxis().toValue(event->position().x()))
                      : std::nullopt;
        if (!isPanning())
            setCursor(p.overview.contains(event->position()) ? Qt::SizeHorCursor : Qt::ArrowCursor);
        hovered(event->position());
        break;
    case Drag::Scrub:
        m_hover = timeAxis().toValue(event->position().x());
        cursorDragged(*m_hover);
        break;
    case Drag::Plot: {
        if (std::abs(event->position().x() - m_pressed.x()) < kDragPixels && !m_measured)
            return;
        double a = m_pressedTime;
        double b = std::clamp(timeAxis().toValue(event->position().x()), m_range.from(), m_range.to());
        if (!(event->modifiers() & Qt::AltModifier)) {
            a = snapped(a);
            b = snapped(b);
        }
        setMeasured(Range{a, b});
        break;
    }
    case Drag::Range:
        setRange(t - m_grabOffset, t - m_grabOffset + m_range.span());
        break;
    case Drag::Left:
        if (t < m_range.to())
            setRange(std::max(0.0, t), m_range.to());
        break;
    case Drag::Right:
        if (t > m_range.from())
            setRange(m_range.from(), std::min(t, m_range.total()));
        break;
    }
    update();
}

void TimeCanvas::mouseReleaseEvent(QMouseEvent* event)
{
    ToolCanvas::mouseReleaseEvent(event);
    if (event->button() != Qt::LeftButton)
        return;
    const Drag drag = std::exchange(m_drag, Drag::None);
    if (drag == Drag::Plot && std::abs(event->position().x() - m_pressed.x()) < kDragPixels) {
        setMeasured(std::nullopt);
        clicked(m_pressed, m_pressedTime);
    }
    update();
}

QPointF TimeCanvas::keyAnchor() const
{
    const QRectF plot = timePlaces().plot;
    for (const std::optional<double>& t : {m_hover, pinnedTime()})
        if (t && m_range.contains(*t))
            return {timeAxis().toPixel(*t), plot.center().y()};
    return plot.center();
}

void TimeCanvas::leaveEvent(QEvent* event)
{
    m_hover.reset();
    update();
    ToolCanvas::leaveEvent(event);
}

// -- painting --------------------------------------------------------------------------------------------

void paintVisibleRange(QPainter& painter, const QRectF& strip, double total, const Axis& visible,
                       const Theme& theme)
{
    const Axis whole{0, total, strip.left(), strip.right()};
    const QRectF range(QPointF(whole.toPixel(visible.v0), strip.top()),
                       QPointF(whole.toPixel(visible.v1), strip.bottom()));
    QColor outside = theme.canvas;
    outside.setAlphaF(0.65F);
    painter.fillRect(QRectF(strip.topLeft(), range.bottomLeft()), outside);
    painter.fillRect(QRectF(range.topRight(), strip.bottomRight()), outside);
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(theme.accent, 1.2));
    painter.drawRect(range.adjusted(0.5, 0.5, -0.5, -0.5));
    painter.setBrush(theme.accent);
    for (const double x : {range.left(), range.right()})
        painter.drawRoundedRect(
            QRectF(std::clamp(x - 2, strip.left(), std::max(strip.left(), strip.right() - 4)),
                   strip.center().y() - 7, 4, 14),
            2, 2);
}

void paintMeasured(QPainter& painter, const QRectF& plot, const Axis& time, const TimeCanvas::Range& range,
                   const QString& text, const Theme& theme)
{
    const double x0 = std::clamp(time.toPixel(range.first), plot.left(), std::max(plot.left(), plot.right()));
    const double x1 =
        std::clamp(time.toPixel(range.second), plot.left(), std::max(plot.left(), plot.right()));
    QColor veil = theme.accent;
    veil.setAlphaF(0.14F);
    painter.fillRect(QRectF(x0, plot.top(), x1 - x0, plot.height()), veil);
    painter.setPen(QPen(theme.accent, 1));
    for (const double x : {x0, x1})
        painter.drawLine(QPointF(x, plot.top()), QPointF(x, plot.bottom()));
    if (text.isEmpty())
        return;
    painter.setFont(uiFont(0.9));
    const QFontMetricsF fm(painter.font());
    const double w = fm.horizontalAdvance(text) + 16;
    QRectF box((x0 + x1 - w) / 2, plot.top() + 4, w, fm.height() + 6);
    box.moveLeft(std::clamp(box.left(), plot.left(), std::max(plot.left(), plot.right() - w)));
    painter.setPen(QPen(theme.outline, 1));
    painter.setBrush(theme.raised);
    painter.drawRoundedRect(box, 4, 4);
    painter.setPen(theme.text);
    painter.drawText(box, Qt::AlignCenter, text);
}

} // namespace tilewright::ui
