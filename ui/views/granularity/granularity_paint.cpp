// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/granularity/granularity_paint.h"

#include "chart/plot_paint.h"
#include "theme/number.h"
#include "theme/text_metrics.h"
#include "theme/theme.h"
#include "theme/words.h"

#include <QPainter>

#include <algorithm>
#include <cmath>

namespace tilewright::ui {

namespace {

QString titleText(const GranularityModel& model)
{
    return model.owner.isEmpty() ? model.title : model.owner + QStringLiteral(" · ") + model.title;
}

HeatSign signOf(CubeCell::State state)
{
    return state == CubeCell::State::OutOfMemory   ? HeatSign::Hatch
           : state == CubeCell::State::SuperNative ? HeatSign::Dots
           : state == CubeCell::State::Forbidden   ? HeatSign::Cross
                                                   : HeatSign::None;
}

PlotMark bestMark(const Theme& theme)
{
    PlotMark m;
    m.radius = 4.5;
    m.pen = QPen(theme.ink, 1.5);
    m.brush = Qt::white;
    return m;
}

std::vector<ChartKey> keysOf(const GranularityModel& model, const Theme& theme)
{
    std::vector<ChartKey> keys;
    if (model.best)
        keys.push_back(rampKey(tr("latency %1").arg(shortNumber(model.low)), shortNumber(model.high), theme));
    if (model.current)
        keys.push_back(heatRingKey(tr("now"), theme));
    if (model.best)
        keys.push_back(markKey(tr("best on this map"), bestMark(theme)));
    for (const auto& [state, text] : {std::pair(CubeCell::State::OutOfMemory, tr("does not fit")),
                                      std::pair(CubeCell::State::SuperNative, tr("above native")),
                                      std::pair(CubeCell::State::Forbidden, tr("not allowed"))})
        if (std::any_of(model.shown.begin(), model.shown.end(),
                        [&, s = state](std::size_t i) { return model.cube->cells[i].state == s; }))
            keys.push_back(heatSignKey(text, signOf(state), theme));
    return keys;
}

/// The label of a size, shortened: typed sizes can be longer than the space on the axis.
QString sizeLabel(std::int64_t size)
{
    constexpr std::int64_t kLong = 1'000'000;
    return size < kLong ? number(size) : shortNumber(static_cast<double>(size));
}

HeatAxis axisOf(const QString& title, const std::vector<std::int64_t>& sizes, std::int64_t native)
{
    HeatAxis axis{title};
    for (const std::int64_t size : sizes) {
        if (size == native)
            axis.strong = axis.labels.size();
        axis.labels << sizeLabel(size);
    }
    return axis;
}

/// The cell under the mouse or the key cursor replaces the subtitle.
void paintTitle(QPainter& painter, const GranularityModel& model, const GranularityPlaces& p,
                const Theme& theme, std::optional<std::size_t> hover)
{
    const QRectF area = p.title;
    double y = area.top() + 5;
    const auto line = [&](const QString& text, const QFont& font, const QColor& colour, int rows) {
        painter.setFont(font);
        painter.setPen(colour);
        const TextMetrics fm(font);
        const double width = area.width() - 16;
        const bool wraps = fm.horizontalAdvance(text) > width && rows > 1;
        const QRectF place(area.left() + 8, y, width, fm.height() * (wraps ? rows : 1));
        painter.drawText(place,
                         static_cast<int>(Qt::AlignLeft | Qt::AlignTop | (wraps ? Qt::TextWordWrap : 0)),
                         wraps ? text : fm.elidedText(text, Qt::ElideRight, width));
        y += place.height() + 1;
    };
    line(titleText(model), uiFont(1.0, QFont::DemiBold), theme.text, p.titleRows);
    line(hover && model.cube ? granularityReadout(model, *hover) : model.subtitle, uiFont(0.9),
         hover && model.cube ? theme.text : theme.muted, p.subtitleRows);
}

} // namespace

HeatGrid granularityGrid(const GranularityModel& model, const Theme& theme)
{
    const Hardware& hw = model.cube->key.problem->hardware();
    HeatGrid grid;
    grid.columns = model.cube->widths.size();
    grid.rows = model.cube->heights.size();
    grid.x = axisOf(tr("tile width w"), model.cube->widths, hw.nativeWidth);
    grid.y = axisOf(tr("tile height h"), model.cube->heights, hw.nativeHeight);
    for (std::size_t i = 0; i < model.shown.size(); ++i) {
        const CubeCell& c = model.cell(i);
        HeatCell cell{{}, signOf(c.state)};
        if (cell.sign == HeatSign::None) {
            cell.fill = theme.ramp(model.intensity(c.latency));
            if (model.best != i)
                cell.text = shortNumber(c.latency);
        }
        grid.cells.push_back(std::move(cell));
    }
    grid.current = model.current;
    if (model.current) {
        grid.x.now = static_cast<qsizetype>(*model.current % grid.columns);
        grid.y.now = static_cast<qsizetype>(*model.current / grid.columns);
    }
    if (model.best)
        grid.marks.push_back({*model.best, bestMark(theme)});
    grid.keys = keysOf(model, theme);
    return grid;
}

GranularityPlaces granularityPlaces(const QRectF& area, const GranularityModel& model)
{
    GranularityPlaces p;
    const TextMetrics head(uiFont(1.0, QFont::DemiBold));
    const TextMetrics sub(uiFont(0.9));
    const TextMetrics fm(uiFont(0.85));
    const double side = std::min(0.4 * area.width(), head.horizontalAdvance(QLatin1Char('n')) * 32);
    const bool beside =
        area.width() > 1.5 * area.height() && side > head.horizontalAdvance(QLatin1Char('n')) * 22;
    const double width = (beside ? side : area.width()) - 16;
    p.titleRows = head.horizontalAdvance(titleText(model)) > width ? 2 : 1;
    p.subtitleRows = beside ? 3
                     : sub.horizontalAdvance(model.subtitle) > width
                         ? 2
                         : 1; // 3: room for the text of a hovered cell
    const double textHeight = p.titleRows * head.height() + p.subtitleRows * sub.height() + 10;
    p.title = QRectF(area.left(), area.top(), beside ? side : area.width(), textHeight);
    if (!model.cube)
        return p;
    double widest = 0;
    for (const std::int64_t h : model.cube->heights)
        widest = std::max(widest, fm.horizontalAdvance(sizeLabel(h)) * 1.1);
    QRectF room = area.adjusted(widest + 16, fm.height() + 6, -12, -2 * fm.height() - 8);
    if (!beside) {
        const double legend = keysHeight(keysOf(model, Theme::light()), area.width() - 16);
        p.legend = QRectF(area.left(), area.bottom() - legend, area.width(), legend);
        room.setTop(p.title.bottom() + fm.height() + 6);
        room.setBottom(p.legend.top() - 2 * fm.height() - 8);
    } else {
        room.setRight(area.right() - side - 12);
    }
    const auto nw = static_cast<double>(model.cube->widths.size());
    const auto nh = static_cast<double>(model.cube->heights.size());
    // Cells of whole pixels have sharp edges. Cells a little wider than high suit the numbers in them.
    const double cellHeight = std::clamp(std::floor(room.height() / nh), 2.0, 40.0);
    const double cellWidth =
        std::clamp(std::floor(room.width() / nw), 2.0, std::max(beside ? 60.0 : 24.0, cellHeight * 2.2));
    p.map.map = QRectF(std::round(room.left()), std::round(room.top()), cellWidth * nw, cellHeight * nh);
    p.map.columns = model.cube->widths.size();
    p.map.rows = model.cube->heights.size();
    if (beside) {
        p.title.moveLeft(p.map.map.right() + 16);
        p.title.setRight(area.right());
        p.legend = QRectF(p.title.left(), p.title.bottom() + 4, p.title.width(),
                          std::max(0.0, area.bottom() - p.title.bottom() - 8));
    }
    return p;
}

void paintGranularity(QPainter& painter, const GranularityModel& model, const GranularityPlaces& p,
                      const Theme& theme, std::optional<std::size_t> hover)
{
    paintTitle(painter, model, p, theme, hover);
    if (!model.cube)
        return;
    const HeatGrid grid = granularityGrid(model, theme);
    paintHeatGrid(painter, grid, p.map, hover, theme);
    paintKeys(painter, grid.keys, p.legend.adjusted(8, 0, -4, 0), theme);
}

} // namespace tilewright::ui
