// SPDX-License-Identifier: GPL-3.0-or-later
// The tile grid view: positions, zooming, painting, and pictures with their steps for HTML reports.
#include "theme/text.h"
#include "views/tiles/tiles_view.h"
#include "workspace/texts.h"

#include <QPainter>

#include <algorithm>
#include <numeric>

namespace tilewright::ui {

namespace {
constexpr double kMaxCell = 480; // maximum side of a cell in pixels; a single tile may fill the pane
constexpr double kMaxScale = 560;
} // namespace

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
    p.header = QRectF(grid.left(), grid.top(), grid.width(), tilesHeaderHeight(grid));
    p.legend = QRectF(grid.left(), grid.bottom() - tilesLegendHeight(), grid.width(), tilesLegendHeight());
    p.grid = QRectF(grid.left(), p.header.bottom(), grid.width(),
                    std::max(0.0, p.legend.top() - p.header.bottom()));
    return p;
}

Viewport TilesView::fitted(const TilesModel& model, const QRectF& grid)
{
    return Viewport::fit(tilesScene(model), grid, 8, kMaxCell);
}

void TilesView::contentResized()
{
    if (m_autoFit)
        m_viewport = fitted(placesIn(contentArea()).grid);
    placeScroll();
}

void TilesView::placeScroll()
{
    const Places places = placesIn(contentArea());
    if (!m_step || places.panel.isEmpty()) {
        m_scroll->hide();
        return;
    }
    const StepPanelLayout layout = layoutStepPanel(*m_step, places.panel);
    m_scroll->place(layout.list, layout.height);
}

StepPanelLayout TilesView::panelLayout() const
{
    StepPanelLayout layout = layoutStepPanel(*m_step, placesIn(contentArea()).panel);
    layout.narrowList(m_scroll->widthFor(layout.list, layout.height));
    return layout;
}

void TilesView::ensureTileVisible(std::int64_t tile)
{
    if (m_autoFit)
        return;
    const QRectF grid = placesIn(contentArea()).grid;
    const QRectF r = m_viewport.toScreen(tileRect(m_model, tile));
    const auto shift = [](double low, double high, double from, double to) {
        return low < from ? from - low : high > to ? to - high : 0.0;
    };
    m_viewport = m_viewport.panned({shift(r.left(), r.right(), grid.left() + 8, grid.right() - 8),
                                    shift(r.top(), r.bottom(), grid.top() + 8, grid.bottom() - 8)});
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
    // At least a corner of the grid stays visible.
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
        overlay.cursor.reset();
        overlay.note.clear();
    } else if (m_drawing) {
        overlay.drawn = m_drawing->tiles();
    }
    paintTiles(painter, m_model, places.grid, viewport, m_image, theme, overlay);
    paintTilesHeader(painter, m_model, places.header, theme);
    paintTilesLegend(painter, m_model, places.legend, theme);
    if (!m_model.trace) {
        paintEmptyHint(painter, places.grid, tr("Tracing the steps … %1 %").arg(m_percent->load()), theme);
        return;
    }
    if (!m_step || places.panel.isEmpty())
        return;
    if (exporting)
        paintStepPanel(painter, *m_step, m_model, layoutStepPanel(*m_step, places.panel), 0, std::nullopt,
                       theme);
    else
        paintStepPanel(painter, *m_step, m_model, panelLayout(), m_scroll->value(), m_hoveredRow, theme);
}

QString TilesView::tooltipAt(QPointF position) const
{
    if (const auto tile = tileUnder(position))
        return tileTooltip(m_model, *tile);
    if (m_step && m_hoveredRow) {
        const StepRow& row = m_step->rows[static_cast<std::size_t>(*m_hoveredRow)];
        return QStringLiteral("<b>%1</b> %2<br>%3<br>%4")
            .arg(stepRowHeading(row.kind), row.name.toHtmlEscaped(), row.detail,
                 row.kind == StepRow::Kind::Run
                     ? tr("compute time %1").arg(exactNumber(row.amount))
                     : tr("%1 %2").arg(exactNumber(row.amount), elementWord(*m_model.trace->key.problem)));
    }
    if (m_step && !m_step->reads.empty() && panelLayout().map.contains(position)) {
        const Problem& problem = *m_model.trace->key.problem;
        QStringList lines;
        for (const MappedRead& read : m_step->reads)
            if (lines.size() < 6)
                lines << QStringLiteral("<b>%1</b> %2<br>%3")
                             .arg(QString::fromStdString(problem.opName(read.op)).toHtmlEscaped(),
                                  mapText(*problem.map(read.view)),
                                  mappedReadTexts(problem, read).join(QStringLiteral("; ")));
        return lines.join(QStringLiteral("<br>"));
    }
    return {};
}

namespace {

// Size of a picture in pixels, without the panel of the step, which the page shows itself.
constexpr QSize kPicture{500, 440};
constexpr std::int64_t kFrames = 512; // maximum number of frames of a picture
constexpr std::int64_t kTiles = 1024; // maximum number of tiles with a tooltip
constexpr std::int64_t kStepsTraced = 200'000;

PictureFrame frameOf(const TilesModel& model, const Viewport& viewport, std::int64_t step)
{
    const StepModel s = buildStep(*model.trace, step);
    PictureFrame frame{viewport.toScreen(tileRect(model, s.step.tile)), {s.where, s.count}};
    frame.lines << QObject::tr("compute %1, memory %2\tlatency %3")
                       .arg(exactNumber(s.step.compute), exactNumber(s.step.memory),
                            exactNumber(s.step.latency))
                << QObject::tr("working set\t%1 of %2 %3")
                       .arg(elementsText(*model.trace->key.problem, s.step.workingSet),
                            elementsText(*model.trace->key.problem, model.capacity),
                            elementWord(*model.trace->key.problem));
    for (const StepRow& row : s.rows)
        frame.lines << QStringLiteral("%1 %2\t%3 (%4)")
                           .arg(stepRowHeading(row.kind), row.name, row.detail, exactNumber(row.amount));
    return frame;
}

} // namespace

LivePicture TilesView::livePicture(const std::shared_ptr<const TilesModel>& model)
{
    const Places places = placesIn(QRectF(QPointF(0, 0), kPicture));
    const Viewport viewport = fitted(*model, places.grid);
    LivePicture out;
    out.title = model->title;
    out.key = keyOf(*model->subgraph);
    out.size = kPicture;
    out.paint = [model, places, viewport](QPainter& painter, const Theme& theme) {
        const QRectF all(QPointF(0, 0), kPicture);
        painter.setRenderHints(QPainter::Antialiasing | QPainter::TextAntialiasing);
        painter.fillRect(all, theme.canvas);
        const bool small = viewport.scale * std::min(1.0, model->aspect) < kCellPixels;
        paintTiles(painter, *model, places.grid, viewport, small ? tilesImage(*model, theme) : QImage(),
                   theme, {});
        paintTilesHeader(painter, *model, places.header, theme);
        paintTilesLegend(painter, *model, places.legend, theme);
    };
    const auto visits = model->trace->steps->visits();
    for (std::int64_t tile = 0; model->grid.tiles() <= kTiles && tile < model->grid.tiles(); ++tile) {
        const std::int32_t visit = model->trace->tiles[static_cast<std::size_t>(tile)].visit;
        QStringList keys{out.key};
        if (visit >= 0)
            keys.prepend(keyOf(*model->subgraph, visits[static_cast<std::size_t>(visit)].firstStep));
        out.parts.push_back({viewport.toScreen(tileRect(*model, tile)), keys, tileTooltip(*model, tile)});
    }
    out.frameCount = model->trace->steps->size();
    for (std::int64_t i = 0; i < std::min(kFrames, out.frameCount); ++i)
        out.frames.push_back(frameOf(*model, viewport, i));
    return out;
}

void TilesView::livePictures(const std::function<bool(LivePicture)>& take)
{
    const SnapshotPtr snapshot = document().snapshot();
    if (!snapshot)
        return;
    const auto& subgraphs = snapshot->evaluation.subgraphs;
    std::vector<std::size_t> order(subgraphs.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return subgraphs[a].latency > subgraphs[b].latency;
    });
    for (const std::size_t i : order) {
        const SubgraphId id(i);
        if (!subgraphs[i].structurallyValid || subgraphs[i].steps > kStepsTraced)
            continue;
        SelectionState selection;
        selection.subgraph = id;
        auto model = std::make_shared<TilesModel>(
            buildTiles(snapshot.get(), selection,
                       buildTileTrace(traceKey(*snapshot, id), {}, subgraphs[i].steps), m_model.options));
        if (model->hint.isEmpty() && model->trace && !take(livePicture(model)))
            return;
    }
}

} // namespace tilewright::ui
