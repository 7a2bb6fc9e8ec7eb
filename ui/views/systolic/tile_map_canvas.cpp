// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/systolic/tile_map_canvas.h"

#include "theme/number.h"
#include "theme/text_row.h"
#include "workspace/lens_links.h"

#include <QComboBox>
#include <QMouseEvent>
#include <QPainter>
#include <QStandardItemModel>

#include <algorithm>

namespace tilewright::ui {

using namespace systolic;

TileMapCanvas::TileMapCanvas(const ViewContext& context, QWidget* parent)
    : SystolicPane(context, QStringLiteral("systolic-tiles"), tr("Systolic tile search"), parent)
{
    using S = SystolicSettings;
    addSetting(
        tr("Level"), {tr("L1"), tr("L2"), tr("L3")}, tr("The memory level that the tile must fit."),
        [](const S& s) { return s.tileLevel == Level::L1   ? 0
                                : s.tileLevel == Level::L2 ? 1
                                                           : 2; },
        [](S& s, int i) { s.tileLevel = i == 0   ? Level::L1
                                        : i == 1 ? Level::L2
                                                 : Level::L3; });
    addSetting(
        tr("Capacity"), {tr("one buffer"), tr("all buffers")},
        tr("One buffer of the level, or all its buffers together."),
        [](const S& s) { return s.wholeLevel ? 1 : 0; }, [](S& s, int i) { s.wholeLevel = i == 1; });
    addSetting(
        tr("Buffering"), {tr("single"), tr("double")},
        tr("With double buffering, the next tile is loaded during the current one: half the space per tile."),
        [](const S& s) { return static_cast<int>(std::clamp<std::int64_t>(s.buffering, 1, 2)) - 1; },
        [](S& s, int i) { s.buffering = i + 1; });
    addSetting(
        tr("Footprint"), {tr("A, B and C"), tr("A and B, C in PEs")},
        tr("A, B and C: the C tile counts too. A and B: the C tile stays in the PEs."),
        [](const S& s) { return static_cast<int>(s.footprint); },
        [](S& s, int i) { s.footprint = static_cast<Footprint>(i); });
    m_method = bar().addChoice(tr("Tile"), {tr("analytic"), tr("exhaustive"), tr("learned"), tr("by hand")},
                               tr("Method whose tile is used. Click the map to choose a tile by hand."));
    if (auto* items = qobject_cast<QStandardItemModel*>(m_method->model()))
        items->item(3)->setEnabled(false); // set by a click on the map, not chosen here
    connect(m_method, &QComboBox::activated, this, [this](int i) {
        if (i < 3)
            state().chooseTile({}, static_cast<TileMethod>(i));
    });
    m_whole = addCommand("wholeProduct", tr("Whole MatMul"), {}, {},
                         tr("Search tiles for the whole selected MatMul instead of its tile in the schedule. "
                            "Follow the selection returns to the tile."),
                         [this] { workspace().links().showWholeProduct(); });
    addKeys("tile", tr("Choose a tile"), arrowKeys(), tr("Choose the next larger or smaller tile."),
            [this](const KeyUse& use) { moveCell(-use.arrow().y(), use.arrow().x()); });
    addGesture("choose", tr("Choose a tile"), tr("click"),
               tr("Choose the tile of the cell, or of the method's row."));
    connect(&state(), &SystolicDocument::tilesChanged, this, &TileMapCanvas::outdated);
}

void TileMapCanvas::rebuild()
{
    state().needTiles();
    m_model = buildTileMap(state());
    const SystolicSettings& s = state().settings();
    m_method->setCurrentIndex(s.ownTile ? 3 : static_cast<int>(s.method));
    m_hover.reset();
    Actions::setAvailable(m_whole, {workspace().links().product().has_value(),
                                    tr("No MatMul of an open workload is selected.")});
    setAccessibleDescription(m_model.hint.isEmpty() ? m_model.title + QStringLiteral(". ") + m_model.headline
                                                    : m_model.hint);
}

QString TileMapCanvas::copyText() const
{
    if (!m_model.result)
        return {};
    QString out = m_model.methods.asText() + QStringLiteral("\nti\ttj\ttk\telements\tfits\n");
    const TileLandscape& l = m_model.result->landscape;
    for (std::size_t i = 0; i < l.ti.size(); ++i)
        for (std::size_t j = 0; j < l.tj.size(); ++j)
            out += textRow(l.ti[i], l.tj[j], l.at(i, j).tk, l.at(i, j).elements, l.at(i, j).feasible ? 1 : 0);
    return out;
}

void TileMapCanvas::paintContent(QPainter& painter, const QRectF& area, const Theme& theme, bool exporting)
{
    ensureFresh();
    if (!m_model.hint.isEmpty()) {
        paintEmptyHint(painter, area, m_model.hint, theme);
        return;
    }
    paintTileMap(painter, m_model, tileMapPlaces(area, m_model), exporting ? std::nullopt : m_hover, theme);
}

QPointF TileMapCanvas::cellCentre(const TileCell& cell) const
{
    return places().cell(cell).center();
}

void TileMapCanvas::choose(const TileCell& cell)
{
    const TileLandscape& l = m_model.result->landscape;
    const std::int64_t tk = l.at(cell.i, cell.j).tk;
    // A tile that does not fit can be chosen too, with the smallest depth.
    const std::int64_t shallow = std::min(kTileDepth, state().settings().gemm.k);
    state().chooseTile(TileShape{l.ti[cell.i], l.tj[cell.j], tk > 0 ? tk : shallow});
}

QString TileMapCanvas::tooltipAt(QPointF position) const
{
    if (!m_model.result || !m_model.hint.isEmpty())
        return {};
    const TileMapPlaces p = places();
    const TileLandscape& l = m_model.result->landscape;
    if (const auto cell = p.cellAt(position)) {
        const LandscapeCell& c = l.at(cell->i, cell->j);
        QString out = tr("<b>Ti %1, Tj %2</b>").arg(number(l.ti[cell->i]), number(l.tj[cell->j]));
        out += c.feasible ? tr("<br>largest Tk that fits: %1").arg(number(c.tk))
                          : tr("<br>does not fit at any Tk");
        out += tr("<br>%1 elements moved").arg(number(c.elements));
        if (const auto& best = m_model.result->picks[static_cast<std::size_t>(TileMethod::Exhaustive)])
            out += tr(" (%1 against the optimum)")
                       .arg(signedPercent(
                           static_cast<double>(c.elements) / static_cast<double>(best->elements) - 1));
        for (std::size_t i = 0; i < 3; ++i)
            if (m_model.picks[i] == cell)
                out += tr("<br>chosen by the %1 method").arg(methodText(static_cast<TileMethod>(i)));
        return out;
    }
    return {};
}

void TileMapCanvas::mousePressEvent(QMouseEvent* event)
{
    SystolicPane::mousePressEvent(event);
    if (event->button() != Qt::LeftButton || !m_model.result || !m_model.hint.isEmpty())
        return;
    const TileMapPlaces p = places();
    if (const auto cell = p.cellAt(event->position())) {
        choose(*cell);
    } else if (p.methods.contains(event->position())) {
        const int row = m_model.methods.rowAt(event->position().y() - p.methods.top(), p.methods.width());
        if (row >= 0 && row < 3)
            state().chooseTile({}, static_cast<TileMethod>(row));
    }
}

void TileMapCanvas::mouseMoveEvent(QMouseEvent* event)
{
    SystolicPane::mouseMoveEvent(event);
    if (!m_model.result || !m_model.hint.isEmpty())
        return;
    const auto cell = places().cellAt(event->position());
    if (cell == m_hover)
        return;
    m_hover = cell;
    setCursor(cell ? Qt::PointingHandCursor : Qt::ArrowCursor);
    update();
}

void TileMapCanvas::moveCell(int rows, int columns)
{
    if (!m_model.result || !m_model.current)
        return;
    const TileLandscape& l = m_model.result->landscape;
    const auto moved = [](std::size_t at, int by, std::size_t size) {
        return static_cast<std::size_t>(std::clamp<std::int64_t>(static_cast<std::int64_t>(at) + by, 0,
                                                                 static_cast<std::int64_t>(size) - 1));
    };
    choose({moved(m_model.current->i, rows, l.ti.size()), moved(m_model.current->j, columns, l.tj.size())});
}

void TileMapCanvas::leaveEvent(QEvent* event)
{
    m_hover.reset();
    update();
    SystolicPane::leaveEvent(event);
}

} // namespace tilewright::ui
