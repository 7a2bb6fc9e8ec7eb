// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/granularity/granularity_paint.h"

#include "theme/number.h"
#include "theme/theme.h"

#include <QCoreApplication>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace tilewright::ui {

namespace {

QString tr(const char* text)
{
    return QCoreApplication::translate("Granularity", text);
}

QColor neutral(const Theme& theme)
{
    return Theme::mix(theme.canvas, theme.muted, 0.14);
}

/// Super-native: dots; forbidden: a cross. Neither uses the ramp, and they differ from the hatch of "too
/// large".
void paintExcluded(QPainter& painter, const QRectF& r, CubeCell::State state, const Theme& theme)
{
    painter.fillRect(r, neutral(theme));
    const QColor ink = Theme::mix(theme.canvas, theme.muted, 0.7);
    painter.setRenderHint(QPainter::Antialiasing, true);
    const QPointF c = r.center();
    if (state == CubeCell::State::SuperNative) {
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

void paintCell(QPainter& painter, const GranularityModel& model, const CubeCell& cell, const QRectF& r,
               const Theme& theme)
{
    if (cell.state == CubeCell::State::OutOfMemory)
        fillHatch(painter, r, theme);
    else if (cell.state == CubeCell::State::Fits)
        painter.fillRect(r, theme.ramp(model.intensity(cell.latency)));
    else
        paintExcluded(painter, r, cell.state, theme);
}

void paintBest(QPainter& painter, QPointF centre, const Theme& theme)
{
    painter.setPen(QPen(theme.ink, 1.5));
    painter.setBrush(Qt::white);
    painter.drawEllipse(centre, 4.5, 4.5);
}

void paintRing(QPainter& painter, const QRectF& r, const Theme& theme)
{
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(theme.canvas, 5));
    painter.drawRect(r);
    painter.setPen(QPen(theme.accent, 3));
    painter.drawRect(r);
}

void paintLabels(QPainter& painter, const GranularityModel& model, const GranularityPlaces& p,
                 const Theme& theme)
{
    painter.setFont(uiFont(0.85));
    const QFontMetricsF fm(painter.font());
    const Hardware& hw = model.cube->key.problem->hardware();
    const auto pen = [&](std::int64_t value, std::int64_t native) {
        painter.setFont(value == native ? uiFont(0.85, QFont::Bold) : uiFont(0.85));
        painter.setPen(value == native ? theme.text : theme.muted);
    };
    // Native sizes are always labelled; of the others as many as fit.
    const auto& widths = model.cube->widths;
    double freeFrom = -1e9;
    const double nativeAt = [&] {
        const auto it = std::find(widths.begin(), widths.end(), hw.nativeWidth);
        return it == widths.end()
                   ? 1e9
                   : p.map.left() + (static_cast<double>(it - widths.begin()) + 0.5) * p.cellWidth;
    }();
    for (std::size_t i = 0; i < widths.size(); ++i) {
        const QString text = QString::number(widths[i]);
        const double w = fm.horizontalAdvance(text) * 1.08;
        const double x = p.map.left() + (static_cast<double>(i) + 0.5) * p.cellWidth;
        const bool native = widths[i] == hw.nativeWidth;
        const double nativeWidth = fm.horizontalAdvance(QString::number(hw.nativeWidth)) * 1.08;
        const bool hitsNative = !native && std::abs(x - nativeAt) < (w + nativeWidth) / 2 + 4;
        if (!native && (x - w / 2 < freeFrom || hitsNative))
            continue;
        pen(widths[i], hw.nativeWidth);
        painter.drawText(QPointF(x - w / 2, p.map.bottom() + fm.ascent() + 3), text);
        freeFrom = x + w / 2 + 4;
    }
    const auto& heights = model.cube->heights;
    double freeBelow = 1e9;
    for (std::size_t i = 0; i < heights.size(); ++i) {
        const double y = p.map.bottom() - (static_cast<double>(i) + 0.5) * p.cellHeight;
        if (y + fm.height() / 2 > freeBelow && heights[i] != hw.nativeHeight)
            continue;
        const QString text = QString::number(heights[i]);
        pen(heights[i], hw.nativeHeight);
        painter.drawText(QPointF(p.map.left() - 6 - QFontMetricsF(painter.font()).horizontalAdvance(text),
                                 y + (fm.ascent() - fm.descent()) / 2),
                         text);
        freeBelow = y - fm.height() / 2;
    }
    painter.setFont(uiFont(0.85));
    painter.setPen(theme.muted);
    const QString x = tr("tile width w");
    painter.drawText(
        QPointF(p.map.right() - fm.horizontalAdvance(x), p.map.bottom() + 2 * fm.height() + 3 - fm.descent()),
        x);
    painter.drawText(QPointF(p.map.left(), p.map.top() - 5), tr("tile height h"));
}

void paintLegend(QPainter& painter, const GranularityModel& model, const QRectF& area, const Theme& theme)
{
    painter.setFont(uiFont(0.85));
    const QFontMetricsF fm(painter.font());
    double x = area.left() + 8;
    double y = area.top();
    const double row = fm.height() + 6;
    const auto place = [&](double width) {
        if (x + width > area.right() - 4 && x > area.left() + 8) {
            x = area.left() + 8;
            y += row;
        }
        const double at = x;
        x += width + 14;
        return at;
    };
    const auto baseline = [&] { return y + fm.ascent() + 2; };
    if (model.best) {
        const QString low = shortNumber(model.low);
        const QString high = shortNumber(model.high);
        const QString name = tr("latency");
        const double ramp = 80;
        double at = place(fm.horizontalAdvance(name + low + high) + ramp + 18);
        painter.setPen(theme.muted);
        painter.drawText(QPointF(at, baseline()), name);
        at += fm.horizontalAdvance(name) + 6;
        painter.setPen(theme.text);
        painter.drawText(QPointF(at, baseline()), low);
        at += fm.horizontalAdvance(low) + 5;
        QLinearGradient gradient(at, 0, at + ramp, 0);
        for (int i = 0; i <= 8; ++i)
            gradient.setColorAt(i / 8.0, theme.ramp(i / 8.0));
        painter.fillRect(QRectF(at, y + 3, ramp, fm.height() - 3), gradient);
        at += ramp + 5;
        painter.drawText(QPointF(at, baseline()), high);
    }
    const auto entry = [&](const QString& text, auto&& symbol) {
        const double at = place(fm.horizontalAdvance(text) + 20);
        symbol(QRectF(at, y + 2, 14, fm.height() - 1));
        painter.setRenderHint(QPainter::Antialiasing, true);
        painter.setPen(theme.muted);
        painter.drawText(QPointF(at + 19, baseline()), text);
    };
    if (model.current)
        entry(tr("now"), [&](const QRectF& r) {
            painter.setBrush(Qt::NoBrush);
            painter.setPen(QPen(theme.accent, 2.5));
            painter.drawRect(r.adjusted(1, 1, -1, -1));
        });
    if (model.best)
        entry(tr("best here"), [&](const QRectF& r) { paintBest(painter, r.center(), theme); });
    const auto any = [&](CubeCell::State state) {
        return std::any_of(model.shown.begin(), model.shown.end(),
                           [&](std::size_t i) { return model.cube->cells[i].state == state; });
    };
    if (any(CubeCell::State::OutOfMemory))
        entry(tr("does not fit"), [&](const QRectF& r) { fillHatch(painter, r, theme); });
    if (any(CubeCell::State::SuperNative))
        entry(tr("above native"),
              [&](const QRectF& r) { paintExcluded(painter, r, CubeCell::State::SuperNative, theme); });
    if (any(CubeCell::State::Forbidden))
        entry(tr("not allowed"),
              [&](const QRectF& r) { paintExcluded(painter, r, CubeCell::State::Forbidden, theme); });
}

double legendHeight(double width)
{
    const QFontMetricsF fm(uiFont(0.85));
    const double one = fm.height() + 6;
    const double all = fm.horizontalAdvance(tr("latency") + tr("now") + tr("best here") + tr("does not fit") +
                                            tr("above native") + tr("not allowed")) +
                       fm.horizontalAdvance(QStringLiteral("999k999k")) + 80 + 18 + 5 * 34 + 20;
    return one * std::ceil(all / std::max(60.0, width * 0.86));
}

} // namespace

GranularityPlaces granularityPlaces(const QRectF& area, const GranularityModel& model)
{
    GranularityPlaces p;
    const QFontMetricsF head(uiFont(1.0, QFont::DemiBold));
    const QFontMetricsF fm(uiFont(0.85));
    p.title = QRectF(area.left(), area.top(), area.width(),
                     head.height() + QFontMetricsF(uiFont(0.9)).height() + 10);
    if (!model.cube)
        return p;
    const double legend = legendHeight(area.width());
    p.legend = QRectF(area.left(), area.bottom() - legend, area.width(), legend);
    double widest = 0;
    for (const std::int64_t h : model.cube->heights)
        widest = std::max(widest, fm.horizontalAdvance(QString::number(h)) * 1.1);
    const QRectF room(QPointF(area.left() + widest + 16, p.title.bottom() + fm.height() + 6),
                      QPointF(area.right() - 12, p.legend.top() - 2 * fm.height() - 8));
    const auto nw = static_cast<double>(model.cube->widths.size());
    const auto nh = static_cast<double>(model.cube->heights.size());
    // Cells of whole pixels keep their edges sharp; a little wider than high reads best with numbers in them.
    p.cellHeight = std::clamp(std::floor(room.height() / nh), 2.0, 40.0);
    p.cellWidth = std::clamp(std::floor(room.width() / nw), 2.0, std::max(24.0, p.cellHeight * 2.2));
    p.map = QRectF(std::round(room.left()), std::round(room.top()), p.cellWidth * nw, p.cellHeight * nh);
    return p;
}

QRectF granularityCell(const GranularityPlaces& p, const GranularityModel& model, std::size_t position)
{
    const std::size_t columns = model.cube->widths.size();
    const auto w = static_cast<double>(position % columns);
    const auto h = static_cast<double>(position / columns);
    return {p.map.left() + w * p.cellWidth, p.map.bottom() - (h + 1) * p.cellHeight, p.cellWidth,
            p.cellHeight};
}

std::optional<std::size_t> granularityAt(const GranularityPlaces& p, const GranularityModel& model,
                                         QPointF point)
{
    if (!model.cube || !p.map.contains(point))
        return std::nullopt;
    const auto w = static_cast<std::size_t>((point.x() - p.map.left()) / p.cellWidth);
    const auto h = static_cast<std::size_t>((p.map.bottom() - point.y()) / p.cellHeight);
    if (w >= model.cube->widths.size() || h >= model.cube->heights.size())
        return std::nullopt;
    return h * model.cube->widths.size() + w;
}

void paintGranularity(QPainter& painter, const GranularityModel& model, const GranularityPlaces& p,
                      const Theme& theme, std::optional<std::size_t> hover)
{
    painter.setFont(uiFont(1.0, QFont::DemiBold));
    QFontMetricsF fm(painter.font());
    painter.setPen(theme.text);
    painter.drawText(QPointF(p.title.left() + 8, p.title.top() + 5 + fm.ascent()),
                     fm.elidedText(model.title, Qt::ElideRight, p.title.width() - 16));
    const double below = p.title.top() + 6 + fm.height();
    painter.setFont(uiFont(0.9));
    fm = QFontMetricsF(painter.font());
    painter.setPen(theme.muted);
    painter.drawText(QPointF(p.title.left() + 8, below + fm.ascent()),
                     fm.elidedText(model.subtitle, Qt::ElideRight, p.title.width() - 16));
    if (!model.cube)
        return;
    painter.setFont(uiFont(0.85));
    fm = QFontMetricsF(painter.font());
    const bool values =
        p.cellWidth >= fm.horizontalAdvance(QStringLiteral("9.99M")) + 6 && p.cellHeight >= fm.height() + 3;
    for (std::size_t i = 0; i < model.shown.size(); ++i) {
        const QRectF r = granularityCell(p, model, i).adjusted(0, 0, -1, -1);
        painter.setRenderHint(QPainter::Antialiasing, false);
        paintCell(painter, model, model.cell(i), r, theme);
        painter.setRenderHint(QPainter::Antialiasing, true);
        if (values && model.cell(i).state == CubeCell::State::Fits && model.best != i) {
            painter.setFont(uiFont(0.85));
            painter.setPen(theme.inkOn(theme.ramp(model.intensity(model.cell(i).latency))));
            painter.drawText(r, Qt::AlignCenter, shortNumber(model.cell(i).latency));
        }
    }
    if (hover) {
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(theme.canvas, 3));
        painter.drawRect(granularityCell(p, model, *hover).adjusted(0, 0, -1, -1));
        painter.setPen(QPen(theme.text, 1.4));
        painter.drawRect(granularityCell(p, model, *hover).adjusted(0, 0, -1, -1));
    }
    if (model.current)
        paintRing(painter, granularityCell(p, model, *model.current).adjusted(0, 0, -1, -1), theme);
    if (model.best)
        paintBest(painter, granularityCell(p, model, *model.best).center(), theme);
    paintLabels(painter, model, p, theme);
    paintLegend(painter, model, p.legend, theme);
}

} // namespace tilewright::ui
