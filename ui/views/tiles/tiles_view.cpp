// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/tiles/tiles_view.h"

#include "theme/text.h"
#include "workspace/schedule_edits.h"

#include <QComboBox>
#include <QCoreApplication>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPointer>
#include <QStandardItemModel>
#include <QWheelEvent>

#include <algorithm>
#include <utility>

namespace tilewright::ui {

namespace {

// Maximum number of steps that are traced at once; this takes much less than the time of a frame.
constexpr std::int64_t kSyncSteps = 4000;
constexpr std::int64_t kCopiedSteps = 200'000;
constexpr std::int64_t kReadSteps = 500; // maximum number of steps that assistive technology gets
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
                                   catchUp(); // commands can be run while the view is hidden
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
        items->item(5)->setEnabled(false); // the entry "custom" cannot be chosen: a custom order is drawn
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
    // Playback also continues behind another tab, because the other views follow its step.
    m_playback->isPlaying() ? refresh() : outdate();
}

void TilesView::showStep(std::int64_t step)
{
    catchUp(); // commands can be run while the view is hidden
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

// The tile grid view: mouse, keys, and drawing an order with either.

namespace {
// Maximum number of tiles of an order that can be drawn by hand.
constexpr std::int64_t kDrawableTiles = 1 << 20;
} // namespace

// -- mouse -----------------------------------------------------------------------------------------------

void TilesView::mousePressEvent(QMouseEvent* event)
{
    ToolCanvas::mousePressEvent(event);
    if (event->button() != Qt::LeftButton)
        return;
    m_playback->setPlaying(false);
    m_overlay.cursor.reset();
    m_pressed = tileUnder(event->position());
}

void TilesView::mouseMoveEvent(QMouseEvent* event)
{
    ToolCanvas::mouseMoveEvent(event);
    if (m_pressed && (event->buttons() & Qt::LeftButton)) {
        const auto tile = tileUnder(event->position());
        m_overlay.noteAt = event->position();
        if (tile && (m_drawing || *tile != *m_pressed) && startDrawing(*m_pressed)) {
            m_mouseDraws = true;
            m_drawing->moveTo(*tile);
            drawingChanged();
        }
        update();
        return;
    }
    updateHover(event->position());
}

void TilesView::updateHover(QPointF position)
{
    const auto tile = tileUnder(position);
    std::optional<int> row;
    if (m_step && placesIn(contentArea()).panel.contains(position))
        row = stepRowAt(panelLayout(), m_scroll->value(), position);
    if (tile == m_overlay.hover && row == m_hoveredRow)
        return;
    m_overlay.hover = tile;
    m_hoveredRow = row;
    HoverState hover;
    if (row) {
        hover.tensor = m_step->rows[static_cast<std::size_t>(*row)].tensor;
        hover.op = m_step->rows[static_cast<std::size_t>(*row)].op;
    }
    selection().setHover(hover);
    update();
}

void TilesView::mouseReleaseEvent(QMouseEvent* event)
{
    ToolCanvas::mouseReleaseEvent(event);
    if (event->button() != Qt::LeftButton)
        return;
    if (std::exchange(m_mouseDraws, false) && m_drawing) {
        finishDrawing();
    } else if (m_pressed) {
        showTile(*m_pressed);
    } else if (m_hoveredRow && m_step) {
        const StepRow& row = m_step->rows[static_cast<std::size_t>(*m_hoveredRow)];
        if (row.tensor)
            selection().selectTensor(row.tensor);
        else if (row.op)
            selection().selectOps({*row.op});
    }
    m_pressed.reset();
}

void TilesView::wheelEvent(QWheelEvent* event)
{
    if (m_scroll->isVisible() && placesIn(contentArea()).panel.contains(event->position()))
        QCoreApplication::sendEvent(m_scroll, event);
    else
        ToolCanvas::wheelEvent(event);
}

void TilesView::leaveEvent(QEvent* event)
{
    if (m_overlay.hover || m_hoveredRow) {
        m_overlay.hover.reset();
        m_hoveredRow.reset();
        selection().setHover({});
        update();
    }
    ToolCanvas::leaveEvent(event);
}

// -- keys ------------------------------------------------------------------------------------------------

void TilesView::addOwnKeys()
{
    addKeys("tile", tr("Choose a tile"), arrowKeys(), tr("Move from tile to tile; with Shift draw an order."),
            [this](const KeyUse& use) { moveCursor(use.arrow().y(), use.arrow().x(), use.shift()); });
    addKeys("append", tr("Add the tile to the order"), {QKeySequence(Qt::Key_Return)},
            tr("Draw the order tile by tile. The remaining tiles follow automatically."),
            [this] { appendCursor(); });
    addKeys("finish", tr("Finish the drawing"), {QKeySequence(Qt::CTRL | Qt::Key_Return)},
            tr("Apply the drawn order. Without a drawing, show the step of the chosen tile."), [this] {
                if (m_drawing)
                    finishDrawing();
                else if (m_overlay.cursor)
                    showTile(*m_overlay.cursor);
            });
    addKeys("takeBack", tr("Remove the last tile"), {QKeySequence(Qt::Key_Backspace)},
            tr("Remove the last tile of the order that is being drawn."), [this] {
                if (!m_drawing)
                    return;
                m_drawing->removeLast();
                m_drawing->empty() ? cancelDrawing() : drawingChanged();
            });
    addKeys("letGo", tr("Cancel the drawing"), {QKeySequence(Qt::Key_Escape)},
            tr("The traversal order does not change."), [this] {
                cancelDrawing();
                m_pressed.reset();
                m_overlay.cursor.reset();
                update();
            });
    addGesture("draw", tr("Draw an order"), tr("drag across the tiles"),
               tr("The remaining tiles follow automatically."));
    addGesture("show", tr("Show the step of a tile"), tr("click"),
               tr("Show what is loaded, reused, stored and resident in that step."));
}

void TilesView::moveCursor(std::int64_t rows, std::int64_t cols, bool draw)
{
    const TileGrid& grid = m_model.grid;
    if (grid.tiles() == 0)
        return;
    const std::int64_t from = m_overlay.cursor.value_or(m_overlay.tile.value_or(0));
    const std::int64_t row = std::clamp<std::int64_t>(from / grid.cols + rows, 0, grid.rows - 1);
    const std::int64_t col = std::clamp<std::int64_t>(from % grid.cols + cols, 0, grid.cols - 1);
    m_overlay.cursor = row * grid.cols + col;
    ensureTileVisible(*m_overlay.cursor);
    if (draw && startDrawing(from)) {
        m_drawing->moveTo(*m_overlay.cursor);
        drawingChanged();
    }
    m_overlay.noteAt = tileCentre(*m_overlay.cursor);
    update();
}

void TilesView::appendCursor()
{
    if (!m_overlay.cursor)
        m_overlay.cursor = m_overlay.tile;
    if (!m_overlay.cursor || !startDrawing(*m_overlay.cursor))
        return;
    m_overlay.noteAt = tileCentre(*m_overlay.cursor);
    m_drawing->append(*m_overlay.cursor);
    drawingChanged();
}

// -- order -----------------------------------------------------------------------------------------------

void TilesView::applyTraversal(const Traversal& traversal, const QString& text)
{
    if (!m_model.subgraph || !document().hasProblem())
        return;
    const SubgraphId subgraphs[] = {*m_model.subgraph};
    document().apply(edit::setTraversal(*document().problem(), document().schedule(), subgraphs, traversal,
                                        editOptions(document().rules())),
                     text);
}

bool TilesView::startDrawing(std::int64_t tile)
{
    if (m_drawing)
        return true;
    if (m_model.grid.tiles() > kDrawableTiles || !m_model.subgraph)
        return false;
    m_drawing.emplace(m_model.grid);
    if (!m_lastDrawn.empty() && m_lastDrawn.back() == tile)
        m_drawing->resume(m_lastDrawn); // continue the last drawing at its end
    m_drawing->append(tile);
    return true;
}

void TilesView::drawingChanged()
{
    if (!document().isEvaluated()) // the schedule has changed meanwhile, so its subgraphs may be others
        return cancelDrawing();
    if (m_drawing->complete() && !m_mouseDraws)
        return finishDrawing();
    const QString count = counted(std::ssize(m_drawing->tiles()), tr("tile"), tr("tiles"));
    const QString keys =
        m_mouseDraws
            ? QString()
            : registry().withKeys(tr(" · {tiles.finish|Ctrl+Enter} applies, {tiles.letGo|Esc} cancels"));
    m_overlay.note = count + keys;
    update();
    // Shows the effect of the order before it is applied.
    const SnapshotPtr snapshot = document().snapshot();
    if (!snapshot)
        return;
    document().requestTrial(
        [problem = document().problem(), schedule = document().schedule(), id = *m_model.subgraph,
         drawing = *m_drawing, options = editOptions(document().rules())] {
            const SubgraphId subgraphs[] = {id};
            return edit::setTraversal(*problem, schedule, subgraphs,
                                      drawing.traversal(schedule[id].traversal), options);
        },
        [self = QPointer<TilesView>(this), count, keys,
         total = snapshot->evaluation.total](const Result<SnapshotPtr>& tried) {
            if (!self || !self->m_drawing || !tried)
                return;
            self->m_overlay.note =
                tr("%1 · total %2").arg(count, signedNumber(change(total, (*tried)->evaluation.total))) +
                keys;
            self->update();
        });
}

void TilesView::finishDrawing()
{
    if (!document().isEvaluated())
        return cancelDrawing();
    const OrderDrawing drawing = *std::exchange(m_drawing, std::nullopt);
    m_overlay.note.clear();
    document().cancelTrial();
    m_lastDrawn = drawing.tiles();
    applyTraversal(drawing.traversal(document().schedule()[*m_model.subgraph].traversal),
                   tr("Draw the tile order"));
    update();
}

void TilesView::cancelDrawing()
{
    if (!m_drawing)
        return;
    m_drawing.reset();
    m_overlay.note.clear();
    document().cancelTrial();
    update();
}

} // namespace tilewright::ui
