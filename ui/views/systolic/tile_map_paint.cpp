// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/systolic/tile_map_paint.h"

#include "chart/plot_paint.h"
#include "theme/number.h"
#include "theme/theme.h"
#include "theme/words.h"
#include "views/systolic/gantt_model.h"
#include "views/systolic/roofline_plot.h"

#include <QFontMetricsF>
#include <QImage>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace tilewright::ui {

namespace {

/// Triangle, star-like diamond, square: analytic, exhaustive, learned.
void drawPick(QPainter& painter, QPointF at, std::size_t method, double r)
{
    if (method == 0)
        painter.drawPolygon(
            QPolygonF({at + QPointF(0, -r), at + QPointF(r, r * 0.8), at + QPointF(-r, r * 0.8)}));
    else if (method == 1)
        painter.drawPolygon(
            QPolygonF({at + QPointF(0, -r), at + QPointF(r, 0), at + QPointF(0, r), at + QPointF(-r, 0)}));
    else
        painter.drawRect(QRectF(at.x() - r * 0.8, at.y() - r * 0.8, r * 1.6, r * 1.6));
}

const QColor& pickColour(std::size_t method, const Theme& theme)
{
    return theme.category(method == 0 ? 7 : method == 1 ? 6 : 5);
}

void paintMarks(QPainter& painter, const TileMapModel& m, const TileMapPlaces& p, const Theme& theme)
{
    if (m.current) {
        // The ring goes round all picks of its cell.
        const auto picks = std::count(m.picks.begin(), m.picks.end(), m.current);
        const double wide = 13 + 7.5 * static_cast<double>(std::max<std::ptrdiff_t>(1, picks) - 1);
        const QPointF at = p.cell(*m.current).center();
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(theme.canvas, 5));
        painter.drawEllipse(at, wide, 13.0);
        painter.setPen(QPen(theme.accent, 2.5));
        painter.drawEllipse(at, wide, 13.0);
    }
    for (std::size_t i = 0; i < 3; ++i) {
        if (!m.picks[i])
            continue;
        // Picks of one cell stand side by side.
        int same = 0;
        int before = 0;
        for (std::size_t k = 0; k < 3; ++k)
            if (m.picks[k] == m.picks[i]) {
                ++same;
                before += k < i;
            }
        const QPointF at = p.cell(*m.picks[i]).center() + QPointF((before - (same - 1) / 2.0) * 15, 0);
        painter.setPen(QPen(theme.ink, 1.5));
        painter.setBrush(pickColour(i, theme));
        drawPick(painter, at, i, 6.5);
    }
    painter.setBrush(Qt::NoBrush);
}

void paintMapAxes(QPainter& painter, const TileLandscape& l, const TileMapPlaces& p, const Theme& theme)
{
    painter.setFont(uiFont(0.85));
    const QFontMetricsF fm(painter.font());
    painter.setPen(theme.muted);
    double last = -1e9;
    const double right = p.map.right() - fm.horizontalAdvance(QStringLiteral("Tj")) - 8;
    for (std::size_t j = 0; j < p.cols; ++j) {
        const QString label = number(l.tj[j]);
        const double w = fm.horizontalAdvance(label);
        const double x = p.cell({0, j}).center().x() - w / 2;
        if (x < last + 12 || x + w > right)
            continue;
        painter.drawText(QPointF(x, p.map.bottom() + fm.ascent() + 4), label);
        last = x + w;
    }
    painter.drawText(
        QPointF(p.map.right() - fm.horizontalAdvance(QStringLiteral("Tj")), p.map.bottom() + fm.ascent() + 4),
        QStringLiteral("Tj"));
    double lastTop = 1e9;
    const double top = p.map.top() + fm.height() + 2;
    for (std::size_t i = 0; i < p.rows; ++i) {
        const double y = p.cell({i, 0}).center().y() + fm.ascent() / 2 - 1;
        if (y > lastTop - fm.height() - 4 || y - fm.ascent() < top)
            continue;
        const QString label = number(l.ti[i]);
        painter.drawText(QPointF(p.map.left() - fm.horizontalAdvance(label) - 6, y), label);
        lastTop = y;
    }
    painter.drawText(
        QPointF(p.map.left() - fm.horizontalAdvance(QStringLiteral("Ti")) - 6, p.map.top() + fm.ascent()),
        QStringLiteral("Ti"));
}

void paintLegend(QPainter& painter, const TileMapModel& m, const QRectF& area, const Theme& theme)
{
    painter.setFont(uiFont(0.85));
    const QFontMetricsF fm(painter.font());
    double x = area.left();
    double y = area.top();
    const auto room = [&](double w) {
        if (x > area.left() && x + w > area.right()) {
            x = area.left();
            y += fm.height() + 6;
        }
    };
    const QString low = shortNumber(std::pow(10, m.lowest));
    const QString high = tr("%1 elements").arg(shortNumber(std::pow(10, m.highest)));
    room(fm.horizontalAdvance(low + high) + 100);
    painter.setPen(theme.text);
    painter.drawText(QPointF(x, y + fm.ascent()), low);
    x += fm.horizontalAdvance(low) + 5;
    for (int i = 0; i < 80; ++i)
        painter.fillRect(QRectF(x + i, y + 2, 1.5, fm.height() - 4), theme.ramp(i / 79.0));
    painter.drawText(QPointF(x + 86, y + fm.ascent()), high);
    x += 86 + fm.horizontalAdvance(high) + 16;
    const QString misfit = tr("does not fit");
    room(22 + fm.horizontalAdvance(misfit));
    fillHatch(painter, QRectF(x, y + 2, 16, fm.height() - 4), theme);
    painter.setPen(theme.text);
    painter.drawText(QPointF(x + 21, y + fm.ascent()), misfit);
    x += 21 + fm.horizontalAdvance(misfit) + 16;
    for (std::size_t i = 0; i < 3; ++i) {
        const QString name = methodText(static_cast<TileMethod>(i));
        room(18 + fm.horizontalAdvance(name));
        painter.setPen(QPen(theme.dark ? theme.outline : theme.ink, 1));
        painter.setBrush(pickColour(i, theme));
        drawPick(painter, QPointF(x + 6, y + fm.height() / 2), i, 5);
        painter.setBrush(Qt::NoBrush);
        painter.setPen(theme.text);
        painter.drawText(QPointF(x + 16, y + fm.ascent()), name);
        x += 16 + fm.horizontalAdvance(name) + 14;
    }
    const QString current = tr("current");
    room(18 + fm.horizontalAdvance(current));
    painter.setPen(QPen(theme.accent, 2));
    painter.drawEllipse(QPointF(x + 6, y + fm.height() / 2), 5, 5);
    painter.setPen(theme.text);
    painter.drawText(QPointF(x + 16, y + fm.ascent()), current);
}

} // namespace

std::optional<TileCell> TileMapPlaces::cellAt(QPointF position) const
{
    if (!map.contains(position))
        return {};
    const auto index = [](double pixels, double size, std::size_t n) {
        return std::min(static_cast<std::size_t>(pixels / size * static_cast<double>(n)), n - 1);
    };
    return TileCell{index(map.bottom() - position.y(), map.height(), rows),
                    index(position.x() - map.left(), map.width(), cols)};
}

double paintCapacityBars(QPainter& painter, const std::vector<Constraint>& constraints, const QRectF& area,
                         const Theme& theme)
{
    const QFont bold = uiFont(1.0, QFont::DemiBold);
    const QFontMetricsF bm(bold);
    painter.setFont(bold);
    painter.setPen(theme.text);
    if (area.height() < bm.height() * 2)
        return 0;
    painter.drawText(QPointF(area.left(), area.top() + bm.ascent()), tr("Capacities: used of available"));
    double y = area.top() + bm.height() + 4;
    painter.setFont(uiFont(0.85));
    const QFontMetricsF fm(painter.font());
    const double h = fm.height() + 6 + 8;
    for (const Constraint& c : constraints) {
        if (y + h > area.bottom())
            break;
        const bool bytes = c.unit == "bytes";
        const QString figures =
            bytes ? QStringLiteral("%1 / %2").arg(bytesText(static_cast<double>(c.used)),
                                                  bytesText(static_cast<double>(c.available)))
                  : tr("%1 / %2 panels").arg(number(c.used), number(c.available));
        const QString sign = c.fits() ? QStringLiteral("✓ ") : QStringLiteral("✗ ");
        const double w = fm.horizontalAdvance(sign + figures);
        painter.setPen(c.fits() ? theme.text : theme.error);
        painter.drawText(QPointF(area.right() - w, y + fm.ascent()), sign + figures);
        QString name = QString::fromStdString(c.name);
        if (!c.limit.empty())
            name += QStringLiteral(" · ") + QString::fromStdString(c.limit);
        painter.setPen(theme.text);
        painter.drawText(QPointF(area.left(), y + fm.ascent()),
                         fm.elidedText(name, Qt::ElideRight, area.width() - w - 14));
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
    p.rows = std::max<std::size_t>(1, m.rows);
    p.cols = std::max<std::size_t>(1, m.cols);
    const QFontMetricsF fm(uiFont());
    const QFontMetricsF small(uiFont(0.85));
    const QRectF inner = area.adjusted(kPaneMargin, 8, -kPaneMargin, -8);
    p.header = QRectF(inner.left(), inner.top(), inner.width(), 2 * (fm.height() + 2));
    const QRectF rest = inner.adjusted(0, p.header.height() + 8, 0, 0);
    const double yLabels = small.horizontalAdvance(QStringLiteral("1 000 0")) + 8;
    const bool wide = rest.width() >= 620;
    const double legend = small.height() * 2 + 10;
    const double below = small.height() + 8 + legend;
    const double side =
        std::min(rest.height() - below, (wide ? rest.width() * 0.44 : rest.width()) - yLabels);
    p.map = QRectF(rest.left() + yLabels, rest.top(), std::max(40.0, side), std::max(40.0, side));
    p.legend = QRectF(rest.left(), p.map.bottom() + small.height() + 10,
                      std::max(p.map.right() - rest.left(), std::min(rest.width(), 340.0)), legend);
    if (!wide)
        return p;
    const double left = p.legend.right() + 24;
    const QRectF right(left, rest.top(), rest.right() - left, rest.height());
    const double methods = m.methods.height(right.width());
    p.methods = QRectF(right.left(), right.top(), right.width(), methods);
    QRectF lower = right.adjusted(0, methods + 12, 0, 0);
    const double barsHeight =
        fm.height() + 4 + static_cast<double>(m.constraints.size()) * (small.height() + 14);
    // Bars and roofline side by side when that leaves each enough room, else one under the other.
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
    const TileLandscape& l = m.result->landscape;
    const QFont bold = uiFont(1.0, QFont::DemiBold);
    const QFontMetricsF bm(bold);
    painter.setFont(bold);
    painter.setPen(theme.text);
    painter.drawText(QPointF(p.header.left(), p.header.top() + bm.ascent()),
                     bm.elidedText(m.title, Qt::ElideRight, p.header.width()));
    painter.setFont(uiFont(0.95));
    const QFontMetricsF fm(painter.font());
    painter.setPen(theme.accent);
    painter.drawText(QPointF(p.header.left(), p.header.top() + bm.height() + 2 + fm.ascent()),
                     fm.elidedText(m.headline, Qt::ElideRight, p.header.width()));

    QImage image(static_cast<int>(p.cols), static_cast<int>(p.rows), QImage::Format_RGB32);
    for (std::size_t i = 0; i < p.rows; ++i)
        for (std::size_t j = 0; j < p.cols; ++j)
            image.setPixelColor(static_cast<int>(j), static_cast<int>(p.rows - 1 - i),
                                theme.ramp(m.shade(l.at(i, j))));
    painter.save();
    painter.setRenderHint(QPainter::SmoothPixmapTransform, false);
    painter.drawImage(p.map, image);
    painter.setRenderHint(QPainter::Antialiasing, false);
    for (std::size_t i = 0; i < p.rows; ++i)
        for (std::size_t j = 0; j < p.cols;) {
            std::size_t end = j;
            while (end < p.cols && !l.at(i, end).feasible)
                ++end;
            if (end > j)
                fillHatch(painter, p.cell({i, j}).united(p.cell({i, end - 1})), theme);
            j = std::max(end, j + 1);
        }
    painter.restore();
    painter.setPen(theme.outline);
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(p.map);
    paintMapAxes(painter, l, p, theme);
    if (hover) {
        painter.setPen(QPen(theme.text, 1.5));
        painter.drawRect(p.cell(*hover).adjusted(-1, -1, 1, 1));
    }
    painter.save();
    painter.setClipRect(p.map.adjusted(-16, -16, 16, 16));
    paintMarks(painter, m, p, theme);
    painter.restore();
    paintLegend(painter, m, p.legend, theme);
    if (!p.methods.isEmpty())
        m.methods.paint(painter, p.methods, theme);
    if (!p.bars.isEmpty() && !m.constraints.empty())
        paintCapacityBars(painter, m.constraints, p.bars, theme);
    if (m.roofline && p.roofline.height() > 110) {
        painter.setFont(bold);
        painter.setPen(theme.text);
        const QString title =
            tr("Roofline: %1 of %2 GFLOP/s, bound by %3")
                .arg(number(std::round(m.roofline->attainableGflops)),
                     number(std::round(m.roofline->peakGflops)), bindingText(m.roofline->binding));
        painter.drawText(QPointF(p.roofline.left(), p.roofline.top() + bm.ascent()),
                         bm.elidedText(title, Qt::ElideRight, p.roofline.width()));
        const PlotModel plot =
            levelRoofline(*m.roofline, m.optimum ? &*m.optimum : nullptr, tr("exhaustive"), theme);
        paintPlot(painter, plot, plotFrame(plot, p.roofline.adjusted(0, bm.height() + 2, 0, 0)), theme);
    }
}

} // namespace tilewright::ui
