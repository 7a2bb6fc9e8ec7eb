// SPDX-License-Identifier: GPL-3.0-or-later
#include "chart/plot_canvas.h"

#include <QMouseEvent>
#include <QPainter>

namespace tilewright::ui {

namespace {

constexpr double kClick = 4; // a release within this distance in pixels is a click

/// Converts a visible part of one plot to the corresponding part of another plot.
QRectF inOtherPlot(const QRectF& part, const PlotModel& of, const PlotModel& other)
{
    const auto mapped = [](double v, const PlotAxis& from, const PlotAxis& to) {
        const double low = from.scaled(from.low);
        const double otherLow = to.scaled(to.low);
        return otherLow + (v - low) / (from.scaled(from.high) - low) * (to.scaled(to.high) - otherLow);
    };
    return {QPointF(mapped(part.left(), of.x, other.x), mapped(part.top(), of.y, other.y)),
            QPointF(mapped(part.right(), of.x, other.x), mapped(part.bottom(), of.y, other.y))};
}

} // namespace

PlotCanvas::PlotCanvas(const ViewContext& context, QString name, QString title, QWidget* parent)
    : ToolCanvas(context, std::move(name), std::move(title), parent)
{
    connect(&context.themes, &ThemeSource::changed, this, &PlotCanvas::outdatePlots);
    addGesture("measure", tr("Measure a range"), tr("drag (Alt: do not snap to points)"),
               tr("Drag to measure a range. {canvas.fitSelection|F} zooms to it, a click "
                  "removes it."));
}

const std::vector<PlotModel>& PlotCanvas::plots() const
{
    if (!m_fresh) {
        m_plots = hint().isEmpty() ? buildPlots(theme()) : std::vector<PlotModel>();
        m_fresh = true;
    }
    return m_plots;
}

void PlotCanvas::outdatePlots()
{
    m_fresh = false;
    update();
}

PlotFrame PlotCanvas::frameOf(const std::vector<PlotModel>& plots, std::size_t i, const QRectF& area,
                              bool whole) const
{
    const QRectF place = plotAreas(area).at(i);
    if (whole || m_part.isNull())
        return plotFrame(plots[i], place);
    return plotFrame(plots[i], place, i == 0 ? m_part : inOtherPlot(m_part, plots[0], plots[i]));
}

PlotFrame PlotCanvas::frame(std::size_t plot) const
{
    return plot < plots().size() ? frameOf(plots(), plot, contentArea(), false) : PlotFrame();
}

QString PlotCanvas::copyText() const
{
    QString out;
    for (const PlotModel& plot : plots())
        out += plotAsText(plot);
    return out;
}

// -- painting --------------------------------------------------------------------------------------------

void PlotCanvas::paintContent(QPainter& painter, const QRectF& area, const Theme& theme, bool exporting)
{
    if (const QString text = hint(); !text.isEmpty()) {
        paintEmptyHint(painter, area, text, theme);
        return;
    }
    const std::vector<PlotModel> own = exporting ? buildPlots(theme) : std::vector<PlotModel>();
    const std::vector<PlotModel>& all = exporting ? own : plots();
    for (std::size_t i = 0; i < all.size(); ++i) {
        const PlotFrame f = frameOf(all, i, area, exporting);
        paintPlot(painter, all[i], f, theme);
        if (exporting)
            continue;
        if (m_measured && m_measuredIn == i)
            paintPlotMeasure(painter, all[i], f, *m_measured, theme);
        else if (m_mouse && !isPanning())
            paintPlotReadout(painter, all[i], f, *m_mouse, theme);
        if (const auto id = hoveredMark())
            for (const PlotMark& m : all[i].marks)
                if (const QPointF at = f.toPixel(m.x, m.y); m.id == *id && f.plot.contains(at)) {
                    painter.setBrush(Qt::NoBrush);
                    painter.setPen(QPen(theme.text, 1.5));
                    painter.drawEllipse(at, m.radius + 4, m.radius + 4);
                }
    }
    paintBeside(painter, area, theme, exporting);
}

std::vector<PicturePart> PlotCanvas::partsIn(const QSize& size)
{
    if (!hint().isEmpty())
        return {};
    const std::vector<PlotModel> all = buildPlots(theme());
    std::vector<PicturePart> parts;
    for (std::size_t i = 0; i < all.size(); ++i) {
        const PlotFrame f = frameOf(all, i, QRectF(QPointF(0, 0), size), true);
        // Marks are searched from the last to the first, because the last one is on top.
        for (auto m = all[i].marks.rbegin(); m != all[i].marks.rend(); ++m)
            if (m->id >= 0) {
                const double reach = m->radius + 3;
                const QPointF at = f.toPixel(m->x, m->y);
                parts.push_back({QRectF(at - QPointF(reach, reach), QSizeF(2 * reach, 2 * reach)), keysOf(*m),
                                 markTooltip(*m)});
            }
    }
    return parts;
}

// -- zoom and pan ----------------------------------------------------------------------------------------

void PlotCanvas::zoomBy(double factor, QPointF anchor)
{
    if (plots().empty())
        return;
    // Keep the point under the mouse fixed, in whichever plot it is.
    const std::size_t i = plotAt(anchor).value_or(0);
    const QRectF part = zoomedPlotPart(plots()[i], frame(i), factor, anchor);
    m_part = i == 0 ? part : inOtherPlot(part, plots()[i], plots()[0]);
    update();
}

void PlotCanvas::panBy(QPointF pixels)
{
    if (plots().empty() || (m_part.isNull() && plots()[0].x.beyond <= 0))
        return;
    m_part = pannedPlotPart(plots()[0], frame(), pixels);
    update();
}

void PlotCanvas::fitAll()
{
    m_part = {};
    update();
}

QRectF PlotCanvas::selectedPart() const
{
    if (!m_measured || m_measured->isEmpty() || m_measuredIn >= plots().size())
        return chosenPart();
    return m_measuredIn == 0 ? *m_measured : inOtherPlot(*m_measured, plots()[m_measuredIn], plots()[0]);
}

std::optional<QRectF> PlotCanvas::shownPart() const
{
    if (plots().empty())
        return std::nullopt;
    return m_part;
}

void PlotCanvas::showPart(const QRectF& part)
{
    m_part = part.isEmpty() || plots().empty() ? QRectF() : plotPartInReach(plots()[0], part);
    update();
}

// -- mouse -----------------------------------------------------------------------------------------------

std::optional<std::size_t> PlotCanvas::plotAt(QPointF position) const
{
    for (std::size_t i = 0; i < plots().size(); ++i)
        if (frame(i).plot.adjusted(-60, -8, 14, 30).contains(position))
            return i;
    return std::nullopt;
}

const PlotMark* PlotCanvas::markAt(QPointF position) const
{
    for (std::size_t i = 0; i < plots().size(); ++i)
        if (const PlotMark* m = plotMarkAt(plots()[i], frame(i), position))
            return m;
    return nullptr;
}

const PlotMark* PlotCanvas::clickedMark(QPointF position) const
{
    for (std::size_t i = 0; i < plots().size(); ++i)
        if (const PlotMark* m = plotMarkAt(plots()[i], frame(i), position,
                                           plots()[i].clickOnMark ? PlotPick::Point : plots()[i].pick))
            return m;
    return nullptr;
}

QString PlotCanvas::tooltipAt(QPointF position) const
{
    const PlotMark* m = markAt(position);
    return m ? markTooltip(*m) : QString();
}

void PlotCanvas::markHovered(QPointF at, const PlotMark* mark)
{
    Q_UNUSED(at)
    m_hovered = mark ? std::optional(mark->id) : std::nullopt;
}

/// Extends the measured range to a position. `snap`: its ends snap to near marks.
void PlotCanvas::measureTo(QPointF position, bool snap)
{
    if (m_measuredIn >= plots().size())
        return; // the plot disappeared during the drag
    const PlotFrame f = frame(m_measuredIn);
    if (!f.plot.isValid())
        return; // the view became too small for a plot during the drag
    const PlotModel& plot = plots()[m_measuredIn];
    const auto value = [&](QPointF p) {
        if (const PlotMark* m = snap ? plotMarkAt(plot, f, p) : nullptr)
            return QPointF(plot.x.scaled(m->x), plot.y.scaled(m->y));
        const QPointF inside(std::clamp(p.x(), f.plot.left(), f.plot.right()),
                             std::clamp(p.y(), f.plot.top(), f.plot.bottom()));
        return QPointF(plot.x.scaled(f.x.toValue(inside.x())), plot.y.scaled(f.y.toValue(inside.y())));
    };
    m_measured = QRectF(value(*m_pressed), value(position)).normalized();
    update();
}

void PlotCanvas::mousePressEvent(QMouseEvent* event)
{
    ToolCanvas::mousePressEvent(event);
    if (event->button() != Qt::LeftButton)
        return;
    m_pressed = event->position();
    m_dragged = false;
}

void PlotCanvas::mouseMoveEvent(QMouseEvent* event)
{
    ToolCanvas::mouseMoveEvent(event);
    if (isPanning())
        return;
    const QPointF at = event->position();
    m_mouse = at;
    if (m_pressed && !m_dragged && QLineF(*m_pressed, at).length() >= kClick)
        if (const auto plot = plotAt(*m_pressed); plot && frame(*plot).plot.contains(*m_pressed)) {
            m_dragged = true;
            m_measuredIn = *plot;
        }
    if (m_pressed && m_dragged) {
        measureTo(at, !(event->modifiers() & Qt::AltModifier));
        return;
    }
    const PlotMark* mark = markAt(at);
    setCursor(clickedMark(at) ? Qt::PointingHandCursor : Qt::ArrowCursor);
    markHovered(at, mark);
    update();
}

void PlotCanvas::mouseReleaseEvent(QMouseEvent* event)
{
    ToolCanvas::mouseReleaseEvent(event);
    if (event->button() != Qt::LeftButton || !m_pressed)
        return;
    m_pressed.reset();
    if (std::exchange(m_dragged, false))
        return;
    m_measured.reset();
    update();
    markClicked(event->position(), clickedMark(event->position()), event->modifiers());
}

void PlotCanvas::leaveEvent(QEvent* event)
{
    m_mouse.reset();
    markHovered({}, nullptr);
    update();
    ToolCanvas::leaveEvent(event);
}

} // namespace tilewright::ui
