// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/systolic/tile_map_canvas.h"

#include "chart/plot_paint.h"
#include "theme/text.h"
#include "theme/text_metrics.h"
#include "theme/theme.h"
#include "views/systolic/gantt_model.h"
#include "views/systolic/roofline_plot.h"
#include "workspace/lens_links.h"

#include <QComboBox>
#include <QFontMetricsF>
#include <QMouseEvent>
#include <QPainter>
#include <QStandardItemModel>

#include <algorithm>
#include <cmath>

namespace tilewright::ui {

using namespace systolic;

namespace {

/// Mark of the tile that a method has chosen: triangle = analytic, diamond = exhaustive, square = learned.
PlotMark pickMark(std::size_t method, const Theme& theme)
{
    PlotMark m;
    m.shape = method == 0 ? PlotShape::TriangleUp : method == 1 ? PlotShape::Diamond : PlotShape::Square;
    m.radius = 6.5;
    m.pen = QPen(theme.ink, 1.5);
    m.brush = theme.category(method == 0 ? 7 : method == 1 ? 6 : 5);
    return m;
}

std::vector<ChartKey> keysOf(const TileMapModel& m, const Theme& theme)
{
    std::vector<ChartKey> keys{rampKey(shortNumber(std::pow(10, m.lowest)),
                                       tr("%1 elements").arg(shortNumber(std::pow(10, m.highest))), theme),
                               heatSignKey(tr("does not fit"), HeatSign::Hatch, theme)};
    for (std::size_t i = 0; i < 3; ++i)
        keys.push_back(markKey(methodText(static_cast<TileMethod>(i)), pickMark(i, theme)));
    PlotMark current;
    current.pen = QPen(theme.accent, 2);
    current.radius = 5;
    keys.push_back(markKey(tr("current"), current));
    return keys;
}

HeatAxis axisOf(const QString& title, const std::vector<std::int64_t>& sizes)
{
    HeatAxis axis{title};
    for (const std::int64_t size : sizes)
        axis.labels << number(size);
    return axis;
}

} // namespace

HeatGrid tileGrid(const TileMapModel& m, const Theme& theme)
{
    const TileLandscape& l = m.result->landscape;
    HeatGrid grid;
    grid.columns = std::max<std::size_t>(1, m.cols);
    grid.rows = std::max<std::size_t>(1, m.rows);
    grid.gap = 0;
    grid.x = axisOf(QStringLiteral("Tj"), l.tj);
    grid.y = axisOf(QStringLiteral("Ti"), l.ti);
    for (std::size_t i = 0; i < grid.rows; ++i)
        for (std::size_t j = 0; j < grid.columns; ++j)
            grid.cells.push_back(
                {theme.ramp(m.shade(l.at(i, j))), l.at(i, j).feasible ? HeatSign::None : HeatSign::Hatch});
    if (m.current)
        grid.current = m.current->i * grid.columns + m.current->j;
    for (std::size_t i = 0; i < m.picks.size(); ++i)
        if (m.picks[i])
            grid.marks.push_back({m.picks[i]->i * grid.columns + m.picks[i]->j, pickMark(i, theme)});
    grid.keys = keysOf(m, theme);
    return grid;
}

std::optional<TileCell> TileMapPlaces::cellAt(QPointF position) const
{
    const auto cell = map.cellAt(position);
    return cell ? std::optional(TileCell{*cell / map.columns, *cell % map.columns}) : std::nullopt;
}

double paintCapacityBars(QPainter& painter, const std::vector<Constraint>& constraints, const QRectF& area,
                         const Theme& theme)
{
    const QFont bold = uiFont(1.0, QFont::DemiBold);
    if (area.height() < TextMetrics(bold).height() * 2)
        return 0;
    double y = area.top() + 4 +
               writeLine(painter, area.topLeft(), area.width(), tr("Capacities: used of available"), bold,
                         theme.text);
    const QFont small = uiFont(0.85);
    const TextMetrics fm(small);
    const double h = fm.height() + 6 + 8;
    for (const Constraint& c : constraints) {
        if (y + h > area.bottom())
            break;
        const bool bytes = c.unit == "bytes";
        const QString figures = bytes
                                    ? QStringLiteral("%1 / %2").arg(bytesText(c.used), bytesText(c.available))
                                    : tr("%1 / %2 panels").arg(number(c.used), number(c.available));
        const QString sign = c.fits() ? QStringLiteral("✓ ") : QStringLiteral("✗ ");
        const double w = fm.horizontalAdvance(sign + figures);
        writeLine(painter, {area.right() - w, y}, w, sign + figures, small,
                  c.fits() ? theme.text : theme.error);
        QString name = QString::fromStdString(c.name);
        if (!c.limit.empty())
            name += QStringLiteral(" · ") + QString::fromStdString(c.limit);
        writeLine(painter, {area.left(), y}, area.width() - w - 14, name, small, theme.text);
        const QRectF bar(area.left(), y + fm.height() + 2, area.width(), 7);
        painter.fillRect(bar, Theme::mix(theme.canvas, theme.text, 0.08));
        const double share =
            c.available > 0 ? static_cast<double>(c.used) / static_cast<double>(c.available) : 2.0;
        QRectF used = bar;
        used.setWidth(bar.width() * std::clamp(share, 0.0, 1.0));
        if (c.fits())
            painter.fillRect(used, theme.retained);
        else
            fillHatch(painter, used, theme);
        painter.setPen(c.fits() ? theme.outline : theme.error);
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(bar);
        y += h;
    }
    return y - area.top();
}

TileMapPlaces tileMapPlaces(const QRectF& area, const TileMapModel& m)
{
    TileMapPlaces p;
    p.map.rows = std::max<std::size_t>(1, m.rows);
    p.map.columns = std::max<std::size_t>(1, m.cols);
    const QFontMetricsF fm(uiFont());
    const QFontMetricsF small(uiFont(0.85));
    const QRectF inner = area.adjusted(kPaneMargin, 8, -kPaneMargin, -8);
    p.header = QRectF(inner.left(), inner.top(), inner.width(), 2 * (fm.height() + 2));
    const QRectF rest = inner.adjusted(0, p.header.height() + 8, 0, 0);
    const double yLabels = small.horizontalAdvance(QStringLiteral("1 000 0")) + 8;
    const bool wide = rest.width() >= 620;
    const double legend = small.height() * 2 + 10;
    const double above = small.height() + 2; // height for the title of the axis
    const double below = above + small.height() + 8 + legend;
    const double side =
        std::min(rest.height() - below, (wide ? rest.width() * 0.44 : rest.width()) - yLabels);
    QRectF& map = p.map.map;
    map = QRectF(rest.left() + yLabels, rest.top() + above, std::max(40.0, side), std::max(40.0, side));
    p.legend = QRectF(rest.left(), map.bottom() + small.height() + 10,
                      std::max(map.right() - rest.left(), std::min(rest.width(), 340.0)), legend);
    if (!wide)
        return p;
    const double left = p.legend.right() + 24;
    const QRectF right(left, rest.top(), rest.right() - left, rest.height());
    const double methods = m.methods.height(right.width());
    p.methods = QRectF(right.left(), right.top(), right.width(), methods);
    QRectF lower = right.adjusted(0, methods + 12, 0, 0);
    const double barsHeight =
        fm.height() + 4 + static_cast<double>(m.constraints.size()) * (small.height() + 14);
    // Bars and roofline are side by side if there is room for both; otherwise one is below the other.
    if (right.width() >= 640 && lower.height() < barsHeight + 200) {
        p.bars = QRectF(lower.left(), lower.top(), lower.width() * 0.5 - 10, lower.height());
        p.roofline = QRectF(lower.left() + lower.width() * 0.5 + 10, lower.top(), lower.width() * 0.5 - 10,
                            lower.height());
    } else {
        p.bars = QRectF(lower.left(), lower.top(), lower.width(), std::min(barsHeight, lower.height()));
        p.roofline = QRectF(lower.left(), p.bars.bottom() + 12, lower.width(),
                            std::max(0.0, lower.bottom() - p.bars.bottom() - 12));
    }
    return p;
}

void paintTileMap(QPainter& painter, const TileMapModel& m, const TileMapPlaces& p,
                  const std::optional<TileCell>& hover, const Theme& theme)
{
    paintSystolicHead(painter, p.header, m.title, m.headline, theme);

    const HeatGrid grid = tileGrid(m, theme);
    paintHeatGrid(painter, grid, p.map,
                  hover ? std::optional(hover->i * grid.columns + hover->j) : std::nullopt, theme);
    paintKeys(painter, grid.keys, p.legend, theme);
    if (!p.methods.isEmpty())
        m.methods.paint(painter, p.methods, theme);
    if (!p.bars.isEmpty() && !m.constraints.empty())
        paintCapacityBars(painter, m.constraints, p.bars, theme);
    if (m.roofline && p.roofline.height() > 110) {
        const double title = writeLine(painter, p.roofline.topLeft(), p.roofline.width(),
                                       rooflineTitle(*m.roofline), uiFont(1.0, QFont::DemiBold), theme.text);
        const PlotModel plot =
            levelRoofline(*m.roofline, m.optimum ? &*m.optimum : nullptr, tr("exhaustive"), theme);
        paintPlot(painter, plot, plotFrame(plot, p.roofline.adjusted(0, title + 2, 0, 0)), theme);
    }
}

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
        items->item(3)->setEnabled(false); // this entry is set by a click on the map and cannot be chosen
    connect(m_method, &QComboBox::activated, this, [this](int i) {
        if (i < 3)
            state().chooseTile({}, static_cast<TileMethod>(i));
    });
    m_whole = addCommand("wholeProduct", tr("Whole MatMul"), {}, {},
                         tr("Search tiles for the whole selected MatMul instead of its tile in the "
                            "schedule, also after another selection."),
                         [this] { workspace().links().showInSystolic(SystolicPart::Layer); });
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
    const LensLinks& links = workspace().links();
    Actions::setAvailable(
        m_whole,
        links.isFollowing(Lens::Systolic) && links.systolicPart() == SystolicPart::Layer
            ? Availability(false, tr("The whole MatMul is shown."))
            : Availability(links.product().has_value(), tr("No MatMul of an open workload is selected.")));
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
    // A tile that does not fit can be chosen as well; its depth is the smallest one.
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
