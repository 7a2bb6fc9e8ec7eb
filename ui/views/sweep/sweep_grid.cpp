// SPDX-License-Identifier: GPL-3.0-or-later
// Two axes: a map of cells with contours.
#include "theme/number.h"
#include "theme/text_metrics.h"
#include "theme/theme.h"
#include "theme/words.h"
#include "views/sweep/sweep_model.h"

#include <QPainter>

#include <algorithm>
#include <array>
#include <cmath>

namespace tilewright::ui {

namespace {

/// Shares above the best value at which contours are drawn; the user's choice comes first.
constexpr std::array kContours{0.25, 0.5, 1.0, 2.0};

HeatAxis axisOf(const SweepModel& m, std::size_t axis)
{
    HeatAxis out{m.axes[axis].title, {}, {}};
    for (const sweep::AxisValue& v : m.plan().axes[axis].values) {
        const double value = v.number().value_or(0);
        if (value == m.axes[axis].now)
            out.strong = out.labels.size();
        out.labels << m.axes[axis].text(value);
    }
    return out;
}

std::optional<double> valueOf(const SweepModel& m, std::size_t cell)
{
    const sweep::Row& row = m.table.rows[sweepRowOfCell(m, cell)];
    return row.metrics.empty() ? std::nullopt : std::optional(row.metrics[m.metric()]);
}

std::optional<double> best(const SweepModel& m)
{
    std::optional<double> out;
    for (const sweep::Row& row : m.table.rows)
        if (!row.metrics.empty() && (!out || row.metrics[m.metric()] < *out))
            out = row.metrics[m.metric()];
    return out;
}

void paintContour(QPainter& painter, const SweepModel& m, const HeatFrame& f, double most, const QPen& pen)
{
    const auto inside = [&](std::size_t cell) {
        const auto v = valueOf(m, cell);
        return v && *v <= most;
    };
    for (const QPen& stroke : {QPen(Qt::white, pen.widthF() + 2), pen}) {
        painter.setPen(stroke);
        for (std::size_t row = 0; row < f.rows; ++row)
            for (std::size_t c = 0; c < f.columns; ++c) {
                const std::size_t cell = row * f.columns + c;
                const QRectF r = f.cell(cell).adjusted(0, 0, -1, -1);
                if (c + 1 < f.columns && inside(cell) != inside(cell + 1))
                    painter.drawLine(QPointF(r.right() + 0.5, r.top()),
                                     QPointF(r.right() + 0.5, r.bottom() + 1));
                if (row + 1 < f.rows && inside(cell) != inside(cell + f.columns))
                    painter.drawLine(QPointF(r.left(), r.top() - 0.5), QPointF(r.right() + 1, r.top() - 0.5));
            }
    }
}

} // namespace

std::size_t sweepRowOfCell(const SweepModel& m, std::size_t cell)
{
    // Points are numbered with the last axis fastest, cells with the first axis fastest.
    const std::size_t columns = m.plan().axes[0].values.size();
    const std::size_t rows = m.plan().axes[1].values.size();
    return cell % columns * rows + cell / columns;
}

HeatGrid sweepGrid(const SweepModel& m, const Theme& theme)
{
    HeatGrid grid;
    if (m.axes.size() != 2 || m.isEmpty())
        return grid;
    grid.x = axisOf(m, 0);
    grid.y = axisOf(m, 1);
    grid.columns = m.plan().axes[0].values.size();
    grid.rows = m.plan().axes[1].values.size();
    double low = 1e300, high = -1e300;
    for (std::size_t i = 0; i < grid.columns * grid.rows; ++i)
        if (const auto v = valueOf(m, i)) {
            low = std::min(low, *v);
            high = std::max(high, *v);
        }
    const bool log = low > 0;
    const auto scaled = [&](double v) { return log ? std::log(v) : v; };
    bool failed = false, toDo = false;
    for (std::size_t i = 0; i < grid.columns * grid.rows; ++i) {
        HeatCell& cell = grid.cells.emplace_back();
        if (const auto v = valueOf(m, i)) {
            cell.fill =
                theme.ramp(high > low ? (scaled(*v) - scaled(low)) / (scaled(high) - scaled(low)) : 0);
            cell.text = shortNumber(*v);
            continue;
        }
        const bool isFailed = m.table.rows[sweepRowOfCell(m, i)].state == sweep::RowState::Failed;
        cell.sign = isFailed ? HeatSign::Cross : HeatSign::Dots;
        (isFailed ? failed : toDo) = true;
    }
    if (const auto row = m.rowInForce())
        for (std::size_t i = 0; i < grid.cells.size(); ++i)
            if (sweepRowOfCell(m, i) == *row)
                grid.current = i;
    if (high >= low)
        grid.keys.push_back(rampKey(shortNumber(low), shortNumber(high), theme));
    grid.keys.push_back({tr("within %1 % of the best").arg(m.setup.within),
                         [colour = theme.ok](QPainter& painter, const QRectF& r) {
                             painter.setPen(QPen(colour, 3));
                             painter.drawLine(QPointF(r.left(), r.center().y()),
                                              QPointF(r.right(), r.center().y()));
                         },
                         2,
                         {}});
    grid.keys.push_back({tr("25, 50, 100, 200 % above"),
                         [colour = theme.ink](QPainter& painter, const QRectF& r) {
                             painter.setPen(QPen(colour, 1));
                             painter.drawLine(QPointF(r.left(), r.center().y()),
                                              QPointF(r.right(), r.center().y()));
                         },
                         2,
                         {}});
    if (grid.current)
        grid.keys.push_back(heatRingKey(tr("current machine"), theme));
    if (failed)
        grid.keys.push_back(heatSignKey(tr("failed"), HeatSign::Cross, theme));
    if (toDo)
        grid.keys.push_back(heatSignKey(tr("not yet computed"), HeatSign::Dots, theme));
    return grid;
}

SweepGridPlaces sweepGridPlaces(const HeatGrid& grid, const QRectF& area)
{
    SweepGridPlaces p;
    const TextMetrics head(uiFont(1.0, QFont::DemiBold));
    const TextMetrics fm(uiFont(0.85));
    p.title = QRectF(area.left() + 8, area.top() + 5, area.width() - 16, head.height());
    const double keys = keysHeight(grid.keys, area.width() - 16);
    p.keys = QRectF(area.left() + 8, p.title.bottom() + 4, area.width() - 16, keys);
    double widest = 0;
    for (const QString& label : grid.y.labels)
        widest = std::max(widest, fm.horizontalAdvance(label) * 1.1);
    p.map.map = QRectF(QPointF(area.left() + widest + 16, p.keys.bottom() + fm.height() + 8),
                       QPointF(area.right() - 12, area.bottom() - 2 * fm.height() - 8));
    p.map.columns = grid.columns;
    p.map.rows = grid.rows;
    return p;
}

void paintSweepGrid(QPainter& painter, const SweepModel& m, const HeatGrid& grid,
                    const SweepGridPlaces& places, std::optional<std::size_t> hover, const Theme& theme)
{
    writeLine(painter, places.title.topLeft(), places.title.width(), sweepAnswer(m),
              uiFont(1.0, QFont::DemiBold), theme.text);
    paintKeys(painter, grid.keys, places.keys, theme);
    if (places.map.map.width() < 30 || places.map.map.height() < 30)
        return;
    paintHeatGrid(painter, grid, places.map, hover, theme);
    const auto least = best(m);
    if (!least)
        return;
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing, false);
    for (const double share : kContours)
        paintContour(painter, m, places.map, *least * (1 + share), QPen(theme.ink, 1));
    paintContour(painter, m, places.map, *least * (1 + m.setup.within / 100.0), QPen(theme.ok, 3));
    painter.restore();
}

} // namespace tilewright::ui
