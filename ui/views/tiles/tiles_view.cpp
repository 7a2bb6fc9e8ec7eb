// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/tiles/tiles_view.h"

#include "theme/number.h"

#include <QComboBox>
#include <QStandardItemModel>

#include <algorithm>

namespace tilewright::ui {

namespace {

constexpr std::int64_t kSyncSteps = 4000; // up to this number, steps are traced at once: well under a frame
constexpr std::int64_t kCopiedSteps = 200'000;
constexpr std::int64_t kReadSteps = 500; // largest number of steps for assistive technology
constexpr TraversalKind kKinds[] = {TraversalKind::Raster,      TraversalKind::Snake,  TraversalKind::Column,
                                    TraversalKind::ColumnSnake, TraversalKind::Spiral, TraversalKind::Custom};

} // namespace

TilesView::TilesView(const ViewContext& context, QWidget* parent)
    : ToolCanvas(context, QStringLiteral("tiles"), tr("Tile grid"), parent),
      m_percent(std::make_shared<std::atomic<int>>(0)),
      m_scroll(new ListScroll(tr("Scroll the list of the step"), this))
{
    connect(m_scroll, &QScrollBar::valueChanged, this, qOverload<>(&QWidget::update));
    m_job = std::make_unique<LatestJob<std::shared_ptr<const TileTrace>>>(
        [this](std::shared_ptr<const TileTrace> trace) {
            m_requested.reset();
            m_progressTimer.stop();
            if (trace)
                rebuild(std::move(trace));
        },
        true);
    createControls();
    m_progressTimer.setInterval(100);
    connect(&m_progressTimer, &QTimer::timeout, this, qOverload<>(&QWidget::update));
    document().whenChanged(this, Part::Problem | Part::Snapshot, &TilesView::follow);
    connect(&selection(), &Selection::changed, this, &TilesView::follow);
    addOwnKeys();
    refresh();
}

TilesView::~TilesView() = default;

void TilesView::createControls()
{
    m_playback = new Playback(clock(),
                              {[this] {
                                   catchUp(); // commands can reach a hidden view
                                   return m_step ? m_model.trace->steps->size() : 0;
                               },
                               [this] {
                                   catchUp();
                                   return m_step ? m_step->step.index : 0;
                               },
                               [this](std::int64_t step) { showStep(step); }},
                              this);
    m_scrubber = new Scrubber(*this, *m_playback,
                              {QStringLiteral("tiles."), tr("step"), tr("steps"), tr("Step"),
                               tr("The step that is shown; drag to move through the subgraph."),
                               tr("Play the steps"), tr("Pause"), tr("Play or pause the steps.")});
    m_scrubber->addSpeeds();
    m_colour = bar().addChoice(tr("Colour"), {tr("latency"), tr("bound"), tr("loads"), tr("order")},
                               tr("Quantity that the colour of a tile shows."));
    connect(m_colour, &QComboBox::currentIndexChanged, this,
            [this](int i) { setColour(static_cast<TileColour>(i)); });
    m_order = bar().addChoice(
        tr("Order"),
        {tr("raster"), tr("snake"), tr("columns"), tr("column snake"), tr("spiral"), tr("custom")},
        tr("The order in which the tiles are visited. Drag across the tiles to draw your own order. With the "
           "keyboard, arrows choose a tile, {tiles.append|Enter} adds it to the order, Shift+arrows draw."));
    registry().explain(m_order, m_order->toolTip());
    if (auto* items = qobject_cast<QStandardItemModel*>(m_order->model()))
        items->item(5)->setEnabled(false); // a custom order is drawn, not chosen here
    connect(m_order, &QComboBox::activated, this, [this](int i) {
        if (kKinds[i] != TraversalKind::Custom)
            applyTraversal(kKinds[i], tr("Tile order: %1").arg(m_order->itemText(i)));
    });
}

// -- state -----------------------------------------------------------------------------------------------

void TilesView::refresh()
{
    const SnapshotPtr& snapshot = document().snapshot();
    const auto shown = snapshot ? shownSubgraph(*snapshot, selection().state()) : std::nullopt;
    if (snapshot && shown && snapshot->evaluation.subgraphs[shown->index()].structurallyValid) {
        const SubgraphEvaluation& e = snapshot->evaluation.subgraphs[shown->index()];
        const TraceKey key = traceKey(*snapshot, *shown);
        const bool have = m_trace && m_trace->key == key;
        if (!have && !(m_requested && *m_requested == key) && e.rows * e.cols <= kMaxTiles) {
            m_requested = key;
            if (e.steps <= kSyncSteps) {
                m_job->cancel();
                m_requested.reset();
                m_trace = buildTileTrace(key, {}, e.steps);
            } else {
                m_percent->store(0);
                m_progressTimer.start();
                m_job->request([key, steps = e.steps, percent = m_percent](std::stop_token stop) {
                    const Progress progress{
                        stop, [&](double f, std::string_view) { percent->store(static_cast<int>(f * 100)); }};
                    return buildTileTrace(key, progress, steps);
                });
            }
        }
    }
    rebuild(m_trace);
}

void TilesView::rebuild(std::shared_ptr<const TileTrace> trace)
{
    const TileGrid gridBefore = m_model.grid;
    const auto subgraphBefore = m_model.subgraph;
    const auto traceBefore = m_model.trace;
    m_trace = std::move(trace);
    const SnapshotPtr& snapshot = document().snapshot();
    m_model = buildTiles(snapshot.get(), selection().state(), m_trace,
                         {static_cast<TileColour>(m_colour->currentIndex())});
    if (m_model.trace != traceBefore)
        m_image = QImage();
    if (m_model.grid != gridBefore || m_model.subgraph != subgraphBefore) {
        m_autoFit = true;
        m_overlay.hover.reset();
        m_overlay.cursor.reset();
        m_pressed.reset();
        cancelDrawing();
        m_lastDrawn.clear();
    }
    if (m_autoFit)
        m_viewport = fitted(placesIn(contentArea()).grid);

    const bool ready = m_model.trace != nullptr;
    m_order->setEnabled(m_model.grid.tiles() > 0);
    if (snapshot && m_model.subgraph)
        m_order->setCurrentIndex(
            static_cast<int>(std::find(std::begin(kKinds), std::end(kKinds),
                                       snapshot->schedule[*m_model.subgraph].traversal.kind()) -
                             std::begin(kKinds)));
    if (!ready && !m_job->isBusy())
        m_playback->setPlaying(false);
    refreshStep();
}

void TilesView::refreshStep()
{
    m_step.reset();
    m_overlay.tile.reset();
    m_overlay.visit = -1;
    if (m_model.trace && m_model.trace->steps->size() > 0) {
        const StepTable& steps = *m_model.trace->steps;
        const std::int64_t i = std::clamp<std::int64_t>(selection().state().step, 0, steps.size() - 1);
        m_step = buildStep(*m_model.trace, i);
        m_overlay.tile = m_step->step.tile;
        m_overlay.visit = steps.visitOf(i);
    }
    m_scrubber->refresh();
    m_hoveredRow.reset();
    placeScroll();
    setAccessibleDescription(m_step ? m_model.title + QStringLiteral(". ") + m_step->where +
                                          QStringLiteral(", ") + m_step->count
                                    : m_model.hint);
    update();
}

void TilesView::follow()
{
    // Playback continues behind another tab: the other views follow its step.
    m_playback->isPlaying() ? refresh() : outdate();
}

void TilesView::showStep(std::int64_t step)
{
    catchUp(); // commands can reach a hidden view
    if (!m_model.trace || !m_model.subgraph)
        return;
    const StepTable& steps = *m_model.trace->steps;
    SelectionState next = selection().state();
    next.step = std::clamp<std::int64_t>(step, 0, std::max<std::int64_t>(0, steps.size() - 1));
    if (next.subgraph != m_model.subgraph) {
        next.subgraph = m_model.subgraph;
        next.subgraphs = {*m_model.subgraph};
    }
    next.time = m_model.subgraphStart + steps.start(next.step);
    selection().set(next);
}

void TilesView::showTile(std::int64_t tile)
{
    if (!m_model.trace)
        return;
    const TileSums& sums = m_model.trace->tiles[static_cast<std::size_t>(tile)];
    if (sums.visit >= 0)
        showStep(m_model.trace->steps->visits()[static_cast<std::size_t>(sums.visit)].firstStep);
}

void TilesView::setColour(TileColour colour)
{
    m_colour->setCurrentIndex(static_cast<int>(colour));
    m_model.options.colour = colour;
    m_image = QImage();
    update();
}

void TilesView::settle()
{
    document().waitForSnapshot();
    m_job->waitIdle();
}

QString TilesView::copyText() const
{
    return m_model.trace ? stepsAsText(*m_model.trace, kCopiedSteps) : QString();
}

QString TilesView::tableText() const
{
    return m_model.trace ? stepsAsText(*m_model.trace, kReadSteps) : QString();
}

void TilesView::hideEvent(QHideEvent* event)
{
    m_playback->setPlaying(false);
    ToolCanvas::hideEvent(event);
}

} // namespace tilewright::ui
