// SPDX-License-Identifier: GPL-3.0-or-later
// The tile grid view: mouse, keys, and drawing an order with either.
#include "views/tiles/tiles_view.h"

#include "theme/number.h"
#include "workspace/schedule_edits.h"

#include <QCoreApplication>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPointer>
#include <QWheelEvent>

#include <algorithm>
#include <utility>

namespace tilewright::ui {

namespace {
constexpr std::int64_t kDrawableTiles = 1 << 20; // larger orders cannot be drawn by hand
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
        m_drawing->resume(m_lastDrawn); // continues at the end of the last drawing
    m_drawing->append(tile);
    return true;
}

void TilesView::drawingChanged()
{
    if (!document().isEvaluated()) // the schedule has changed since: its subgraphs are others
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
    // The effect of the order, before it is applied.
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
