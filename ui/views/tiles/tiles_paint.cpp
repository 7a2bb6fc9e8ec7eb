// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/tiles/tiles_paint.h"

#include "canvas/bound_mark.h"
#include "chart/keys.h"
#include "theme/text.h"
#include "theme/text_metrics.h"
#include "theme/theme.h"

#include <QLineF>
#include <QList>
#include <QPainter>

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace tilewright::ui {

namespace {

constexpr double kPathPixels = 11; // minimum side of a cell in pixels at which the path is painted
constexpr double kGapPixels = 4;   // minimum side of a cell in pixels at which there is a gap between cells
// maximum number of visible cells with a path; with more cells it is unreadable and slow to paint
constexpr std::int64_t kPathCells = 1500;
// Height of a pane in pixels below which title and subtitle share a line.
constexpr double kLowPanePixels = 300;
constexpr int kMaxImageSide = 4096;

const TileSums* sumsOf(const TilesModel& model, std::int64_t tile)
{
    if (!model.trace || tile >= static_cast<std::int64_t>(model.trace->tiles.size()))
        return nullptr;
    const TileSums& t = model.trace->tiles[static_cast<std::size_t>(tile)];
    return t.visit < 0 ? nullptr : &t;
}

QColor cellColour(const TilesModel& model, std::int64_t tile, const Theme& theme)
{
    const TileSums* t = sumsOf(model, tile);
    if (!t)
        return Theme::mix(theme.canvas, theme.muted, 0.12);
    if (model.options.colour == TileColour::Bound)
        return boundColour(t->bound(), theme);
    return theme.ramp(*model.intensity(tile));
}

bool overflows(const TilesModel& model, std::int64_t tile)
{
    const TileSums* t = sumsOf(model, tile);
    return t && t->peakWorkingSet > model.capacity;
}

struct VisibleCells
{
    std::int64_t r0 = 0, r1 = 0, c0 = 0, c1 = 0;
};

VisibleCells visibleCells(const TilesModel& model, const QRectF& area, const Viewport& viewport)
{
    const QRectF scene = viewport.toScene(area);
    const auto clampTo = [](double v, std::int64_t n) {
        return std::clamp<std::int64_t>(static_cast<std::int64_t>(std::floor(v)), 0, n);
    };
    return {clampTo(scene.top() / model.aspect, model.grid.rows),
            clampTo(scene.bottom() / model.aspect + 1, model.grid.rows),
            clampTo(scene.left(), model.grid.cols), clampTo(scene.right() + 1, model.grid.cols)};
}

/// Returns the rectangle of a cell in whole pixels, so that edges are sharp, without the gap. A tile that is
/// cut by the tensor's border is drawn smaller.
QRect cellPixels(const TilesModel& model, const Viewport& viewport, std::int64_t row, std::int64_t col,
                 int gap)
{
    const QPointF a =
        viewport.toScreen(QPointF(static_cast<double>(col), static_cast<double>(row) * model.aspect));
    const QPointF b =
        viewport.toScreen(QPointF(static_cast<double>(col + 1), static_cast<double>(row + 1) * model.aspect));
    QRect r(QPoint(qRound(a.x()), qRound(a.y())), QPoint(qRound(b.x()) - 1 - gap, qRound(b.y()) - 1 - gap));
    if (model.trace && col == model.grid.cols - 1)
        r.setWidth(std::max(2, qRound(r.width() * model.trace->lastCol)));
    if (model.trace && row == model.grid.rows - 1)
        r.setHeight(std::max(2, qRound(r.height() * model.trace->lastRow)));
    return r;
}

void paintCells(QPainter& painter, const TilesModel& model, const VisibleCells& cells,
                const Viewport& viewport, const Theme& theme)
{
    const double width = viewport.scale;
    const double height = viewport.scale * model.aspect;
    const int gap = std::min(width, height) >= 14 ? 2 : 1;
    const bool marks = model.options.colour == TileColour::Bound && std::min(width, height) >= 16;
    for (std::int64_t r = cells.r0; r < cells.r1; ++r)
        for (std::int64_t c = cells.c0; c < cells.c1; ++c) {
            const std::int64_t tile = r * model.grid.cols + c;
            const QRect rect = cellPixels(model, viewport, r, c, gap);
            const QColor fill = cellColour(model, tile, theme);
            painter.setRenderHint(QPainter::Antialiasing, false);
            if (overflows(model, tile))
                fillHatch(painter, rect, theme);
            else
                painter.fillRect(rect, fill);
            if (gap > 1) { // an edge, because the pale end of the ramp is hardly visible on a white page
                painter.setPen(Theme::mix(fill, theme.outline, 0.45));
                painter.setBrush(Qt::NoBrush);
                painter.drawRect(rect.adjusted(0, 0, -1, -1));
            }
            painter.setRenderHint(QPainter::Antialiasing, true);
            const TileSums* t = sumsOf(model, tile);
            const QColor ink = overflows(model, tile) ? theme.text : theme.inkOn(fill);
            const bool clipped = rect.width() < width * 0.6 || rect.height() < height * 0.6;
            if (marks && t && !clipped) {
                const double size = std::min(6.0, std::min(width, height) / 6);
                paintBoundMark(painter, QPointF(rect.right() - size - 3, rect.bottom() - size - 3), size,
                               t->bound(), ink);
            }
        }
}

/// Paints the gaps between the cells of an image.
void paintGaps(QPainter& painter, const TilesModel& model, const VisibleCells& cells,
               const Viewport& viewport, const Theme& theme)
{
    painter.setRenderHint(QPainter::Antialiasing, false);
    const QPointF a = viewport.toScreen(
        QPointF(static_cast<double>(cells.c0), static_cast<double>(cells.r0) * model.aspect));
    const QPointF b = viewport.toScreen(
        QPointF(static_cast<double>(cells.c1), static_cast<double>(cells.r1) * model.aspect));
    for (std::int64_t c = cells.c0; c <= cells.c1; ++c) {
        const double x = viewport.toScreen(QPointF(static_cast<double>(c), 0)).x();
        painter.fillRect(QRect(qRound(x) - 1, qRound(a.y()), 1, qRound(b.y() - a.y())), theme.canvas);
    }
    for (std::int64_t r = cells.r0; r <= cells.r1; ++r) {
        const double y = viewport.toScreen(QPointF(0, static_cast<double>(r) * model.aspect)).y();
        painter.fillRect(QRect(qRound(a.x()), qRound(y) - 1, qRound(b.x() - a.x()), 1), theme.canvas);
    }
    painter.setRenderHint(QPainter::Antialiasing, true);
}

/// Paints the position of each tile in the traversal, above the path and above lines that cross the tile.
void paintNumbers(QPainter& painter, const TilesModel& model, const VisibleCells& cells,
                  const Viewport& viewport, const Theme& theme)
{
    const QFont font = uiFont(0.85);
    const QFontMetricsF fm(font);
    const double longest = fm.horizontalAdvance(number(model.grid.tiles()));
    if (longest + 8 > viewport.scale || 2 * fm.height() + 8 > viewport.scale * model.aspect)
        return;
    painter.setFont(font);
    for (std::int64_t r = cells.r0; r < cells.r1; ++r)
        for (std::int64_t c = cells.c0; c < cells.c1; ++c) {
            const std::int64_t tile = r * model.grid.cols + c;
            const TileSums* t = sumsOf(model, tile);
            const QRect rect = cellPixels(model, viewport, r, c, 2);
            if (!t || longest + 6 > rect.width() || fm.height() + 2 > rect.height())
                continue;
            const QColor fill = overflows(model, tile) ? theme.canvas : cellColour(model, tile, theme);
            // The number is on a patch in the colour of the tile, so that the path does not cross the digits.
            const QString digits = number(std::int64_t(t->visit) + 1);
            const QRectF patch(rect.left() + 2, rect.top() + 2, fm.horizontalAdvance(digits) + 4,
                               fm.height());
            painter.fillRect(patch, fill);
            painter.setPen(overflows(model, tile) ? theme.text : theme.inkOn(fill));
            painter.drawText(QPointF(patch.left() + 2, patch.top() + fm.ascent()), digits);
        }
}

QPointF centreOf(const TilesModel& model, const Viewport& viewport, std::int64_t tile)
{
    return viewport.toScreen(tileRect(model, tile)).center();
}

/// Adds a segment of the path with a small arrow head. A jump to a tile that is not a neighbour is dashed.
void addLeg(const TilesModel& model, const Viewport& viewport, std::int64_t from, std::int64_t to,
            QList<QLineF>& neighbours, QList<QLineF>& jumps, QPolygonF& heads)
{
    const QPointF a = centreOf(model, viewport, from);
    const QPointF b = centreOf(model, viewport, to);
    const std::int64_t cols = model.grid.cols;
    const bool near = std::abs(from / cols - to / cols) + std::abs(from % cols - to % cols) == 1;
    (near ? neighbours : jumps) << QLineF(a, b);
    const QPointF along = b - a;
    const double length = std::hypot(along.x(), along.y());
    if (length < 14)
        return;
    const QPointF u = along / length;
    const QPointF n(-u.y(), u.x());
    const double size = std::min(5.0, length / 5);
    const QPointF tip = a + u * (length * 0.5 + size);
    heads << tip << tip - u * (size * 1.8) + n * size << tip - u * (size * 1.8) - n * size;
}

void strokePath(QPainter& painter, const QList<QLineF>& neighbours, const QList<QLineF>& jumps,
                const QPolygonF& heads, const QColor& colour, const QColor& halo, double width)
{
    painter.setBrush(Qt::NoBrush);
    QPen pen(halo, width + 2, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin);
    painter.setPen(pen);
    painter.drawLines(neighbours);
    painter.drawLines(jumps);
    pen.setColor(colour);
    pen.setWidthF(width);
    painter.setPen(pen);
    painter.drawLines(neighbours);
    pen.setDashPattern({3, 3});
    painter.setPen(pen);
    painter.drawLines(jumps);
    painter.setPen(QPen(halo, 1));
    painter.setBrush(colour);
    for (qsizetype i = 0; i + 2 < heads.size(); i += 3)
        painter.drawPolygon(heads.constData() + i, 3);
}

void paintPath(QPainter& painter, const TilesModel& model, const VisibleCells& cells,
               const Viewport& viewport, const Theme& theme, std::int64_t done)
{
    const auto visits = model.trace->steps->visits();
    const auto n = static_cast<std::int64_t>(visits.size());
    QList<QLineF> neighbours[2];
    QList<QLineF> jumps[2];
    QPolygonF heads[2];
    const auto inside = [&](std::int64_t tile) {
        const std::int64_t r = tile / model.grid.cols;
        const std::int64_t c = tile % model.grid.cols;
        return r >= cells.r0 && r < cells.r1 && c >= cells.c0 && c < cells.c1;
    };
    for (std::int64_t r = cells.r0; r < cells.r1; ++r)
        for (std::int64_t c = cells.c0; c < cells.c1; ++c) {
            const std::int64_t tile = r * model.grid.cols + c;
            const TileSums* t = sumsOf(model, tile);
            if (!t)
                continue;
            const auto leg = [&](std::int64_t v) {
                const int which = v < done ? 1 : 0;
                addLeg(model, viewport, visits[static_cast<std::size_t>(v)].tile,
                       visits[static_cast<std::size_t>(v) + 1].tile, neighbours[which], jumps[which],
                       heads[which]);
            };
            if (t->visit + 1 < n)
                leg(t->visit);
            if (t->visit > 0 && !inside(visits[static_cast<std::size_t>(t->visit) - 1].tile))
                leg(t->visit - 1);
        }
    const double width = std::clamp(viewport.scale / 16, 1.2, 2.4);
    strokePath(painter, neighbours[0], jumps[0], heads[0], theme.muted, theme.canvas, width);
    strokePath(painter, neighbours[1], jumps[1], heads[1], theme.accent, theme.canvas, width * 1.35);
}

void ring(QPainter& painter, const QRectF& rect, const QColor& colour, const QColor& halo, double width)
{
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(halo, width + 2));
    painter.drawRect(rect);
    painter.setPen(QPen(colour, width));
    painter.drawRect(rect);
}

void paintDrawn(QPainter& painter, const TilesModel& model, const Viewport& viewport, const Theme& theme,
                const TilesOverlay& overlay)
{
    QList<QLineF> neighbours;
    QList<QLineF> jumps;
    QPolygonF heads;
    for (std::size_t i = 0; i + 1 < overlay.drawn.size(); ++i)
        addLeg(model, viewport, overlay.drawn[i], overlay.drawn[i + 1], neighbours, jumps, heads);
    strokePath(painter, neighbours, jumps, heads, theme.warning, theme.canvas, 3);
    ring(painter, viewport.toScreen(tileRect(model, overlay.drawn.back())).adjusted(1, 1, -1, -1),
         theme.warning, theme.canvas, 2);
}

void paintNote(QPainter& painter, const QString& text, QPointF at, const QRectF& area, const Theme& theme)
{
    painter.setFont(uiFont(0.9));
    const QFontMetricsF fm(painter.font());
    QRectF box(at + QPointF(14, 14), QSizeF(fm.horizontalAdvance(text) + 16, fm.height() + 8));
    box.moveLeft(std::min(box.left(), area.right() - box.width() - 2));
    box.moveTop(std::min(box.top(), area.bottom() - box.height() - 2));
    painter.setPen(QPen(theme.outline, 1));
    painter.setBrush(theme.raised);
    painter.drawRoundedRect(box, 4, 4);
    painter.setPen(theme.text);
    painter.drawText(box, Qt::AlignCenter, text);
}

} // namespace

QRectF tilesScene(const TilesModel& model)
{
    return {0, 0, static_cast<double>(model.grid.cols), static_cast<double>(model.grid.rows) * model.aspect};
}

QRectF tileRect(const TilesModel& model, std::int64_t tile)
{
    const auto [rowAt, colAt] = std::lldiv(tile, std::max<std::int64_t>(1, model.grid.cols));
    const auto row = static_cast<double>(rowAt);
    const auto col = static_cast<double>(colAt);
    // A tile that is cut by the tensor's border is drawn smaller.
    const bool lastColumn = model.trace && col == static_cast<double>(model.grid.cols - 1);
    const bool lastRow = model.trace && row == static_cast<double>(model.grid.rows - 1);
    return {col, row * model.aspect, lastColumn ? model.trace->lastCol : 1,
            model.aspect * (lastRow ? model.trace->lastRow : 1)};
}

std::optional<std::int64_t> tileAt(const TilesModel& model, QPointF scene)
{
    if (!tilesScene(model).contains(scene))
        return std::nullopt;
    const auto row = static_cast<std::int64_t>(scene.y() / model.aspect);
    const auto col = static_cast<std::int64_t>(scene.x());
    if (row >= model.grid.rows || col >= model.grid.cols)
        return std::nullopt;
    return row * model.grid.cols + col;
}

QImage tilesImage(const TilesModel& model, const Theme& theme)
{
    const auto reduced = [](std::int64_t n) { return (n + kMaxImageSide - 1) / kMaxImageSide; };
    const std::int64_t fr = std::max<std::int64_t>(1, reduced(model.grid.rows));
    const std::int64_t fc = std::max<std::int64_t>(1, reduced(model.grid.cols));
    const auto rows = static_cast<int>((model.grid.rows + fr - 1) / fr);
    const auto cols = static_cast<int>((model.grid.cols + fc - 1) / fc);
    QImage image(cols, rows, QImage::Format_RGB32);
    // A table of the colours of the ramp, so that colours are not mixed a million times.
    std::array<QRgb, 256> ramp;
    for (std::size_t i = 0; i < ramp.size(); ++i)
        ramp[i] = theme.ramp(static_cast<double>(i) / 255).rgb();
    const QRgb unknown = Theme::mix(theme.canvas, theme.muted, 0.12).rgb();
    const QRgb noFit = Theme::mix(theme.canvas, theme.muted, 0.5).rgb();
    for (int y = 0; y < rows; ++y) {
        auto* line = reinterpret_cast<QRgb*>(image.scanLine(y));
        for (int x = 0; x < cols; ++x) {
            const std::int64_t tile = y * fr * model.grid.cols + x * fc;
            const TileSums* t = sumsOf(model, tile);
            if (!t)
                line[x] = unknown;
            else if (t->peakWorkingSet > model.capacity)
                line[x] = noFit;
            else if (model.options.colour == TileColour::Bound)
                line[x] = boundColour(t->bound(), theme).rgb();
            else
                line[x] = ramp[static_cast<std::size_t>(std::clamp(*model.intensity(tile), 0.0, 1.0) * 255)];
        }
    }
    return image;
}

void paintTiles(QPainter& painter, const TilesModel& model, const QRectF& area, const Viewport& viewport,
                const QImage& image, const Theme& theme, const TilesOverlay& overlay)
{
    painter.save();
    painter.setClipRect(area, Qt::IntersectClip);
    const double cell = std::min(viewport.scale, viewport.scale * model.aspect);
    const VisibleCells cells = visibleCells(model, area, viewport);
    const QRectF whole = viewport.toScreen(tilesScene(model));
    if (cell >= kCellPixels || image.isNull()) {
        paintCells(painter, model, cells, viewport, theme);
    } else {
        painter.setRenderHint(QPainter::SmoothPixmapTransform, cell < 1);
        painter.drawImage(whole, image);
        if (cell >= kGapPixels)
            paintGaps(painter, model, cells, viewport, theme);
        painter.setPen(QPen(theme.outline, 1));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(whole);
    }
    const std::int64_t inSight = (cells.r1 - cells.r0) * (cells.c1 - cells.c0);
    if (model.trace && cell >= kPathPixels && inSight <= kPathCells && overlay.drawn.empty())
        paintPath(painter, model, cells, viewport, theme, overlay.visit);
    if (cell >= kPathPixels)
        paintNumbers(painter, model, cells, viewport, theme);
    const auto mark = [&](std::int64_t tile, const QColor& colour, double width) {
        QRectF r = viewport.toScreen(tileRect(model, tile)).adjusted(0, 0, -1, -1);
        // If the tile is smaller than a mark, the mark is drawn around it.
        const double grow = std::max(0.0, 5 - std::min(r.width(), r.height()) / 2);
        ring(painter, r.adjusted(-grow, -grow, grow, grow), colour, theme.canvas, width);
    };
    if (overlay.hover)
        mark(*overlay.hover, theme.text, 1.2);
    if (overlay.tile)
        mark(*overlay.tile, theme.accent, 3);
    if (overlay.cursor) {
        const QRectF r = viewport.toScreen(tileRect(model, *overlay.cursor)).adjusted(2, 2, -3, -3);
        ring(painter, r, theme.text, theme.canvas, 1.6);
    }
    if (!overlay.drawn.empty())
        paintDrawn(painter, model, viewport, theme, overlay);
    if (!overlay.note.isEmpty())
        paintNote(painter, overlay.note, overlay.noteAt, area, theme);
    painter.restore();
}

double tilesHeaderHeight(const QRectF& area)
{
    const double title = QFontMetricsF(uiFont(1.0, QFont::DemiBold)).height() + 12;
    return area.height() < kLowPanePixels ? title : title + QFontMetricsF(uiFont(0.9)).height();
}

double tilesLegendHeight()
{
    return QFontMetricsF(uiFont(0.9)).height() + 10;
}

void paintTilesHeader(QPainter& painter, const TilesModel& model, const QRectF& area, const Theme& theme)
{
    const QFont bold = uiFont(1.0, QFont::DemiBold);
    const QFont small = uiFont(0.9);
    const TextMetrics head(bold);
    const TextMetrics detail(small);
    const QPointF at = area.topLeft() + QPointF(8, 5);
    const double width = area.width() - 16;
    const bool oneLine = area.height() < head.height() + detail.height() + 8;
    const double most =
        oneLine ? std::max(width * 0.6, width - 14 - detail.horizontalAdvance(model.subtitle)) : width;
    writeLine(painter, at, most, model.title, bold, theme.text, Qt::ElideMiddle);
    const double shift = oneLine ? std::min(most, head.horizontalAdvance(model.title)) + 14 : 0;
    const double down = oneLine ? head.ascent() - detail.ascent() : head.height();
    writeLine(painter, at + QPointF(shift, down), width - shift, model.subtitle, small, theme.muted);
}

void paintTilesLegend(QPainter& painter, const TilesModel& model, const QRectF& area, const Theme& theme)
{
    if (!model.trace)
        return;
    const TileTrace& trace = *model.trace;
    std::vector<ChartKey> keys;
    const auto scale = [&](const QString& name, double low, double high) {
        keys = {{name},
                low == high ? patchKey(tr("%1, all equal").arg(number(low)), theme.ramp(0.25), theme)
                            : rampKey(number(low), number(high), theme)};
    };
    switch (model.options.colour) {
    case TileColour::Bound:
        for (const Bound bound : {Bound::Compute, Bound::Memory, Bound::Balanced})
            keys.push_back({boundText(bound), [bound, &theme](QPainter& p, const QRectF& box) {
                                const QColor fill = boundColour(bound, theme);
                                p.fillRect(box, fill);
                                paintBoundMark(p, box.center(), 4.5, bound, theme.inkOn(fill));
                            }});
        break;
    case TileColour::Loads:
        scale(tr("Elements loaded per tile"), trace.key.problem->elementsOf(trace.lowLoad),
              trace.key.problem->elementsOf(trace.highLoad));
        break;
    case TileColour::Latency:
        scale(tr("Latency per tile"), trace.lowLatency, trace.highLatency);
        break;
    case TileColour::Order:
        scale(tr("Order of visits"), 1, static_cast<double>(trace.steps->visits().size()));
        break;
    }
    paintKeys(painter, keys, area.adjusted(8, 4, -4, 0), theme);
}

} // namespace tilewright::ui
