// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/run/run_view.h"

#include "canvas/form.h"
#include "run/run_trace.h"
#include "theme/text.h"
#include "verbs/run.h"
#include "views/run/run_side.h"

#include <QComboBox>
#include <QJsonObject>
#include <QMouseEvent>
#include <QSignalBlocker>
#include <QToolButton>

#include <algorithm>
#include <cmath>

namespace tilewright::ui {

namespace {
constexpr int kMostPrefetch = verbs::RunCall::kMostPrefetch;
constexpr double kDoubleClick = 4; // zoom factor
} // namespace

RunView::RunView(const ViewContext& context, QWidget* parent)
    : LaneChart(context, QStringLiteral("run"), tr("Run"), Dragging::MovesCursor, parent),
      m_run(context.workspace.run())
{
    m_prefetch = new NumberBox(this);
    m_prefetch->setObjectName(QStringLiteral("run.prefetch"));
    m_prefetch->setRange(0, kMostPrefetch);
    m_prefetch->setValue(static_cast<int>(m_run.options().prefetch));
    bar().addLabelled(
        tr("Prefetch"), m_prefetch,
        tr("Number of steps whose loads may begin beside the oldest step that has not ended. 0: one "
           "step after the other, and in a step loads, runs and stores one after the other."));
    connect(m_prefetch, &QSpinBox::valueChanged, this, [this](int steps) {
        RunOptions options = m_run.options();
        options.prefetch = steps;
        m_run.setOptions(options);
    });
    m_cores = new NumberBox(this);
    m_cores->setObjectName(QStringLiteral("run.cores"));
    m_cores->setRange(1, 1);
    bar().addLabelled(tr("Cores"), m_cores,
                      tr("Number of cores that the tiles of each subgraph are dealt to, at most those of the "
                         "machine. They share the channel to slow memory. The schedule is planned for one."));
    connect(m_cores, &QSpinBox::valueChanged, &m_run, &LiveRun::setCores);
    m_colour =
        bar().addChoice(tr("Colour"), {tr("subgraph"), tr("unit")},
                        tr("Colour of loads, runs and stores: that of their subgraph as in the graph, or of "
                           "the unit that works."));
    connect(m_colour, &QComboBox::currentIndexChanged, this, &RunView::rebuild);
    bar().addButton(addTrace())->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_side = new RunSide(context, this);
    m_toggleSide = new PanelToggle(QStringLiteral("run.toggleSide"), QStringLiteral("bars"),
                                   tr("Show waits, cursor and subgraphs"), this);
    connect(m_toggleSide, &QToolButton::clicked, this, [this](bool on) {
        m_wantsSide = on;
        place();
    });
    document().whenChanged(this, Part::Problem | Part::Steps | Part::Snapshot | Part::RuleSet,
                           &RunView::outdate);
    document().whenChanged(this, Part::Problem, [this] {
        showOptions();
        m_pin.reset();
        setMeasured(std::nullopt);
        forgetRange();
    });
    connect(&m_run, &LiveRun::changed, this, [this] {
        showOptions();
        outdate();
    });
    connect(&selection(), &Selection::changed, this,
            [this] { isFollowing() ? followSelection() : outdate(); });
    addOwnKeys();
    showOptions();
    rebuild();
    outdate();
}

void RunView::showOptions()
{
    // Neither a new range nor a new value is a choice of the user.
    const QSignalBlocker blockCores(m_cores), blockPrefetch(m_prefetch);
    m_prefetch->setValue(static_cast<int>(m_run.options().prefetch));
    m_cores->setRange(1, static_cast<int>(m_run.mostCores()));
    m_cores->setValue(static_cast<int>(m_run.options().cores));
}

std::size_t RunView::core() const
{
    return std::min(m_core, m_model->result()->run.cores.size() - 1);
}

void RunView::bringUpToDate()
{
    m_run.need();
    rebuild();
}

void RunView::settle()
{
    m_run.settle();
    rebuild();
    LaneChart::settle();
}

void RunView::rebuild()
{
    m_model = std::make_shared<const RunChartModel>(
        buildRunChart(m_run, document().hasProblem(), *m_model, document().colours(),
                      static_cast<RunColour>(m_colour->currentIndex())));
    LaneModel lanes = runLanes(m_model);
    lanes.titleSpace = m_toggleSide->sizeHint().width() + 8;
    setAccessibleDescription(lanes.hint.isEmpty() ? lanes.title + QStringLiteral(". ") + lanes.sentence
                                                  : lanes.hint);
    setLanes(std::move(lanes));
    m_side->show(m_model);
    followSelection();
    place();
}

OurTrace RunView::ourTrace() const
{
    if (!hasChart())
        return {};
    return {m_model->result(),
            [r = m_model->result()] { return runTrace(r->problem(), r->of->schedule, r->run); }};
}

QString RunView::copyText() const
{
    return m_model->result() ? runAsText(*m_model->result()) : QString();
}

QJsonObject RunView::settings() const
{
    QJsonObject out = LaneChart::settings();
    out[QStringLiteral("prefetch")] = static_cast<qint64>(m_run.options().prefetch);
    out[QStringLiteral("cores")] = static_cast<qint64>(m_run.wantedCores());
    out[QStringLiteral("colour")] = m_colour->currentIndex();
    return out;
}

void RunView::restoreSettings(const QJsonObject& settings)
{
    LaneChart::restoreSettings(settings);
    RunOptions options = m_run.options();
    options.prefetch = std::clamp<std::int64_t>(
        settings[QStringLiteral("prefetch")].toInteger(RunOptions().prefetch), 0, kMostPrefetch);
    m_run.setOptions(options);
    m_run.setCores(settings[QStringLiteral("cores")].toInteger(1));
    m_colour->setCurrentIndex(
        std::clamp(settings[QStringLiteral("colour")].toInt(), 0, m_colour->count() - 1));
}

// -- places ----------------------------------------------------------------------------------------------

int RunView::sideWidth() const
{
    return std::max(300, 30 * fontMetrics().horizontalAdvance(QLatin1Char('m')));
}

QRectF RunView::chartArea(const QRectF& area, bool exporting) const
{
    if (exporting || !m_side || !m_side->isVisibleTo(this))
        return area;
    return area.adjusted(0, 0, -std::min<double>(area.width() - 10, m_side->width()), 0);
}

void RunView::place()
{
    const int least = leastChartWidth(*this);
    const int side = std::min(std::max(0, width() - least / 3), sideWidth());
    const bool shown = side > 0 && m_wantsSide.value_or(width() > side + std::max(620, 2 * least));
    const QRect content = contentArea().toRect();
    m_toggleSide->setChecked(shown);
    m_side->setVisible(shown);
    m_side->setGeometry(width() - side, content.top(), side, content.height());
    placeScroll();
    const QRectF area = chartArea(contentArea(), false);
    const QSize b = m_toggleSide->sizeHint();
    m_toggleSide->setGeometry(static_cast<int>(area.right()) - b.width() - 4,
                              static_cast<int>(area.top()) + 2, b.width(), b.height());
    m_toggleSide->raise();
    update();
}

void RunView::resizeEvent(QResizeEvent* event)
{
    LaneChart::resizeEvent(event);
    place();
}

void RunView::contentResized()
{
    LaneChart::contentResized();
    place();
}

// -- cursor and selection --------------------------------------------------------------------------------

std::optional<std::size_t> RunView::selectedStep() const
{
    const SelectionState& s = selection().state();
    return hasChart() && s.subgraph ? stepOf(m_model->result()->run, *s.subgraph, s.step) : std::nullopt;
}

std::optional<double> RunView::cursor() const
{
    return hasChart() && m_pin ? std::optional(std::min(m_pin->time, m_model->result()->run.end))
                               : std::nullopt;
}

/// The cursor stays where it is while it stands for the selected step; else it goes to where that step works.
void RunView::followSelection()
{
    const auto step = selectedStep();
    if (!step) {
        if (!selection().state().subgraph)
            m_pin.reset();
    } else {
        const LiveRunResult& r = *m_model->result();
        const RunStep& s = r.run.steps[*step];
        const bool stands = m_pin && m_pin->subgraph == s.subgraph && m_pin->step == s.index &&
                            m_pin->time >= s.admitted && m_pin->time <= s.ended;
        if (!stands)
            m_pin = Pin{r.index.worksFrom[*step], s.subgraph, s.index};
    }
    m_side->showCursor(cursor());
    update();
}

void RunView::select(std::size_t step, double time)
{
    const RunStep& s = m_model->result()->run.steps[step];
    m_pin = Pin{time, s.subgraph, s.index};
    SelectionState next = selection().state();
    if (next.subgraph != s.subgraph) {
        next.subgraphs = {s.subgraph};
        next.ops.clear();
    }
    next.subgraph = s.subgraph;
    next.step = s.index;
    next.time.reset(); // the run has a time of its own
    selection().set(next);
    m_side->showCursor(cursor());
    update();
}

void RunView::pin(double time)
{
    if (!hasChart())
        return;
    const LiveRunResult& r = *m_model->result();
    const double at = std::clamp(time, 0.0, r.run.end);
    if (const auto step = stepAt(r.run, r.index, at, core()))
        select(*step, at);
}

void RunView::clicked(QPointF position, double time)
{
    if (!hasChart())
        return;
    if (const auto hit = hitAt(position); hit && hit->lane >= laneOf(RunUnit::Load)) {
        const std::size_t lane = hit->lane - laneOf(RunUnit::Load);
        m_core = lane / kCoreLanes;
        if (lane % kCoreLanes < kRunUnits)
            m_unit = static_cast<RunUnit>(lane % kCoreLanes);
    }
    if (const auto mark = markAt(position))
        select(*mark, std::clamp(time, 0.0, m_model->result()->run.end));
    else
        pin(time);
}

void RunView::cursorDragged(double time)
{
    // In the lane where the drag began: along the loads, the cursor selects the step that is being loaded.
    clicked({timeAxis().toPixel(time), pressedAt().y()}, time);
}

void RunView::hovered(QPointF position)
{
    LaneChart::hovered(position);
    HoverState hover;
    if (hasChart() && hoverTime()) {
        const LiveRunResult& r = *m_model->result();
        const auto mark = markAt(position);
        const auto step =
            mark ? std::optional<std::size_t>(*mark) : stepAt(r.run, r.index, *hoverTime(), core());
        if (step && !m_model->stale)
            hover.subgraph = r.run.steps[*step].subgraph;
    }
    selection().setHover(hover);
}

void RunView::leaveEvent(QEvent* event)
{
    selection().setHover({});
    LaneChart::leaveEvent(event);
}

QString RunView::restingReadout() const
{
    if (!hasChart())
        return {};
    const auto time = cursor();
    if (!time)
        return tr(
            "Drag in the chart to move through the run: the step that works is shown by the other views.");
    QStringList parts{number(*time)};
    if (const auto step = selectedStep())
        parts << m_model->names.step(*step);
    for (std::size_t u = 0; u < kRunUnits; ++u)
        parts << m_model->names.briefly(static_cast<RunUnit>(u), *time, core());
    return parts.join(QStringLiteral(" · "));
}

std::optional<std::uint32_t> RunView::selectedMark() const
{
    const auto step = selectedStep();
    return step ? std::optional(static_cast<std::uint32_t>(*step)) : std::nullopt;
}

std::optional<TimeCanvas::Range> RunView::selectedRange() const
{
    const auto step = selectedStep();
    if (!step)
        return std::nullopt;
    const RunStep& s = m_model->result()->run.steps[*step];
    return Range{s.admitted, s.ended};
}

QPointF RunView::focusPoint() const
{
    const auto time = cursor();
    if (!time)
        return LaneChart::focusPoint();
    return pointIn(laneOf(m_unit, core()), std::clamp(*time, visibleRange().first, visibleRange().second));
}

QStringList RunView::keysOf(const LaneHit& hit) const
{
    const LiveRunResult& r = *m_model->result();
    const std::uint32_t mark = hit.marks && hit.marks->id ? hit.marks->id(hit.mark) : Marks::kNoMark;
    const auto step =
        mark != Marks::kNoMark ? std::optional<std::size_t>(mark) : stepAt(r.run, r.index, hit.time, core());
    if (!step)
        return {};
    const RunStep& s = r.run.steps[*step];
    return {keyOf(s.subgraph, s.index), keyOf(s.subgraph)};
}

void RunView::mouseDoubleClickEvent(QMouseEvent* event)
{
    if (event->button() != Qt::LeftButton || !hasChart() || !places().plot.contains(event->position())) {
        LaneChart::mouseDoubleClickEvent(event);
        return;
    }
    if (markAt(event->position()))
        fitSelection();
    else
        zoomBy(kDoubleClick, event->position());
}

// -- keys ------------------------------------------------------------------------------------------------

void RunView::movePiece(int by, bool waits)
{
    if (!hasChart())
        return;
    const LiveRunResult& r = *m_model->result();
    const std::vector<RunPiece>& pieces = r.index.of(m_unit, core());
    const double time = cursor().value_or(0);
    const auto after = std::ranges::upper_bound(pieces, time, {}, &RunPiece::begin);
    auto at = static_cast<std::ptrdiff_t>(after - pieces.begin()) - (by < 0 && cursor() ? 1 : 0);
    for (by < 0 ? --at : at; at >= 0 && at < std::ssize(pieces); at += by) {
        const RunPiece& piece = pieces[static_cast<std::size_t>(at)];
        if (piece.end <= piece.begin || (waits ? !piece.waits : piece.waits))
            continue;
        if (piece.waits)
            pin(piece.begin);
        else
            select(static_cast<std::size_t>(r.run.commands[piece.index].step), piece.begin);
        reveal(piece.begin);
        return;
    }
}

void RunView::openInSystolic()
{
    catchUp();
    if (!hasChart())
        return;
    const LiveRunResult& r = *m_model->result();
    const std::vector<RunPiece>& pieces = r.index.of(RunUnit::Array, core());
    const double time = cursor().value_or(0);
    const auto work =
        std::ranges::find_if(pieces, [&](const RunPiece& piece) { return !piece.waits && piece.end > time; });
    if (work == pieces.end())
        return Q_EMIT workspace().refused(tr("No run is on the array at the cursor or after it."));
    const RunCommand& c = r.run.commands[work->index];
    workspace().openGemm({c.rect.height(), c.rect.width(), c.k1 - c.k0}, m_model->names.facts(c));
}

void RunView::moveUnit(int by)
{
    const auto last = static_cast<int>(kRunUnits) - 1;
    m_unit = static_cast<RunUnit>(std::clamp(static_cast<int>(m_unit) + by, 0, last));
    update();
}

QList<QAction*> RunView::viewCommands() const
{
    QList<QAction*> out;
    for (const char* id :
         {"run.openTrace", "run.openSystolic", "run.previousWait", "run.nextWait", "run.play"})
        if (QAction* action = registry().find(QLatin1String(id)))
            out << action;
    return out;
}

void RunView::addOwnKeys()
{
    addKeys("previous", tr("Previous command"), {QKeySequence(Qt::Key_Comma)},
            tr("Move the cursor to the unit's previous command."), [this] { movePiece(-1, false); });
    addKeys("next", tr("Next command"), {QKeySequence(Qt::Key_Period)},
            tr("Move the cursor to the unit's next command."), [this] { movePiece(1, false); });
    addKeys("previousWait", tr("Previous wait"), {QKeySequence(Qt::Key_BracketLeft)},
            tr("Move the cursor to the unit's previous wait."), [this] { movePiece(-1, true); });
    addKeys("nextWait", tr("Next wait"), {QKeySequence(Qt::Key_BracketRight)},
            tr("Move the cursor to the unit's next wait."), [this] { movePiece(1, true); });
    addPlaying(tr("Play the run"));
    addCommand({QStringLiteral("run.openSystolic"),
                title(),
                tr("Open the run on the array in the Systolic lens"),
                QStringLiteral("systolic"),
                {},
                tr("Show the MatMul tile that is on the array at the cursor, or the next one, PE by PE.")},
               [this](bool) { openInSystolic(); });
    addKeys("previousUnit", tr("Unit above"), {QKeySequence(Qt::Key_PageUp)},
            tr("Choose the unit above: comma and full stop move through its commands."),
            [this] { moveUnit(-1); });
    addKeys("nextUnit", tr("Unit below"), {QKeySequence(Qt::Key_PageDown)},
            tr("Choose the unit below: comma and full stop move through its commands."),
            [this] { moveUnit(1); });
    addKeys("letGo", tr("Clear range or cursor"), {QKeySequence(Qt::Key_Escape)},
            tr("End the measured range, else remove the cursor."), [this] {
                if (measured())
                    setMeasured(std::nullopt);
                else
                    m_pin.reset();
                m_side->showCursor(cursor());
                update();
            });
    addGesture("scrub", tr("Move the cursor"), tr("drag"),
               tr("The step that works at the cursor is selected: tile grid and timeline follow."));
    addGesture("closer", tr("Zoom in"), tr("double click"), tr("Zoom to the step or the place."));
}

} // namespace tilewright::ui
