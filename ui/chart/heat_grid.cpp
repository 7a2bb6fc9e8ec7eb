// SPDX-License-Identifier: GPL-3.0-or-later
#include "chart/heat_grid.h"

#include "chart/plot_paint.h"
#include "theme/text_metrics.h"
#include "theme/theme.h"

#include <QPainter>

#include <algorithm>
#include <cmath>

namespace tilewright::ui {

namespace {

constexpr double kBesideOneAnother = 15; // distance in pixels between the marks of one cell
constexpr double kRing = 13;             // radius of the ring if cells are smaller than marks

void paintSign(QPainter& painter, const QRectF& r, HeatSign sign, const Theme& theme)
{
    if (sign == HeatSign::Hatch) {
        fillHatch(painter, r, theme);
        return;
    }
    painter.fillRect(r, Theme::mix(theme.canvas, theme.muted, 0.14));
    const QColor ink = Theme::mix(theme.canvas, theme.muted, 0.7);
    painter.setRenderHint(QPainter::Antialiasing, true);
    const QPointF c = r.center();
    if (sign == HeatSign::Dots) {
        painter.setPen(Qt::NoPen);
        painter.setBrush(ink);
        for (const double dx : {-4.5, 0.0, 4.5})
            if (std::abs(dx) < r.width() / 2 - 1)
                painter.drawEllipse(c + QPointF(dx, 0), 1.3, 1.3);
    } else {
        const double s = std::min({4.0, r.width() / 3, r.height() / 3});
        painter.setPen(QPen(ink, 1.4));
        painter.drawLine(c - QPointF(s, s), c + QPointF(s, s));
        painter.drawLine(c + QPointF(-s, s), c + QPointF(s, -s));
    }
    painter.setRenderHint(QPainter::Antialiasing, false);
}

/// Paints cells without gaps as one image, which has no visible seams at any scale.
void paintSeamless(QPainter& painter, const HeatGrid& grid, const HeatFrame& f, const Theme& theme)
{
    QImage image(static_cast<int>(f.columns), static_cast<int>(f.rows), QImage::Format_RGB32);
    for (std::size_t row = 0; row < f.rows; ++row)
        for (std::size_t column = 0; column < f.columns; ++column)
            image.setPixelColor(static_cast<int>(column),
                                static_cast<int>(f.downwards ? row : f.rows - 1 - row),
                                grid.cells[row * f.columns + column].fill);
    painter.setRenderHint(QPainter::SmoothPixmapTransform, false);
    painter.drawImage(f.map, image);
    for (std::size_t row = 0; row < f.rows; ++row)
        for (std::size_t column = 0; column < f.columns;) {
            const std::size_t first = row * f.columns + column;
            const HeatSign sign = grid.cells[first].sign;
            std::size_t end = column + 1;
            while (end < f.columns && grid.cells[row * f.columns + end].sign == sign)
                ++end;
            if (sign != HeatSign::None)
                paintSign(painter, f.cell(first).united(f.cell(row * f.columns + end - 1)), sign, theme);
            column = end;
        }
    painter.setPen(theme.outline);
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(f.map);
}

void paintCells(QPainter& painter, const HeatGrid& grid, const HeatFrame& f, const Theme& theme)
{
    const TextMetrics fm(uiFont(0.85));
    double widest = 0;
    for (const HeatCell& cell : grid.cells)
        widest = std::max(widest, fm.horizontalAdvance(cell.text));
    const QRectF one = f.cell(0).adjusted(0, 0, -grid.gap, -grid.gap);
    const bool texts = widest + 4 <= one.width() && fm.ascent() + 2 <= one.height();
    painter.setFont(uiFont(0.85));
    for (std::size_t i = 0; i < grid.cells.size(); ++i) {
        const HeatCell& cell = grid.cells[i];
        const QRectF r = f.cell(i).adjusted(0, 0, -grid.gap, -grid.gap);
        painter.setRenderHint(QPainter::Antialiasing, false);
        if (cell.sign == HeatSign::None)
            painter.fillRect(r, cell.fill);
        else
            paintSign(painter, r, cell.sign, theme);
        painter.setRenderHint(QPainter::Antialiasing, true);
        if (texts && !cell.text.isEmpty()) {
            painter.setPen(theme.inkOn(cell.fill));
            painter.drawText(r, Qt::AlignCenter, cell.text);
        }
        if (cell.framed) {
            painter.setPen(QPen(theme.error, 2));
            painter.setBrush(Qt::NoBrush);
            painter.drawRect(r.adjusted(1, 1, -1, -1));
        }
    }
}

void paintMarks(QPainter& painter, const HeatGrid& grid, const HeatFrame& f, const Theme& theme)
{
    const auto inCell = [&](std::size_t cell) {
        return std::count_if(grid.marks.begin(), grid.marks.end(),
                             [&](const HeatMark& m) { return m.cell == cell; });
    };
    if (grid.current) {
        const QRectF r = f.cell(*grid.current).adjusted(0, 0, -grid.gap, -grid.gap);
        const double marks = static_cast<double>(std::max<std::ptrdiff_t>(1, inCell(*grid.current)));
        const double wide = kRing + (marks - 1) * kBesideOneAnother / 2;
        painter.setBrush(Qt::NoBrush);
        for (const QPen& pen : {QPen(theme.canvas, 5), QPen(theme.accent, 3)}) {
            painter.setPen(pen);
            if (grid.gap <= 0 && std::min(r.width(), r.height()) < kRing)
                painter.drawEllipse(r.center(), wide, kRing);
            else
                painter.drawRect(r);
        }
    }
    for (std::size_t i = 0; i < grid.marks.size(); ++i) {
        const HeatMark& m = grid.marks[i];
        const auto before =
            std::count_if(grid.marks.begin(), grid.marks.begin() + static_cast<std::ptrdiff_t>(i),
                          [&](const HeatMark& other) { return other.cell == m.cell; });
        const double shift = static_cast<double>(before) - static_cast<double>(inCell(m.cell) - 1) / 2.0;
        paintPlotMark(painter, f.cell(m.cell).center() + QPointF(shift * kBesideOneAnother, 0), m.sign);
    }
}

/// Draws the labels of an axis: first label `strong`, then label `now`, then as many others as fit. `place`:
/// position of the centre of a cell on the axis. `room`: length of a label along the axis.
template <typename Place, typename Room, typename Draw>
void labelAxis(const HeatAxis& axis, qsizetype count, Place&& place, Room&& room, Draw&& draw)
{
    std::vector<std::pair<double, double>> taken;
    const auto label = [&](qsizetype i, bool strong) {
        const double half = room(axis.labels[i]) / 2;
        const double at = place(i);
        const bool free = std::none_of(taken.begin(), taken.end(), [&](const auto& other) {
            return at - half < other.second && at + half > other.first;
        });
        if (!free || !draw(axis.labels[i], at, strong))
            return;
        taken.emplace_back(at - half, at + half);
    };
    count = std::min(count, axis.labels.size());
    if (axis.strong && *axis.strong < count)
        label(*axis.strong, true);
    if (axis.now && *axis.now < count && axis.now != axis.strong)
        label(*axis.now, false);
    for (qsizetype i = 0; i < count; ++i)
        if (i != axis.strong && i != axis.now)
            label(i, false);
}

void paintAxes(QPainter& painter, const HeatGrid& grid, const HeatFrame& f, const Theme& theme)
{
    const TextMetrics fm(uiFont(0.85));
    const auto style = [&](bool strong) {
        painter.setFont(uiFont(0.85, strong ? QFont::Bold : QFont::Normal));
        painter.setPen(strong ? theme.text : theme.muted);
    };
    const double base = f.map.bottom() + fm.ascent() + 3;
    const double titleLeft = f.map.right() - fm.horizontalAdvance(grid.x.title);
    // A title that is longer than the labels is placed below them.
    double longest = 0;
    for (const QString& label : grid.x.labels)
        longest = std::max(longest, fm.horizontalAdvance(label));
    const bool below = fm.horizontalAdvance(grid.x.title) > longest + 8;
    labelAxis(
        grid.x, static_cast<qsizetype>(f.columns),
        [&](qsizetype i) { return f.cell(static_cast<std::size_t>(i)).center().x(); },
        [&](const QString& text) { return fm.horizontalAdvance(text) * 1.08 + 6; },
        [&](const QString& text, double at, bool strong) {
            style(strong);
            const double w = TextMetrics(painter.font()).horizontalAdvance(text);
            if (!below && !grid.x.title.isEmpty() && at + w / 2 > titleLeft - 6)
                return false;
            painter.drawText(QPointF(at - w / 2, base), text);
            return true;
        });
    labelAxis(
        grid.y, static_cast<qsizetype>(f.rows),
        [&](qsizetype i) { return f.cell(static_cast<std::size_t>(i) * f.columns).center().y(); },
        [&](const QString&) { return fm.height() + 1; },
        [&](const QString& text, double at, bool strong) {
            style(strong);
            const double w = TextMetrics(painter.font()).horizontalAdvance(text);
            painter.drawText(QPointF(f.map.left() - 6 - w, at + (fm.ascent() - fm.descent()) / 2), text);
            return true;
        });
    style(false);
    painter.drawText(QPointF(titleLeft, base + (below ? fm.height() - 1 : 0)), grid.x.title);
    painter.drawText(QPointF(f.map.left(), f.map.top() - 5), grid.y.title);
}

} // namespace

QRectF HeatFrame::cell(std::size_t i) const
{
    const double w = map.width() / static_cast<double>(columns);
    const double h = map.height() / static_cast<double>(rows);
    const auto column = static_cast<double>(i % columns);
    const std::size_t above = i / columns;
    const auto row = static_cast<double>(above);
    return {map.left() + column * w, downwards ? map.top() + row * h : map.bottom() - (row + 1) * h, w, h};
}

std::optional<std::size_t> HeatFrame::cellAt(QPointF position) const
{
    if (!map.contains(position))
        return std::nullopt;
    const auto index = [](double pixels, double size, std::size_t n) {
        return std::min(static_cast<std::size_t>(pixels / size * static_cast<double>(n)), n - 1);
    };
    const double y = downwards ? position.y() - map.top() : map.bottom() - position.y();
    return index(y, map.height(), rows) * columns + index(position.x() - map.left(), map.width(), columns);
}

std::size_t HeatFrame::beside(std::size_t i, QPoint arrow) const
{
    const auto moved = [](std::size_t at, int by, std::size_t n) {
        return static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(static_cast<std::ptrdiff_t>(at) + by, 0,
                                                                   static_cast<std::ptrdiff_t>(n) - 1));
    };
    return moved(i / columns, downwards ? arrow.y() : -arrow.y(), rows) * columns +
           moved(i % columns, arrow.x(), columns);
}

void paintHeatGrid(QPainter& painter, const HeatGrid& grid, const HeatFrame& frame,
                   std::optional<std::size_t> hover, const Theme& theme)
{
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing, false);
    grid.gap > 0 ? paintCells(painter, grid, frame, theme) : paintSeamless(painter, grid, frame, theme);
    painter.setRenderHint(QPainter::Antialiasing, true);
    if (hover) {
        const QRectF r = frame.cell(*hover).adjusted(0, 0, -grid.gap, -grid.gap);
        painter.setBrush(Qt::NoBrush);
        for (const QPen& pen : {QPen(theme.canvas, 3), QPen(theme.text, 1.4)}) {
            painter.setPen(pen);
            painter.drawRect(r);
        }
    }
    paintMarks(painter, grid, frame, theme);
    paintAxes(painter, grid, frame, theme);
    painter.restore();
}

ChartKey heatSignKey(const QString& text, HeatSign sign, const Theme& theme)
{
    return {text, [sign, theme](QPainter& painter, const QRectF& r) { paintSign(painter, r, sign, theme); }};
}

ChartKey heatRingKey(const QString& text, const Theme& theme)
{
    return {text, [theme](QPainter& painter, const QRectF& r) {
                painter.setBrush(Qt::NoBrush);
                painter.setPen(QPen(theme.accent, 2.5));
                painter.drawRect(r.adjusted(1, 1, -1, -1));
            }};
}

} // namespace tilewright::ui
