// SPDX-License-Identifier: GPL-3.0-or-later
#include "chart/lane_chart.h"

#include "chart/playback.h"
#include "theme/text.h"
#include "theme/theme.h"

#include <QClipboard>
#include <QFileDialog>
#include <QFileInfo>
#include <QGuiApplication>
#include <QMouseEvent>
#include <QPainter>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>
#include <utility>

namespace tilewright::ui {

namespace {
constexpr double kSnapPixels = 6;
constexpr double kPlayed = 1000; // maximum number of positions of the cursor while it plays

/// Returns the height of the lists of a trace below a chart of this height.
double traceHeight(double chart)
{
    return std::clamp(chart * 0.4, std::min(chart, 150.0), 280.0);
}
constexpr std::size_t kCopied = 200'000;
constexpr std::size_t kRead = 500; // maximum number of rows that assistive technology gets
} // namespace

LaneChart::LaneChart(const ViewContext& context, QString name, QString title, Dragging dragging,
                     QWidget* parent)
    : TimeCanvas(context, std::move(name), std::move(title), dragging, parent)
{
    addCommand({viewName() + QStringLiteral(".copyMarks"),
                this->title(),
                tr("Copy visible marks as CSV"),
                {},
                {},
                tr("Copy the marks of the measured range, or of the visible range, one per line.")},
               [this](bool) {
                   catchUp();
                   QGuiApplication::clipboard()->setText(marksAsCsv());
               });
}

void LaneChart::setLanes(LaneModel lanes)
{
    m_own = std::move(lanes);
    if (m_trace)
        m_trace->follow(ourTrace());
    showLanes();
}

void LaneChart::addTraceLanes()
{
    m_lanes = m_own;
    if (m_trace)
        m_trace->addTo(m_lanes);
}

void LaneChart::showLanes()
{
    addTraceLanes();
    m_cache = {};
    m_places.reset();
    if (m_lanes.hint.isEmpty() && m_lanes.total > 0)
        setTotal(m_lanes.total);
    m_hoveredMark.reset();
    placeScroll();
    update();
}

void LaneChart::amend(const std::function<void(LaneModel&)>& change)
{
    change(m_own);
    addTraceLanes();
    m_places.reset();
    update();
}

// -- layout ----------------------------------------------------------------------------------------------

LanePlaces LaneChart::places() const
{
    const bool scrolls = m_scroll && m_scroll->isVisibleTo(this);
    QRectF area = laneArea();
    if (scrolls)
        area.setRight(m_scroll->geometry().left());
    const double scroll = scrolls ? m_scroll->value() : 0;
    if (!m_places || m_places->area != area || m_places->scroll != scroll || m_places->font != uiFont())
        m_places = {area, scroll, uiFont(), lanePlaces(area, m_lanes, scroll, false)};
    return m_places->places;
}

void LaneChart::placeScroll()
{
    placeTrace();
    // Do not hide and show the scroll bar here: that would request a layout, which calls this function again.
    if (!m_lanes.hint.isEmpty() || m_lanes.least <= 0) {
        if (m_scroll)
            m_scroll->hide();
        return;
    }
    if (!m_scroll) {
        m_scroll = new ListScroll(tr("Scroll the lanes"), this);
        connect(m_scroll, &QScrollBar::valueChanged, this, qOverload<>(&QWidget::update));
    }
    const QRectF area = laneArea();
    const LanePlaces p = lanePlaces(area, m_lanes, 0, false);
    m_scroll->place({area.left(), p.plot.top(), area.width(), p.plot.height()}, p.contentHeight);
}

TimeCanvas::Places LaneChart::timePlaces() const
{
    if (!m_lanes.hint.isEmpty() || m_lanes.lanes.empty())
        return {};
    const LanePlaces p = places();
    return {p.plot, p.overview};
}

QPointF LaneChart::pointIn(std::size_t lane, double time) const
{
    const LanePlaces p = places();
    if (lane >= p.lanes.size())
        return p.plot.center();
    const LaneBox& box = p.lanes[lane];
    return {timeAxis().toPixel(time), (box.rows.empty() ? box.rect : box.rows.front()).center().y()};
}

std::optional<LaneHit> LaneChart::hitAt(QPointF position) const
{
    if (!m_lanes.hint.isEmpty())
        return std::nullopt;
    return laneHit(m_lanes, places(), timeAxis(), position);
}

std::optional<std::uint32_t> LaneChart::markAt(QPointF position) const
{
    const auto hit = hitAt(position);
    if (!hit || !hit->marks || !hit->marks->id || hit->marks->id(hit->mark) == Marks::kNoMark)
        return std::nullopt;
    return hit->marks->id(hit->mark);
}

double LaneChart::snapped(double time) const
{
    const LanePlaces p = places();
    const auto lane = p.laneAt(pressedAt());
    const auto [from, to] = visibleRange();
    return lane ? snapToMarks(m_lanes.lanes[*lane], time,
                              kSnapPixels * (to - from) / std::max(1.0, p.plot.width()))
                : time;
}

// -- painting --------------------------------------------------------------------------------------------

void LaneChart::paintContent(QPainter& painter, const QRectF& area, const Theme& theme, bool exporting)
{
    if (!m_lanes.hint.isEmpty()) {
        paintEmptyHint(painter, exporting ? chartArea(area, true) : laneArea(), m_lanes.hint, theme);
        return;
    }
    const LanePlaces p = exporting ? lanePlaces(chartArea(area, true), m_lanes, 0, true) : places();
    const Axis time{visibleRange().first, visibleRange().second, p.plot.left(), p.plot.right()};
    const int width = static_cast<int>(p.plot.width());
    if (m_cache.from != time.v0 || m_cache.to != time.v1 || m_cache.width != width)
        m_cache = {time.v0, time.v1, width, {}};
    for (std::size_t lane = m_cache.columns.size(); lane < m_lanes.lanes.size(); ++lane)
        m_cache.columns.push_back(laneColumns(m_lanes.lanes[lane], time.v0, time.v1, width));
    LaneOverlay overlay;
    overlay.selected = selectedMark();
    if (!exporting) {
        overlay.cursor = pinnedTime();
        overlay.cursorText = cursorText();
        overlay.hover = hoverTime();
        overlay.measured = measured();
        overlay.measuredText = measuredText();
        overlay.hovered = hoveredMark();
        overlay.readout = m_readout;
    }
    if (overlay.readout.isEmpty() && !exporting)
        overlay.readout = restingReadout();
    paintLanes(painter, m_lanes, p, time, m_cache.columns, overlay, theme);
    paintBeside(painter, area, theme, exporting);
}

std::vector<PicturePart> LaneChart::partsIn(const QSize& size)
{
    if (!m_lanes.hint.isEmpty())
        return {};
    const LanePlaces p = lanePlaces(chartArea(QRectF(QPointF(0, 0), size), true), m_lanes, 0, true);
    const Axis time{visibleRange().first, visibleRange().second, p.plot.left(), p.plot.right()};
    return laneParts(m_lanes, p, time,
                     [this](const LaneHit& hit) { return isOfTrace(hit) ? QStringList() : keysOf(hit); });
}

// -- hit tests -------------------------------------------------------------------------------------------

QString LaneChart::readoutAt(QPointF position) const
{
    const auto hit = hitAt(position);
    return hit ? readoutOf(m_lanes, *hit) : QString();
}

QString LaneChart::tooltipAt(QPointF position) const
{
    if ((m_lanes.sentenceLines > 0 || !m_lanes.details.isEmpty()) && places().title.contains(position))
        return m_lanes.details.isEmpty() ? m_lanes.sentence.toHtmlEscaped() : m_lanes.details;
    if (const LanePlaces p = places(); p.facts.contains(position))
        if (const auto lane = p.laneAt(position))
            return m_lanes.lanes[*lane].factsTooltip;
    const auto hit = hitAt(position);
    return hit ? tooltipOf(m_lanes, *hit) : QString();
}

QString LaneChart::measuredText() const
{
    if (!measured())
        return {};
    const double length = measured()->second - measured()->first;
    return tr("Δ %1 (%2 – %3)")
        .arg(number(std::round(length)), number(std::round(measured()->first)),
             number(std::round(measured()->second)));
}

QString LaneChart::cursorText() const
{
    const auto at = pinnedTime();
    return at ? number(*at) : QString();
}

QString LaneChart::marksAsCsv() const
{
    const Range range = measured().value_or(visibleRange());
    return marksAsText(m_lanes, range.first, range.second, QLatin1Char(','), kCopied);
}

QString LaneChart::tableText() const
{
    return marksAsText(m_lanes, visibleRange().first, visibleRange().second, QLatin1Char('\t'), kRead);
}

// -- trace beside ----------------------------------------------------------------------------------------

QAction* LaneChart::addTrace()
{
    m_trace = new TraceBeside(viewName(), this);
    connect(m_trace, &TraceBeside::changed, this, &LaneChart::showLanes);
    connect(m_trace, &TraceBeside::refused, &workspace(), &Workspace::refused);
    connect(m_trace, &TraceBeside::wantsRange, this, [this](double from, double to) {
        look(
            [&] {
                const double margin = std::max(m_lanes.shortest, (to - from) * 0.25);
                setRange(from - margin, to + margin);
            },
            ZoomHistory::Gesture::Command);
    });
    addGesture("dragTrace", tr("Move the trace beside the run"), tr("drag one of its lanes"),
               tr("The offset of the file on the time axis follows the mouse."));
    return addCommand(
        {viewName() + QStringLiteral(".openTrace"),
         title(),
         tr("Open a trace beside…"),
         QStringLiteral("open"),
         {},
         tr("Show a trace of Chrome, Perfetto, a profiler or Tilewright below these lanes, on the "
            "same axis, and list what differs most.")},
        [this](bool) { chooseTrace(); });
}

void LaneChart::chooseTrace()
{
    const QString path = QFileDialog::getOpenFileName(this, tr("Open a trace beside"),
                                                      QFileInfo(document().problemPath()).path(),
                                                      tr("Traces (*.json);;All files (*)"));
    if (path.isEmpty())
        return;
    m_trace->follow(ourTrace());
    m_trace->open(path);
}

QRectF LaneChart::laneArea() const
{
    QRectF area = chartArea(contentArea(), false);
    if (m_trace && m_trace->isOpen())
        area.setBottom(std::max(area.top(), area.bottom() - traceHeight(area.height())));
    return area;
}

void LaneChart::placeTrace()
{
    if (!m_trace || !m_trace->isOpen())
        return;
    const QRectF area = chartArea(contentArea(), false);
    const QRectF lanes = laneArea();
    m_trace->setGeometry(QRectF(lanes.bottomLeft(), area.bottomRight()).toRect());
}

void LaneChart::settle()
{
    if (m_trace)
        m_trace->settle();
}

QJsonObject LaneChart::settings() const
{
    return m_trace && m_trace->isOpen() ? QJsonObject{{QStringLiteral("trace"), m_trace->settings()}}
                                        : QJsonObject();
}

void LaneChart::restoreSettings(const QJsonObject& settings)
{
    if (m_trace)
        m_trace->restore(settings[QStringLiteral("trace")].toObject());
}

void LaneChart::mousePressEvent(QMouseEvent* event)
{
    const auto hit = hitAt(event->position());
    if (event->button() != Qt::LeftButton || event->modifiers() != Qt::NoModifier || !hit || !isOfTrace(*hit))
        return TimeCanvas::mousePressEvent(event);
    event->accept();
    m_traceDrag = event->position();
}

void LaneChart::mouseMoveEvent(QMouseEvent* event)
{
    TimeCanvas::mouseMoveEvent(event);
    if (m_traceDrag) {
        m_trace->setShift(timeAxis().toValue(event->position().x()) - timeAxis().toValue(m_traceDrag->x()));
        m_cache.columns.resize(std::min(m_cache.columns.size(), m_own.lanes.size()));
        update();
    } else if (const auto hit = hitAt(event->position()); hit && isOfTrace(*hit) && !isPanning()) {
        setCursor(Qt::SizeHorCursor);
    }
}

void LaneChart::mouseReleaseEvent(QMouseEvent* event)
{
    TimeCanvas::mouseReleaseEvent(event);
    if (event->button() != Qt::LeftButton || !m_traceDrag)
        return;
    const QPointF from = *std::exchange(m_traceDrag, std::nullopt);
    if (std::abs(from.x() - event->position().x()) >= kDragPixels) {
        m_trace->takeShift();
        return;
    }
    m_trace->setShift(0);
    if (const auto hit = hitAt(from))
        if (const auto slice = m_trace->sliceOf(m_lanes, m_own.lanes.size(), *hit))
            m_trace->choose(*slice);
}

// -- playing ---------------------------------------------------------------------------------------------

void LaneChart::addPlaying(const QString& text)
{
    const auto positions = [this] { return std::min(kPlayed, m_lanes.total); };
    m_playing = new Playback(clock(),
                             {[this, positions] {
                                  return m_lanes.hint.isEmpty() && m_lanes.total > 0
                                             ? static_cast<std::int64_t>(positions()) + 1
                                             : 0;
                              },
                              [this, positions] { // other code may have left the cursor at the previous cycle
                                  return static_cast<std::int64_t>(std::ceil(
                                      pinnedTime().value_or(0) * positions() / m_lanes.total - 1e-6));
                              },
                              [this, positions](std::int64_t i) {
                                  const double time = static_cast<double>(i) * m_lanes.total / positions();
                                  moveCursorTo(time);
                                  reveal(time);
                              }},
                             this);
    m_playing->setSpeed(0);
    addKeys("play", text, {QKeySequence(Qt::Key_Space)},
            tr("Move the cursor through the whole time in ten seconds, or pause."),
            [this] { m_playing->setPlaying(!m_playing->isPlaying()); });
}

void LaneChart::hideEvent(QHideEvent* event)
{
    if (m_playing)
        m_playing->setPlaying(false);
    TimeCanvas::hideEvent(event);
}

// -- navigation ------------------------------------------------------------------------------------------

void LaneChart::panBy(QPointF pixels)
{
    TimeCanvas::panBy(pixels);
    if (m_scroll)
        m_scroll->setValue(m_scroll->value() - static_cast<int>(std::round(pixels.y())));
}

void LaneChart::fitSelection()
{
    if (!m_lanes.hint.isEmpty() || fitMeasured())
        return;
    if (const auto range = selectedRange()) {
        const double margin = std::max(m_lanes.shortest / 2, (range->second - range->first) * 0.08);
        setRange(range->first - margin, range->second + margin);
    } else {
        fitAll();
    }
}

QRectF LaneChart::selectedPart() const
{
    const auto range = m_lanes.hint.isEmpty() && !measured() // go to the measured range by zooming at once
                           ? selectedRange()
                           : std::nullopt;
    return range ? QRectF(range->first, 0, range->second - range->first, 1) : QRectF();
}

void LaneChart::wheelEvent(QWheelEvent* event)
{
    // Shift+wheel scrolls the lanes, the plain wheel zooms the time.
    if (m_scroll && event->modifiers() & Qt::ShiftModifier) {
        const int by = event->angleDelta().y() != 0 ? event->angleDelta().y() : event->angleDelta().x();
        m_scroll->setValue(m_scroll->value() - by / 2);
        event->accept();
        return;
    }
    TimeCanvas::wheelEvent(event);
}

void LaneChart::hovered(QPointF position)
{
    m_readout = hoverTime() ? readoutAt(position) : QString();
    m_hoveredMark = hoverTime() ? markAt(position) : std::nullopt;
    update();
}

void LaneChart::leaveEvent(QEvent* event)
{
    m_readout.clear();
    m_hoveredMark.reset();
    TimeCanvas::leaveEvent(event);
}

} // namespace tilewright::ui
