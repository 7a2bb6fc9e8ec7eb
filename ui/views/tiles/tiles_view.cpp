// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/tiles/tiles_view.h"

#include "canvas/animation_clock.h"
#include "document/schedule_edits.h"
#include "theme/icon.h"
#include "theme/number.h"
#include "theme/words.h"

#include <QAction>
#include <QComboBox>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QSignalBlocker>
#include <QSlider>
#include <QStandardItemModel>
#include <QToolButton>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>

namespace tilewright::ui {

namespace {

constexpr double kMaxCell = 110;
constexpr double kMaxScale = 220;
constexpr std::int64_t kSyncSteps = 4000;        // traced at once: well under a frame
constexpr std::int64_t kDrawableTiles = 1 << 20; // larger orders are not drawn by hand
constexpr std::int64_t kCopiedSteps = 200'000;
constexpr std::int64_t kReadSteps = 500; // by assistive technology
constexpr TraversalKind kKinds[] = {TraversalKind::Raster,      TraversalKind::Snake,  TraversalKind::Column,
                                    TraversalKind::ColumnSnake, TraversalKind::Spiral, TraversalKind::Custom};
constexpr double kSpeeds[] = {2, 8, 30, 120, 0}; // steps a second; 0: all of them in ten seconds

} // namespace

TilesView::TilesView(const ViewContext& context, QWidget* parent)
    : ToolCanvas(context, QStringLiteral("tiles"), tr("Tile grid"), parent),
      m_percent(std::make_shared<std::atomic<int>>(0))
{
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
    for (auto signal : {&Document::problemChanged, &Document::snapshotChanged})
        connect(&document(), signal, this, &TilesView::refresh);
    connect(&selection(), &Selection::changed, this, &TilesView::refresh);
    connect(&clock(), &AnimationClock::tick, this, &TilesView::playTick);
    refresh();
}

TilesView::~TilesView() = default;

void TilesView::createControls()
{
    const QPointer<TilesView> self(this);
    const auto action = [this](const char* id, const QString& text, const QString& iconName,
                               const QList<QKeySequence>& keys, const QString& tip,
                               std::function<void()> run) {
        const QString name = QStringLiteral("tiles.") + QLatin1String(id);
        // A second tile grid (a test, a picture) has the buttons without the entries of the palette.
        QAction* a = nullptr;
        const ActionSpec spec{name, tr("Tile grid"), text, iconName, keys, tip};
        if (!registry().find(name)) {
            a = registry().add(spec, [run](bool) { run(); });
        } else {
            Actions own;
            a = own.add(spec, [run](bool) { run(); });
            a->setParent(this);
            connect(a, &QAction::triggered, this, run);
        }
        a->setShortcutContext(Qt::WidgetWithChildrenShortcut);
        addAction(a);
        bar().addButton(a);
        return a;
    };
    action("first", tr("First step"), QStringLiteral("first"), {}, tr("Go to the first step."),
           [self] { self ? self->showStep(0) : void(); });
    action("previous", tr("Previous step"), QStringLiteral("step-back"), {QKeySequence(Qt::Key_Comma)},
           tr("Go one step back."), [self] { self ? self->moveStep(-1) : void(); });
    m_play = action("play", tr("Play the steps"), QStringLiteral("play"), {QKeySequence(Qt::Key_Space)},
                    tr("Walk through the steps, or pause."),
                    [self] { self ? self->setPlaying(!self->m_playing) : void(); });
    action("next", tr("Next step"), QStringLiteral("step-forward"), {QKeySequence(Qt::Key_Period)},
           tr("Go one step forward."), [self] { self ? self->moveStep(1) : void(); });
    action("last", tr("Last step"), QStringLiteral("last"), {}, tr("Go to the last step."),
           [self] { self ? self->showStep(StepTable::kMaxSteps) : void(); });

    m_slider = new QSlider(Qt::Horizontal);
    m_slider->setMinimumWidth(90);
    bar().add(m_slider, tr("Step"), tr("The step that is shown; drag to go through the subgraph."), true);
    connect(m_slider, &QSlider::valueChanged, this, [this](int value) { showStep(value); });
    m_speed = bar().addChoice(
        tr("Speed"),
        {tr("2 steps/s"), tr("8 steps/s"), tr("30 steps/s"), tr("120 steps/s"), tr("all in 10 s")},
        tr("How fast playing goes."));
    m_speed->setCurrentIndex(1);
    m_colour = bar().addChoice(tr("Colour"), {tr("latency"), tr("bound"), tr("loads"), tr("order")},
                               tr("What the colour of a tile tells."));
    connect(m_colour, &QComboBox::currentIndexChanged, this,
            [this](int i) { setColour(static_cast<TileColour>(i)); });
    m_order = bar().addChoice(
        tr("Order"),
        {tr("raster"), tr("snake"), tr("columns"), tr("column snake"), tr("spiral"), tr("custom")},
        tr("The order in which the tiles are visited. Drag across the tiles to draw one of your own."));
    if (auto* items = qobject_cast<QStandardItemModel*>(m_order->model()))
        items->item(5)->setEnabled(false); // drawn, not chosen
    connect(m_order, &QComboBox::activated, this, &TilesView::chooseTraversal);
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
    m_trace = std::move(trace);
    const SnapshotPtr& snapshot = document().snapshot();
    m_model = buildTiles(snapshot.get(), selection().state(), m_trace,
                         {static_cast<TileColour>(m_colour->currentIndex())});
    m_image = QImage();
    if (m_model.grid != gridBefore || m_model.subgraph != subgraphBefore) {
        m_autoFit = true;
        m_overlay.hover.reset();
        cancelDrawing();
        m_lastDrawn.clear();
    }
    if (m_autoFit)
        m_viewport = fitted(placesIn(contentArea()).grid);

    const bool ready = m_model.trace != nullptr;
    const QSignalBlocker quiet(m_slider);
    m_slider->setEnabled(ready);
    m_slider->setMaximum(ready ? static_cast<int>(m_trace->steps->size()) - 1 : 0);
    m_slider->setPageStep(std::max(1, m_slider->maximum() / 20));
    m_order->setEnabled(m_model.grid.tiles() > 0);
    if (snapshot && m_model.subgraph)
        m_order->setCurrentIndex(
            static_cast<int>(std::find(std::begin(kKinds), std::end(kKinds),
                                       snapshot->schedule[*m_model.subgraph].traversal.kind()) -
                             std::begin(kKinds)));
    if (!ready && m_playing && !m_job->isBusy())
        setPlaying(false);
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
        const QSignalBlocker quiet(m_slider);
        m_slider->setValue(static_cast<int>(i));
    }
    m_hoveredRow.reset();
    setAccessibleDescription(m_step ? m_model.title + QStringLiteral(". ") + m_step->where +
                                          QStringLiteral(", ") + m_step->count
                                    : m_model.hint);
    update();
}

void TilesView::showStep(std::int64_t step)
{
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

void TilesView::moveStep(std::int64_t by)
{
    if (m_step)
        showStep(m_step->step.index + by);
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

// -- playing ---------------------------------------------------------------------------------------------

void TilesView::setPlaying(bool playing)
{
    if (playing == m_playing || (playing && !m_step))
        return;
    m_playing = playing;
    if (playing) {
        const std::int64_t last = m_model.trace->steps->size() - 1;
        if (m_step->step.index >= last)
            showStep(0);
        m_playAt = static_cast<double>(m_step->step.index);
        clock().start(this);
    } else {
        clock().stop(this);
    }
    m_play->setIcon(icon(playing ? QStringLiteral("pause") : QStringLiteral("play")));
    m_play->setText(playing ? tr("Pause") : tr("Play the steps"));
}

void TilesView::playTick(double seconds)
{
    if (!m_playing || !m_step || !m_model.trace)
        return;
    const auto size = static_cast<double>(m_model.trace->steps->size());
    const double speed = kSpeeds[m_speed->currentIndex()];
    // Someone else may have moved on: continue from where we are.
    if (static_cast<std::int64_t>(m_playAt) != m_step->step.index)
        m_playAt = static_cast<double>(m_step->step.index);
    m_playAt += seconds * (speed > 0 ? speed : size / 10);
    if (m_playAt >= size - 1) {
        showStep(static_cast<std::int64_t>(size) - 1);
        setPlaying(false);
        return;
    }
    if (static_cast<std::int64_t>(m_playAt) != m_step->step.index)
        showStep(static_cast<std::int64_t>(m_playAt));
}

void TilesView::hideEvent(QHideEvent* event)
{
    setPlaying(false);
    ToolCanvas::hideEvent(event);
}

// -- geometry --------------------------------------------------------------------------------------------

TilesView::Places TilesView::placesIn(const QRectF& area)
{
    Places p;
    QRectF grid = area;
    if (area.width() >= 520) {
        const double em = QFontMetricsF(uiFont(0.9)).horizontalAdvance(QLatin1Char('0'));
        const double least = std::min(37 * em, area.width() / 2);
        const double w = std::round(std::clamp(area.width() * 0.34, least, std::max(least, 57 * em)));
        p.panel = QRectF(area.right() - w, area.top(), w, area.height());
        grid.setRight(p.panel.left());
    } else if (area.height() >= 520) {
        p.panel = area.adjusted(0, area.height() * 0.5, 0, 0);
        grid.setBottom(p.panel.top());
    }
    p.header = QRectF(grid.left(), grid.top(), grid.width(), tilesHeaderHeight());
    p.legend = QRectF(grid.left(), grid.bottom() - tilesLegendHeight(), grid.width(), tilesLegendHeight());
    p.grid = QRectF(grid.left(), p.header.bottom(), grid.width(),
                    std::max(0.0, p.legend.top() - p.header.bottom()));
    return p;
}

Viewport TilesView::fitted(const QRectF& grid) const
{
    return Viewport::fit(tilesScene(m_model), grid, 8, kMaxCell);
}

void TilesView::contentResized()
{
    if (m_autoFit)
        m_viewport = fitted(placesIn(contentArea()).grid);
}

void TilesView::zoomBy(double factor, QPointF anchor)
{
    if (m_model.grid.tiles() == 0)
        return;
    const double whole = fitted(placesIn(contentArea()).grid).scale;
    m_viewport = m_viewport.zoomed(factor, anchor, std::min(whole, kMaxScale), kMaxScale);
    m_autoFit = m_viewport.scale <= whole * 1.0001;
    if (m_autoFit)
        m_viewport = fitted(placesIn(contentArea()).grid);
    update();
}

void TilesView::panBy(QPointF pixels)
{
    if (m_model.grid.tiles() == 0 || m_autoFit)
        return;
    // At least a corner of the grid stays in sight.
    const QRectF grid = placesIn(contentArea()).grid;
    const Viewport moved = m_viewport.panned(pixels);
    if (moved.toScreen(tilesScene(m_model)).intersects(grid.adjusted(40, 40, -40, -40)))
        m_viewport = moved;
    update();
}

void TilesView::fitAll()
{
    m_autoFit = true;
    contentResized();
    update();
}

void TilesView::fitSelection()
{
    if (!m_overlay.tile)
        return fitAll();
    const QRectF tile = tileRect(m_model, *m_overlay.tile);
    m_viewport = Viewport::fit(tile.adjusted(-3, -3, 3, 3), placesIn(contentArea()).grid, 8, kMaxCell);
    m_autoFit = false;
    update();
}

std::optional<QRectF> TilesView::shownPart() const
{
    if (m_model.grid.tiles() == 0)
        return std::nullopt;
    return m_autoFit ? QRectF() : m_viewport.toScene(placesIn(contentArea()).grid);
}

void TilesView::showPart(const QRectF& part)
{
    if (m_model.grid.tiles() == 0 || part.isEmpty() || !part.intersects(tilesScene(m_model))) {
        fitAll();
        return;
    }
    m_viewport = Viewport::showing(part, placesIn(contentArea()).grid);
    m_autoFit = false;
    update();
}

QRectF TilesView::selectedPart() const
{
    return m_overlay.tile ? tileRect(m_model, *m_overlay.tile) : QRectF();
}

QPointF TilesView::focusPoint() const
{
    return m_overlay.tile ? tileCentre(*m_overlay.tile) : contentArea().center();
}

std::optional<std::int64_t> TilesView::tileUnder(QPointF position) const
{
    if (m_model.grid.tiles() == 0 || !placesIn(contentArea()).grid.contains(position))
        return std::nullopt;
    return tileAt(m_model, m_viewport.toScene(position));
}

QPointF TilesView::tileCentre(std::int64_t tile) const
{
    return m_viewport.toScreen(tileRect(m_model, tile)).center();
}

// -- painting --------------------------------------------------------------------------------------------

void TilesView::paintContent(QPainter& painter, const QRectF& area, const Theme& theme, bool exporting)
{
    if (!m_model.hint.isEmpty()) {
        paintEmptyHint(painter, area, m_model.hint, theme);
        return;
    }
    const Places places = placesIn(area);
    const Viewport viewport = exporting ? fitted(places.grid) : m_viewport;
    if (m_model.trace && viewport.scale * std::min(1.0, m_model.aspect) < kCellPixels &&
        (m_image.isNull() || m_imageTheme != &theme)) {
        m_image = tilesImage(m_model, theme);
        m_imageTheme = &theme;
    }
    TilesOverlay overlay = m_overlay;
    if (exporting) {
        overlay.hover.reset();
        overlay.note.clear();
    } else if (m_drawing) {
        overlay.drawn = m_drawing->tiles();
    }
    paintTiles(painter, m_model, places.grid, viewport, m_image, theme, overlay);
    paintTilesHeader(painter, m_model, places.header, theme);
    paintTilesLegend(painter, m_model, places.legend, theme);
    if (!m_model.trace) {
        paintEmptyHint(painter, places.grid, tr("Following the steps … %1 %").arg(m_percent->load()), theme);
        return;
    }
    if (m_step && !places.panel.isEmpty())
        paintStepPanel(painter, *m_step, m_model, layoutStepPanel(*m_step, places.panel),
                       exporting ? 0 : m_scroll, exporting ? std::nullopt : m_hoveredRow, theme);
}

QString TilesView::tooltipAt(QPointF position) const
{
    if (const auto tile = tileUnder(position))
        return tileTooltip(m_model, *tile);
    if (m_step && m_hoveredRow) {
        const StepRow& row = m_step->rows[static_cast<std::size_t>(*m_hoveredRow)];
        return QStringLiteral("<b>%1</b> %2<br>%3<br>%4")
            .arg(stepRowHeading(row.kind), row.name.toHtmlEscaped(), row.detail,
                 row.kind == StepRow::Kind::Run ? tr("compute time %1").arg(exactNumber(row.amount))
                                                : tr("%1 of %2 elements")
                                                      .arg(exactNumber(row.amount))
                                                      .arg(number(row.height * row.width)));
    }
    return {};
}

// -- mouse and keys --------------------------------------------------------------------------------------

void TilesView::mousePressEvent(QMouseEvent* event)
{
    ToolCanvas::mousePressEvent(event);
    if (event->button() != Qt::LeftButton)
        return;
    setPlaying(false);
    m_pressed = tileUnder(event->position());
}

void TilesView::mouseMoveEvent(QMouseEvent* event)
{
    ToolCanvas::mouseMoveEvent(event);
    if (m_pressed && (event->buttons() & Qt::LeftButton)) {
        const auto tile = tileUnder(event->position());
        m_overlay.noteAt = event->position();
        if (tile && (m_drawing || *tile != *m_pressed))
            extendDrawing(*tile);
        update();
        return;
    }
    updateHover(event->position());
}

void TilesView::updateHover(QPointF position)
{
    const auto tile = tileUnder(position);
    const Places places = placesIn(contentArea());
    std::optional<int> row;
    if (m_step && places.panel.contains(position))
        row = stepRowAt(layoutStepPanel(*m_step, places.panel), m_scroll, position);
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
    if (m_drawing) {
        finishDrawing();
    } else if (m_pressed && m_model.trace) {
        const TileSums& tile = m_model.trace->tiles[static_cast<std::size_t>(*m_pressed)];
        if (tile.visit >= 0)
            showStep(m_model.trace->steps->visits()[static_cast<std::size_t>(tile.visit)].firstStep);
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
    const Places places = placesIn(contentArea());
    if (m_step && places.panel.contains(event->position())) {
        const StepPanelLayout layout = layoutStepPanel(*m_step, places.panel);
        const double by =
            event->pixelDelta().isNull() ? event->angleDelta().y() / 2.0 : event->pixelDelta().y();
        m_scroll = std::clamp(m_scroll - by, 0.0, std::max(0.0, layout.height - layout.list.height()));
        event->accept();
        update();
        return;
    }
    ToolCanvas::wheelEvent(event);
}

void TilesView::keyPressEvent(QKeyEvent* event)
{
    if (event->key() == Qt::Key_Escape && m_drawing) {
        cancelDrawing();
        m_pressed.reset();
        event->accept();
        return;
    }
    ToolCanvas::keyPressEvent(event);
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

// -- order -----------------------------------------------------------------------------------------------

void TilesView::chooseTraversal(int index)
{
    if (kKinds[index] != TraversalKind::Custom)
        applyTraversal(kKinds[index], tr("Tile order: %1").arg(m_order->itemText(index)));
}

void TilesView::applyTraversal(const Traversal& traversal, const QString& text)
{
    if (!m_model.subgraph || !document().hasProblem())
        return;
    const SubgraphId subgraphs[] = {*m_model.subgraph};
    document().apply(edit::setTraversal(*document().problem(), document().schedule(), subgraphs, traversal,
                                        editOptions(document().rules())),
                     text);
}

void TilesView::extendDrawing(std::int64_t tile)
{
    if (m_model.grid.tiles() > kDrawableTiles || !m_model.subgraph)
        return;
    const std::size_t before = m_drawing ? m_drawing->tiles().size() : 0;
    if (!m_drawing) {
        m_drawing.emplace(m_model.grid);
        if (!m_lastDrawn.empty() && m_lastDrawn.back() == *m_pressed)
            m_drawing->resume(m_lastDrawn);
        m_drawing->moveTo(*m_pressed);
    }
    m_drawing->moveTo(tile);
    if (m_drawing->tiles().size() == before)
        return;
    const QString count = plural(std::ssize(m_drawing->tiles()), tr("%1 tile"), tr("%1 tiles"));
    m_overlay.note = count;

    // What it would change, before the mouse is released.
    const SnapshotPtr snapshot = document().snapshot();
    const Subgraph& subgraph = document().schedule()[*m_model.subgraph];
    const auto order = tileOrder(subgraph.traversal, m_model.grid.rows, m_model.grid.cols);
    const SubgraphId subgraphs[] = {*m_model.subgraph};
    const auto trial = edit::setTraversal(
        *document().problem(), document().schedule(), subgraphs,
        Traversal::recognise(m_drawing->completed(order), m_model.grid.rows, m_model.grid.cols),
        editOptions(document().rules()));
    if (trial && snapshot)
        document().requestTrial(*trial, [self = QPointer<TilesView>(this), count,
                                         total = snapshot->evaluation.total](const SnapshotPtr& tried) {
            if (!self || !self->m_drawing || !tried)
                return;
            self->m_overlay.note =
                tr("%1 · total %2").arg(count, signedNumber(tried->evaluation.total - total));
            self->update();
        });
}

void TilesView::finishDrawing()
{
    const OrderDrawing drawing = *std::exchange(m_drawing, std::nullopt);
    m_overlay.note.clear();
    document().cancelTrial();
    const Subgraph& subgraph = document().schedule()[*m_model.subgraph];
    const auto order = tileOrder(subgraph.traversal, m_model.grid.rows, m_model.grid.cols);
    m_lastDrawn = drawing.tiles();
    applyTraversal(Traversal::recognise(drawing.completed(order), m_model.grid.rows, m_model.grid.cols),
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
