// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/memory/memory_view.h"

#include "theme/number.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace tilewright::ui {

namespace {
constexpr double kHandle = 6;             // pixels beside a range handle that still grab it
constexpr double kDragPixels = 4;         // a smaller movement is a click
constexpr std::int64_t kSyncSteps = 4000; // traced at once: well under a frame
} // namespace

MemoryView::MemoryView(const ViewContext& context, QWidget* parent)
    : Canvas(context, QStringLiteral("memory"), tr("Memory timeline"), parent)
{
    m_job = std::make_unique<LatestJob<Timelines>>([this](Timelines t) {
        m_timelines = std::move(t);
        rebuild();
    });
    for (auto signal : {&Document::problemChanged, &Document::snapshotChanged, &Document::baselineChanged})
        connect(&document(), signal, this, &MemoryView::requestTimelines);
    connect(&selection(), &Selection::changed, this, &MemoryView::rebuild);
    requestTimelines();
}

MemoryView::~MemoryView() = default;

void MemoryView::requestTimelines()
{
    const SnapshotPtr snapshot = document().snapshot();
    const SnapshotPtr baseline = document().baseline();
    if (!snapshot) {
        m_job->cancel();
        m_timelines = {};
        m_fitted = true;
        m_wantedPart = {};
        rebuild();
        return;
    }
    if (m_timelines.currentOf && m_timelines.currentOf->problem != snapshot->problem) {
        m_timelines = {};
        m_fitted = true;
        m_wantedPart = {};
    }
    const auto work = [before = m_timelines, snapshot, baseline](std::stop_token stop) {
        Timelines out{snapshot, baseline, before.current, before.baseline};
        if (before.currentOf != snapshot)
            if (auto t = buildTimeline(*snapshot, before.current.get(), {stop, {}}))
                out.current = std::move(t);
        if (before.baselineOf != baseline) {
            out.baseline = nullptr;
            if (baseline)
                out.baseline = baseline == snapshot ? out.current
                                                    : buildTimeline(*baseline, out.current.get(), {stop, {}});
        }
        return out;
    };
    std::int64_t steps = 0;
    for (const SnapshotPtr& s : {snapshot, baseline})
        if (s)
            for (const SubgraphEvaluation& e : s->evaluation.subgraphs)
                steps += e.steps;
    if (steps <= kSyncSteps) {
        m_job->cancel();
        m_timelines = work({});
    } else {
        m_job->request(work);
    }
    rebuild();
}

void MemoryView::rebuild()
{
    // A timeline of another problem must not be shown under this one's ids.
    const SnapshotPtr& snapshot = document().snapshot();
    const double before = m_model.total;
    m_model = buildMemory(snapshot.get(), selection().state(), m_timelines.current, m_timelines.baseline);
    if (m_model.timeline && (m_fitted || !(m_to > m_from))) {
        m_from = 0;
        m_to = m_model.total;
    } else if (m_model.timeline && before > 0 && m_to > m_model.total) {
        setRange(m_from, m_to);
    }
    if (m_model.timeline && !m_wantedPart.isNull())
        showPart(std::exchange(m_wantedPart, {}));
    m_overlay.range.reset();
    setAccessibleDescription(m_model.hint.isEmpty() ? m_model.title : m_model.hint);
    update();
}

void MemoryView::settle()
{
    document().waitForSnapshot();
    m_job->waitIdle();
}

QString MemoryView::copyText() const
{
    return m_model.residents ? residentsAsText(*m_model.residents) : QString();
}

Axis MemoryView::timeAxis(const QRectF& plot) const
{
    return {m_from, m_to, plot.left(), plot.right()};
}

void MemoryView::paint(QPainter& painter, const QRectF& area, const Theme& theme, bool exporting)
{
    if (!m_model.hint.isEmpty()) {
        paintEmptyHint(painter, area, m_model.hint, theme);
        return;
    }
    if (!m_model.timeline) {
        paintEmptyHint(painter, area, tr("Following the steps of every subgraph …"), theme);
        return;
    }
    const MemoryPlaces p = memoryPlaces(area, m_model);
    const Axis time = exporting ? Axis{0, m_model.total, p.plot.left(), p.plot.right()} : timeAxis(p.plot);
    const int width = static_cast<int>(p.plot.width());
    if (m_cache.timeline != m_model.timeline.get() || m_cache.baseline != m_model.baseline.get() ||
        m_cache.from != time.v0 || m_cache.to != time.v1 || m_cache.width != width)
        m_cache = {m_model.timeline.get(),
                   m_model.baseline.get(),
                   time.v0,
                   time.v1,
                   width,
                   MemoryColumns::of(m_model, time.v0, time.v1, width),
                   MemoryColumns::of(m_model, 0, m_model.total, width)};
    MemoryOverlay overlay = m_overlay;
    if (exporting)
        overlay = {};
    paintMemory(painter, m_model, p, time, m_cache.visible, m_cache.whole, theme, overlay);
}

// -- navigation ------------------------------------------------------------------------------------------

void MemoryView::setRange(double from, double to)
{
    const double span = std::clamp(to - from, m_model.total * 1e-9, m_model.total);
    m_from = std::clamp(from, 0.0, m_model.total - span);
    m_to = m_from + span;
    m_fitted = span >= m_model.total * (1 - 1e-12);
    update();
}

void MemoryView::zoomBy(double factor, QPointF anchor)
{
    if (!m_model.timeline)
        return;
    const Axis a = timeAxis(places().plot);
    const Axis next = a.zoomed(factor, std::clamp(anchor.x(), a.p0, a.p1), 0, m_model.total);
    setRange(next.v0, next.v1);
}

void MemoryView::panBy(QPointF pixels)
{
    if (!m_model.timeline)
        return;
    const Axis next = timeAxis(places().plot).panned(pixels.x(), 0, m_model.total);
    setRange(next.v0, next.v1);
}

void MemoryView::fitAll()
{
    setRange(0, m_model.total);
}

void MemoryView::fitSelection()
{
    if (!m_model.timeline)
        return;
    if (m_overlay.range) {
        const auto [a, b] = *m_overlay.range;
        m_overlay.range.reset();
        setRange(std::min(a, b), std::max(a, b));
    } else if (m_model.subgraph && m_model.subgraph->index() < m_model.timeline->parts.size()) {
        const TimelinePart& part = m_model.timeline->parts[m_model.subgraph->index()];
        setRange(part.start - part.duration * 0.05, part.end() + part.duration * 0.05);
    } else {
        fitAll();
    }
}

std::optional<QRectF> MemoryView::shownPart() const
{
    if (!m_model.timeline)
        return std::nullopt;
    return m_fitted ? QRectF() : QRectF(m_from, 0, m_to - m_from, 1);
}

void MemoryView::showPart(const QRectF& part)
{
    if (!m_model.timeline)
        m_wantedPart = part; // rebuild() comes back to it
    else if (part.isNull())
        fitAll();
    else
        setRange(part.left(), part.right());
}

QRectF MemoryView::selectedPart() const
{
    if (!m_model.timeline)
        return {};
    if (m_overlay.range)
        return {}; // what was measured is wanted large at once
    if (!m_model.subgraph || m_model.subgraph->index() >= m_model.timeline->parts.size())
        return {};
    const TimelinePart& part = m_model.timeline->parts[m_model.subgraph->index()];
    return {part.start, 0, part.duration, 1};
}

QPointF MemoryView::focusPoint() const
{
    return m_model.timeline ? pointAt(std::clamp(m_model.cursor, m_from, m_to)) : Canvas::focusPoint();
}

QPointF MemoryView::pointAt(double time) const
{
    const QRectF plot = places().plot;
    return {timeAxis(plot).toPixel(time), plot.center().y()};
}

void MemoryView::pin(double time)
{
    if (!m_model.timeline)
        return;
    const double at = std::clamp(time, 0.0, m_model.timeline->total);
    const auto part = m_model.timeline->partAt(at);
    if (!part)
        return;
    const TimelinePart& p = m_model.timeline->parts[*part];
    SelectionState next = selection().state();
    if (next.subgraph != p.id) {
        next.subgraph = p.id;
        next.subgraphs = {p.id};
        next.ops.clear();
        next.tensor.reset();
    }
    next.step = p.steps && p.steps->size() > 0 ? p.steps->stepAt(at - p.start) : 0;
    next.time = at;
    selection().set(next);
}

void MemoryView::moveStep(int by)
{
    if (!m_model.timeline)
        return;
    const auto here = m_model.residents ? m_model.residents : residentsAt(*m_model.timeline, m_model.cursor);
    if (!here)
        return;
    const auto& parts = m_model.timeline->parts;
    std::int64_t step = here->step + by;
    std::size_t part = here->part;
    // Over the border into the neighbour, past subgraphs that cannot run.
    while (step < 0 || step >= parts[part].steps->size()) {
        std::size_t next = part;
        do {
            if (by < 0 ? next == 0 : next + 1 == parts.size())
                return;
            next = by < 0 ? next - 1 : next + 1;
        } while (!parts[next].steps || parts[next].steps->size() == 0);
        part = next;
        step = by < 0 ? parts[part].steps->size() - 1 : 0;
    }
    SelectionState next = selection().state();
    next.subgraph = parts[part].id;
    next.subgraphs = {parts[part].id};
    next.step = step;
    next.time = parts[part].start + parts[part].steps->start(step);
    selection().set(next);
    if (*next.time < m_from || *next.time > m_to)
        setRange(*next.time - (m_to - m_from) / 2, *next.time + (m_to - m_from) / 2);
}

// -- mouse and keys --------------------------------------------------------------------------------------

QString MemoryView::tooltipAt(QPointF position) const
{
    if (!m_model.timeline)
        return {};
    const MemoryPlaces p = places();
    if (!p.plot.contains(position) && !p.strip.contains(position))
        return {};
    const double t = timeAxis(p.plot).toValue(position.x());
    if (t > m_model.timeline->total)
        return {};
    const auto r = residentsAt(*m_model.timeline, t);
    return r ? residentsTooltip(*r, *m_model.timeline, m_model.capacity) : QString();
}

void MemoryView::mousePressEvent(QMouseEvent* event)
{
    Canvas::mousePressEvent(event);
    if (event->button() != Qt::LeftButton || !m_model.timeline)
        return;
    const MemoryPlaces p = places();
    m_pressed = event->position();
    m_drag = Drag::None;
    if (p.plot.contains(m_pressed) || p.strip.contains(m_pressed)) {
        m_drag = Drag::Plot;
        m_pressedTime = timeAxis(p.plot).toValue(m_pressed.x());
    } else if (p.overview.contains(m_pressed)) {
        const Axis whole{0, m_model.total, p.overview.left(), p.overview.right()};
        const double t = whole.toValue(m_pressed.x());
        if (std::abs(m_pressed.x() - whole.toPixel(m_from)) <= kHandle)
            m_drag = Drag::Left;
        else if (std::abs(m_pressed.x() - whole.toPixel(m_to)) <= kHandle)
            m_drag = Drag::Right;
        else {
            if (t < m_from || t > m_to)
                setRange(t - (m_to - m_from) / 2, t + (m_to - m_from) / 2);
            m_drag = Drag::Range;
        }
        m_grabOffset = t - m_from;
    }
}

void MemoryView::mouseMoveEvent(QMouseEvent* event)
{
    Canvas::mouseMoveEvent(event);
    if (!m_model.timeline)
        return;
    const MemoryPlaces p = places();
    const Axis whole{0, m_model.total, p.overview.left(), p.overview.right()};
    const double t = whole.toValue(event->position().x());
    switch (m_drag) {
    case Drag::None:
        hoverAt(event->position());
        return;
    case Drag::Plot: {
        if (std::abs(event->position().x() - m_pressed.x()) < kDragPixels && !m_overlay.range)
            return;
        double a = m_pressedTime;
        double b = std::clamp(timeAxis(p.plot).toValue(event->position().x()), m_from, m_to);
        if (!(event->modifiers() & Qt::AltModifier)) {
            a = snapToStep(*m_model.timeline, a);
            b = snapToStep(*m_model.timeline, b);
        }
        m_overlay.range = {a, b};
        break;
    }
    case Drag::Range:
        setRange(t - m_grabOffset, t - m_grabOffset + (m_to - m_from));
        break;
    case Drag::Left:
        if (t < m_to)
            setRange(std::max(0.0, t), m_to);
        break;
    case Drag::Right:
        if (t > m_from)
            setRange(m_from, std::min(t, m_model.total));
        break;
    }
    update();
}

void MemoryView::hoverAt(QPointF position)
{
    const MemoryPlaces p = places();
    const bool inside = p.plot.contains(position) || p.strip.contains(position);
    m_overlay.hover.reset();
    HoverState hover;
    if (inside) {
        const double t = timeAxis(p.plot).toValue(position.x());
        if (t <= m_model.timeline->total) {
            m_overlay.hover = t;
            if (const auto part = m_model.timeline->partAt(t))
                hover.subgraph = m_model.timeline->parts[*part].id;
        }
    }
    selection().setHover(hover);
    setCursor(p.overview.contains(position) ? Qt::SizeHorCursor : Qt::ArrowCursor);
    update();
}

void MemoryView::mouseReleaseEvent(QMouseEvent* event)
{
    Canvas::mouseReleaseEvent(event);
    if (event->button() != Qt::LeftButton)
        return;
    if (m_drag == Drag::Plot && std::abs(event->position().x() - m_pressed.x()) < kDragPixels) {
        m_overlay.range.reset();
        pin(m_pressedTime);
    }
    m_drag = Drag::None;
    update();
}

void MemoryView::keyPressEvent(QKeyEvent* event)
{
    const QPointF centre = pointAt((m_from + m_to) / 2);
    const double step = event->modifiers() & Qt::ShiftModifier ? 200 : 60;
    switch (event->key()) {
    case Qt::Key_W:
        zoomBy(1.25, m_overlay.hover ? pointAt(*m_overlay.hover) : centre);
        break;
    case Qt::Key_S:
        zoomBy(0.8, m_overlay.hover ? pointAt(*m_overlay.hover) : centre);
        break;
    case Qt::Key_A:
        panBy({step, 0});
        break;
    case Qt::Key_D:
        panBy({-step, 0});
        break;
    case Qt::Key_Period:
        moveStep(1);
        break;
    case Qt::Key_Comma:
        moveStep(-1);
        break;
    case Qt::Key_P:
        if (m_model.timeline)
            pin(m_model.timeline->peakTime);
        break;
    case Qt::Key_Escape:
        m_overlay.range.reset();
        update();
        break;
    default:
        Canvas::keyPressEvent(event);
        return;
    }
    event->accept();
}

void MemoryView::leaveEvent(QEvent* event)
{
    m_overlay.hover.reset();
    selection().setHover({});
    update();
    Canvas::leaveEvent(event);
}

} // namespace tilewright::ui
