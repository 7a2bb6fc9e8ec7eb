// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/memory/memory_view.h"

#include "theme/icon.h"
#include "theme/text.h"
#include "theme/text_metrics.h"
#include "views/memory/address_mode.h"
#include "views/memory/memory_lanes.h"
#include "workspace/texts.h"

#include <QCoreApplication>
#include <QMouseEvent>
#include <QPainter>
#include <QToolButton>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>

namespace tilewright::ui {

namespace {
constexpr double kWithPanel = 640; // minimum width in pixels at which the panel is shown
// distance in pixels within which snapping prefers the end of a subgraph to the end of a step
constexpr double kSnapPixels = 8;
// Maximum number of steps that are traced at once; this takes much less than the time of a frame.
constexpr std::int64_t kSyncSteps = 4000;
} // namespace

MemoryView::MemoryView(const ViewContext& context, QWidget* parent)
    : LaneChart(context, QStringLiteral("memory"), tr("Timeline"), Dragging::Measures, parent),
      m_addresses(std::make_unique<AddressMode>(selection(), [this] { rebuild(); })),
      m_columns(std::make_shared<MemoryCache>()),
      m_scroll(new ListScroll(tr("Scroll the list of items in memory"), this))
{
    connect(m_scroll, &QScrollBar::valueChanged, this, qOverload<>(&QWidget::update));
    m_job = std::make_unique<LatestJob<Timelines>>([this](Timelines t) {
        m_timelines = std::move(t);
        rebuild();
    });
    document().whenChanged(this, Part::Problem | Part::Snapshot | Part::Baseline, &MemoryView::outdate);
    connect(&selection(), &Selection::changed, this, [this] { isFollowing() ? rebuild() : outdate(); });
    connect(&selection(), &Selection::hoverChanged, this, [this] {
        if (m_addresses->isOn())
            update();
    });
    addOwnKeys();
    addButtons();
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
        forgetRange();
        rebuild();
        return;
    }
    if (m_timelines.currentOf && m_timelines.currentOf->problem != snapshot->problem) {
        m_timelines = {};
        forgetRange();
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
        if (m_timelines.current)
            return; // until then the old picture stays visible
    }
    rebuild();
}

void MemoryView::rebuild()
{
    const SnapshotPtr& snapshot = document().snapshot();
    const auto timelineBefore = m_model.timeline;
    m_model =
        buildMemory(snapshot.get(), selection().state(), m_timelines.current, m_timelines.baseline, m_model);
    m_addresses->follow(m_timelines.currentOf, m_timelines.current);
    LaneModel lanes = memoryLanes(std::make_shared<const MemoryModel>(m_model), m_columns);
    m_addresses->replaceStack(lanes, m_model);
    m_addressSwitch->setChecked(m_addresses->isOn());
    for (QToolButton* button : {m_addressSwitch, m_toPeak})
        button->setVisible(lanes.hint.isEmpty());
    placeButtons();
    lanes.titleSpace = spaceOfButtons();
    setAccessibleDescription(lanes.hint.isEmpty() ? lanes.title : lanes.hint);
    setLanes(std::move(lanes));
    if (m_model.timeline != timelineBefore)
        setMeasured(std::nullopt);
    m_hoveredRow.reset();
    placeList();
    update();
}

void MemoryView::addButtons()
{
    m_addressSwitch = new QToolButton(this);
    m_addressSwitch->setText(tr("Addresses"));
    m_addressSwitch->setCheckable(true);
    registry().explain(
        m_addressSwitch,
        tr("Show where in fast memory each buffer lies ({memory.addresses|O}), or again what it "
           "is used for."));
    connect(m_addressSwitch, &QToolButton::clicked, this, [this] { m_addresses->toggle(); });
    m_toPeak = new QToolButton(this);
    m_toPeak->setText(tr("Peak"));
    registry().explain(m_toPeak, tr("Pin the time with the largest use of fast memory ({memory.peak|P})."));
    connect(m_toPeak, &QToolButton::clicked, this, &MemoryView::pinPeak);
    m_addressSwitch->setIcon(icon(QStringLiteral("memory")));
    m_toPeak->setIcon(icon(QStringLiteral("up")));
    for (QToolButton* button : {m_toPeak, m_addressSwitch}) {
        button->setFocusPolicy(Qt::TabFocus);
        button->setFont(uiFont(0.85));
    }
}

void MemoryView::placeButtons()
{
    // Buttons show icons instead of words if the words would leave no room for the title.
    const QRectF chart = chartArea(contentArea(), false);
    double words = 0;
    for (const QToolButton* button : {m_addressSwitch, m_toPeak})
        words += TextMetrics(button->font()).horizontalAdvance(button->text()) + 24;
    const bool room =
        TextMetrics(uiFont(1.0, QFont::DemiBold)).horizontalAdvance(m_model.title) + words + 24 <
        chart.width();
    for (QToolButton* button : {m_addressSwitch, m_toPeak})
        button->setToolButtonStyle(room ? Qt::ToolButtonTextOnly : Qt::ToolButtonIconOnly);
    int right = static_cast<int>(chart.right()) - 4;
    for (QToolButton* button : {m_addressSwitch, m_toPeak}) {
        // Buttons are as high as the title, so that they do not cover the legend below.
        const QSize size(button->sizeHint().width(), TextMetrics(uiFont(1.0, QFont::DemiBold)).height() + 4);
        button->setGeometry(right - size.width(), static_cast<int>(contentArea().top()) + 2, size.width(),
                            static_cast<int>(size.height()));
        right -= size.width() + 4;
    }
    // Words and icons differ in width: the legend beside the title must leave room for the buttons.
    if (const double space = spaceOfButtons(); lanes().titleSpace != space)
        amend([space](LaneModel& m) { m.titleSpace = space; });
}

double MemoryView::spaceOfButtons() const
{
    return m_addressSwitch->sizeHint().width() + m_toPeak->sizeHint().width() + 16;
}

void MemoryView::pinPeak()
{
    if (m_model.timeline)
        pin(m_model.timeline->peakTime);
}

QList<QAction*> MemoryView::viewCommands() const
{
    QList<QAction*> out;
    for (const char* id : {"memory.addresses", "memory.peak", "memory.play"})
        if (QAction* action = registry().find(QLatin1String(id)))
            out << action;
    return out;
}

void MemoryView::settle()
{
    document().waitForSnapshot();
    m_job->waitIdle();
    m_addresses->waitIdle();
}

QString MemoryView::copyText() const
{
    if (!m_model.range && m_addresses->isOn() && m_addresses->map())
        return addressesAsText(*m_addresses->map(), m_model.cursor);
    return m_model.range      ? rangeAsText(*m_model.range)
           : m_model.contents ? contentsAsText(*m_model.contents, *m_model.timeline->problem)
                              : QString();
}

// -- positions --------------------------------------------------------------------------------------------

MemoryPanel MemoryView::panelIn(const QRectF& area) const
{
    if (area.width() < kWithPanel)
        return {};
    const double em = TextMetrics(uiFont(0.9)).horizontalAdvance(QLatin1Char('0'));
    const double least = std::min(36 * em, area.width() * 0.4);
    const double w = std::round(std::clamp(area.width() * 0.27, least, std::max(least, 48 * em)));
    return memoryPanel(QRectF(area.right() - w, area.top(), w, area.height()), m_model.hasHalos);
}

QRectF MemoryView::chartArea(const QRectF& area, bool exporting) const
{
    return exporting ? area : area.adjusted(0, 0, -panelIn(area).area.width(), 0);
}

void MemoryView::paintBeside(QPainter& painter, const QRectF& area, const Theme& theme, bool exporting)
{
    const MemoryPanel panel = panelIn(area);
    if (!exporting && !panel.area.isEmpty()) // exports omit the panel, because it shows a single moment
        paintMemoryPanel(painter, m_model, panel, m_scroll->value(),
                         m_scroll->widthFor(panel.list, panel.contentHeight(m_model)), m_hoveredRow,
                         registry(), theme);
}

void MemoryView::placeList()
{
    const MemoryPanel panel = this->panel();
    if (m_model.timeline && !panel.area.isEmpty())
        m_scroll->place(panel.list, panel.contentHeight(m_model));
    else
        m_scroll->hide();
}

void MemoryView::contentResized()
{
    LaneChart::contentResized();
    placeList();
    placeButtons();
}

QPointF MemoryView::rowCentre(std::size_t item) const
{
    const MemoryPanel p = panel();
    return {p.list.center().x(),
            p.list.top() - m_scroll->value() + (static_cast<double>(item) + 0.5) * p.rowHeight};
}

double MemoryView::snapped(double time) const
{
    const auto [from, to] = visibleRange();
    return snapToBoundary(*m_model.timeline, std::min(time, m_model.timeline->total),
                          kSnapPixels * (to - from) / std::max(1.0, places().plot.width()));
}

std::optional<double> MemoryView::pinnedTime() const
{
    return m_model.pinned ? std::optional(m_model.cursor) : std::nullopt;
}

// -- visible range and selection ----------------------------------------------------------------------------

void MemoryView::measuredChanged()
{
    m_model.range = measured() && m_model.timeline
                        ? summarise(*m_model.timeline, measured()->first, measured()->second)
                        : std::nullopt;
    placeList();
}

QString MemoryView::measuredText() const
{
    if (!measured())
        return {};
    QString text = tr("Δ %1").arg(number(measured()->second - measured()->first));
    if (m_model.range)
        text += tr(" · in memory: lowest %1, mean %2, highest %3")
                    .arg(number(m_model.range->steps.used.low), number(m_model.range->steps.meanUsed()),
                         number(m_model.range->steps.used.high));
    return text;
}

std::optional<TimeCanvas::Range> MemoryView::selectedRange() const
{
    if (!m_model.timeline || !m_model.subgraph || m_model.subgraph->index() >= m_model.timeline->parts.size())
        return std::nullopt;
    const TimelinePart& part = m_model.timeline->parts[m_model.subgraph->index()];
    return Range{part.start, part.end()};
}

QPointF MemoryView::focusPoint() const
{
    return m_model.timeline ? pointAt(std::clamp(m_model.cursor, visibleRange().first, visibleRange().second))
                            : LaneChart::focusPoint();
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
        next.ops.clear(); // nothing else is selected: the followed tensor stays selected
    }
    next.step = p.isKnown() ? p.steps->stepAt(at - p.start) : 0;
    next.time = at;
    selection().set(next);
}

void MemoryView::moveStep(int by)
{
    if (!m_model.timeline)
        return;
    const auto here = m_model.contents ? m_model.contents : contentsAt(*m_model.timeline, m_model.cursor);
    if (!here)
        return;
    const auto& parts = m_model.timeline->parts;
    std::int64_t step = here->step + by;
    std::size_t part = here->part;
    // The step is moved across borders of subgraphs. Subgraphs that cannot run are skipped.
    while (step < 0 || step >= parts[part].steps->size()) {
        std::size_t next = part;
        do {
            if (by < 0 ? next == 0 : next + 1 == parts.size())
                return;
            next = by < 0 ? next - 1 : next + 1;
        } while (!parts[next].isKnown());
        part = next;
        step = by < 0 ? parts[part].steps->size() - 1 : 0;
    }
    SelectionState next = selection().state();
    next.subgraph = parts[part].id;
    next.subgraphs = {parts[part].id};
    next.step = step;
    next.time = parts[part].start + parts[part].steps->start(step);
    selection().set(next);
    reveal(*next.time);
}

void MemoryView::moveRow(int by)
{
    if (!m_model.contents || m_model.contents->items.empty())
        return;
    // Consecutive rows with the same tensor count as one row.
    const auto& items = m_model.contents->items;
    const auto tensor = selection().state().tensor;
    const auto n = static_cast<std::ptrdiff_t>(items.size());
    std::ptrdiff_t at = by > 0 ? -1 : n;
    for (std::ptrdiff_t i = 0; i < n; ++i)
        if (items[static_cast<std::size_t>(i)].tensor == tensor && (by > 0 || at == n))
            at = i;
    at = std::clamp<std::ptrdiff_t>(at + by, 0, n - 1);
    selection().selectTensor(items[static_cast<std::size_t>(at)].tensor);
    const double row = panel().rowHeight;
    m_scroll->reveal(static_cast<double>(at) * row, static_cast<double>(at + 1) * row);
}

void MemoryView::extendMeasured(int by)
{
    if (!m_model.timeline || !m_model.contents)
        return;
    if (!measured())
        m_measureAnchor = m_model.contents->start;
    // Keys move one end of the measured range by steps. The linked cursor stays in place.
    const Timeline& timeline = *m_model.timeline;
    double end = m_measureAnchor;
    if (measured())
        end = measured()->first == m_measureAnchor ? measured()->second : measured()->first;
    const double nudge = 1e-9 * timeline.total;
    const auto step = contentsAt(timeline, std::clamp(end + by * nudge, 0.0, timeline.total));
    if (!step)
        return;
    end = by > 0 ? step->end : step->start;
    setMeasured(Range{m_measureAnchor, end});
    reveal(end);
}

// -- mouse and keys --------------------------------------------------------------------------------------

QString MemoryView::tooltipAt(QPointF position) const
{
    if (m_hoveredRow && m_model.contents) {
        const ContentItem& item = m_model.contents->items[*m_hoveredRow];
        return tr("<b>%1</b> %2 %3<br>%4 %5; click to follow it through the timeline")
            .arg(item.name.toHtmlEscaped(), contentKindText(item.kind), item.detail,
                 elementsText(*m_model.timeline->problem, item.elements),
                 elementWord(*m_model.timeline->problem));
    }
    return LaneChart::tooltipAt(position);
}

QStringList MemoryView::keysOf(const LaneHit& hit) const
{
    const auto c = m_model.timeline ? contentsAt(*m_model.timeline, hit.time) : std::nullopt;
    if (!c)
        return {};
    const SubgraphId subgraph = m_model.timeline->parts[c->part].id;
    // A mark stands for a whole subgraph, so it has the subgraph's key.
    return hit.marks ? QStringList{keyOf(subgraph)} : QStringList{keyOf(subgraph, c->step), keyOf(subgraph)};
}

std::optional<TensorId> MemoryView::addressedAt(QPointF position) const
{
    const auto hit = hitAt(position);
    return hit && hit->lane == 1 ? m_addresses->tensorAt(hit->time, hit->y) : std::nullopt;
}

void MemoryView::clicked(QPointF position, double time)
{
    const auto tensor = addressedAt(position);
    // A click on the mark of the peak selects the peak, even if it is not exactly on the step of the peak.
    constexpr double kMark = 7; // half the width of the mark in pixels
    const double peak = m_model.timeline ? timeAxis().toPixel(m_model.timeline->peakTime) : 0;
    const bool onMark = m_model.timeline && !m_addresses->isOn() && std::abs(position.x() - peak) <= kMark &&
                        position.y() < places().lanes[1].rect.center().y();
    onMark ? pinPeak() : pin(time);
    if (tensor) // a second click on the tensor ends following it
        selection().selectTensor(selection().state().tensor == tensor ? std::nullopt : tensor);
}

void MemoryView::hovered(QPointF position)
{
    LaneChart::hovered(position);
    m_hoveredRow = panel().rowAt(m_model, position, m_scroll->value());
    HoverState hover;
    if (m_hoveredRow)
        hover.tensor = m_model.contents->items[*m_hoveredRow].tensor;
    else if (const auto tensor = addressedAt(position))
        hover.tensor = tensor;
    else if (hoverTime() && *hoverTime() <= m_model.timeline->total)
        if (const auto part = m_model.timeline->partAt(*hoverTime()))
            hover.subgraph = m_model.timeline->parts[*part].id;
    selection().setHover(hover);
}

void MemoryView::mousePressEvent(QMouseEvent* event)
{
    LaneChart::mousePressEvent(event);
    if (event->button() != Qt::LeftButton || !m_model.timeline)
        return;
    if (const auto row = panel().rowAt(m_model, event->position(), m_scroll->value())) {
        // A second click on the tensor ends following it.
        const TensorId tensor = m_model.contents->items[*row].tensor;
        const bool again = selection().state().tensor == tensor;
        selection().selectTensor(again ? std::nullopt : std::optional(tensor));
    }
}

void MemoryView::wheelEvent(QWheelEvent* event)
{
    if (m_scroll->isVisible() && panel().area.contains(event->position())) {
        QCoreApplication::sendEvent(m_scroll, event);
        return;
    }
    LaneChart::wheelEvent(event);
}

void MemoryView::addOwnKeys()
{
    addKeys("previous", tr("Previous step"), {QKeySequence(Qt::Key_Comma)},
            tr("Pin the start of the previous step."), [this] { moveStep(-1); });
    addKeys("next", tr("Next step"), {QKeySequence(Qt::Key_Period)}, tr("Pin the start of the next step."),
            [this] { moveStep(1); });
    addPlaying(tr("Play the schedule"));
    addKeys("peak", tr("Go to the peak"), {QKeySequence(Qt::Key_P)},
            tr("Pin the time with the largest use of fast memory."), [this] { pinPeak(); });
    addKeys("measureKeys", tr("Measure from the pinned time"),
            {QKeyCombination(Qt::CTRL, Qt::Key_Left), QKeyCombination(Qt::CTRL, Qt::Key_Right)},
            tr("Extend the measured range by a step."),
            [this](const KeyUse& use) { extendMeasured(use.index == 1 ? 1 : -1); });
    addKeys("resident", tr("Choose an item in memory"),
            {QKeySequence(Qt::Key_Up), QKeySequence(Qt::Key_Down)},
            tr("Select the tensor of the row above or below in the list of items in memory."),
            [this](const KeyUse& use) { moveRow(use.index == 1 ? 1 : -1); });
    addKeys("letGo", tr("Clear range or tensor"), {QKeySequence(Qt::Key_Escape)},
            tr("End the measured range, then stop following the tensor."), [this] {
                if (measured())
                    setMeasured(std::nullopt);
                else
                    selection().selectTensor(std::nullopt);
            });
    addKeys("addresses", tr("Addresses"), {QKeySequence(Qt::Key_O)},
            tr("Show the addresses of all buffers, or again their uses."), [this] { m_addresses->toggle(); });
    addGesture("pin", tr("Pin a time"), tr("click"), tr("List everything in fast memory at that time."));
}

void MemoryView::leaveEvent(QEvent* event)
{
    m_hoveredRow.reset();
    selection().setHover({});
    LaneChart::leaveEvent(event);
}

} // namespace tilewright::ui
