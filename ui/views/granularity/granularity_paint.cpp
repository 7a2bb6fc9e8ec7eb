// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/granularity/granularity_paint.h"

#include "theme/number.h"
#include "theme/text_metrics.h"
#include "theme/theme.h"
#include "theme/words.h"

#include <QPainter>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace tilewright::ui {

namespace {

constexpr double kRampWidth = 80; ///< of the legend

QString titleText(const GranularityModel& model)
{
    return model.owner.isEmpty() ? model.title : model.owner + QStringLiteral(" · ") + model.title;
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
    const TextMetrics fm(painter.font());
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
    const auto centre = [&](std::size_t i) {
        return p.map.bottom() - (static_cast<double>(i) + 0.5) * p.cellHeight;
    };
    const auto nativeHeight = std::find(heights.begin(), heights.end(), hw.nativeHeight);
    double freeBelow = 1e9;
    for (std::size_t i = 0; i < heights.size(); ++i) {
        const double y = centre(i);
        const bool native = heights[i] == hw.nativeHeight;
        const bool hitsNative =
            !native && nativeHeight != heights.end() &&
            std::abs(y - centre(static_cast<std::size_t>(nativeHeight - heights.begin()))) < fm.height();
        if (!native && (y + fm.height() / 2 > freeBelow || hitsNative))
            continue;
        const QString text = QString::number(heights[i]);
        pen(heights[i], hw.nativeHeight);
        painter.drawText(QPointF(p.map.left() - 6 - TextMetrics(painter.font()).horizontalAdvance(text),
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
    const TextMetrics fm(painter.font());
    double x = area.left() + 8;
    double y = area.top();
    const double row = fm.height() + 6;
    painter.save();
    painter.setClipRect(area.adjusted(0, -2, 0, 2)); // a row that does not fit is left out
    const auto place = [&](double width) {
        if (x + width > area.right() - 4 && x > area.left() + 8) {
            x = area.left() + 8;
            y += row;
        }
        if (y + fm.height() > area.bottom() + 2)
            y = area.bottom() + 2 * row;
        const double at = x;
        x += width + 14;
        return at;
    };
    const auto baseline = [&] { return y + fm.ascent() + 2; };
    if (model.best) {
        const QString low = shortNumber(model.low);
        const QString high = shortNumber(model.high);
        const QString name = tr("latency");
        const double ramp = kRampWidth;
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
        const double side = fm.height() - 1;
        const double at = place(fm.horizontalAdvance(text) + side + 7);
        symbol(QRectF(at, y + 2, side, side));
        painter.setRenderHint(QPainter::Antialiasing, true);
        painter.setPen(theme.muted);
        painter.drawText(QPointF(at + side + 6, baseline()), text);
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
    painter.restore();
}

/// The subtitle gives way to the cell under the mouse or the key cursor, when there is one.
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

/// As high as paintLegend() needs for what there is to explain.
double legendHeight(const GranularityModel& model, double width)
{
    const TextMetrics fm(uiFont(0.85));
    std::vector<double> entries;
    if (model.best) {
        const QString text = tr("latency") + shortNumber(model.low) + shortNumber(model.high);
        entries.push_back(fm.horizontalAdvance(text) + kRampWidth + 18);
    }
    if (model.current)
        entries.push_back(fm.horizontalAdvance(tr("now")) + fm.height() + 6);
    if (model.best)
        entries.push_back(fm.horizontalAdvance(tr("best here")) + fm.height() + 6);
    for (const auto& [state, text] : {std::pair(CubeCell::State::OutOfMemory, tr("does not fit")),
                                      std::pair(CubeCell::State::SuperNative, tr("above native")),
                                      std::pair(CubeCell::State::Forbidden, tr("not allowed"))})
        if (std::any_of(model.shown.begin(), model.shown.end(),
                        [&, s = state](std::size_t i) { return model.cube->cells[i].state == s; }))
            entries.push_back(fm.horizontalAdvance(text) + fm.height() + 6);
    double x = 0;
    int rows = 1;
    for (const double entry : entries) {
        if (x + entry > width - 12 && x > 0) {
            x = 0;
            ++rows;
        }
        x += entry + 14;
    }
    return rows * (fm.height() + 6);
}

} // namespace

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
    p.subtitleRows = beside ? 3 : sub.horizontalAdvance(model.subtitle) > width ? 2 : 1; // 3: what is hovered
    const double textHeight = p.titleRows * head.height() + p.subtitleRows * sub.height() + 10;
    p.title = QRectF(area.left(), area.top(), beside ? side : area.width(), textHeight);
    if (!model.cube)
        return p;
    double widest = 0;
    for (const std::int64_t h : model.cube->heights)
        widest = std::max(widest, fm.horizontalAdvance(QString::number(h)) * 1.1);
    QRectF room = area.adjusted(widest + 16, fm.height() + 6, -12, -2 * fm.height() - 8);
    if (!beside) {
        const double legend = legendHeight(model, area.width());
        p.legend = QRectF(area.left(), area.bottom() - legend, area.width(), legend);
        room.setTop(p.title.bottom() + fm.height() + 6);
        room.setBottom(p.legend.top() - 2 * fm.height() - 8);
    } else {
        room.setRight(area.right() - side - 12);
    }
    const auto nw = static_cast<double>(model.cube->widths.size());
    const auto nh = static_cast<double>(model.cube->heights.size());
    // Cells of whole pixels keep their edges sharp; a little wider than high reads best with numbers in them.
    p.cellHeight = std::clamp(std::floor(room.height() / nh), 2.0, 40.0);
    p.cellWidth =
        std::clamp(std::floor(room.width() / nw), 2.0, std::max(beside ? 60.0 : 24.0, p.cellHeight * 2.2));
    p.map = QRectF(std::round(room.left()), std::round(room.top()), p.cellWidth * nw, p.cellHeight * nh);
    if (beside) {
        p.title.moveLeft(p.map.right() + 16);
        p.title.setRight(area.right());
        p.legend = QRectF(p.title.left(), p.title.bottom() + 4, p.title.width(),
                          std::max(0.0, area.bottom() - p.title.bottom() - 8));
    }
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
    paintTitle(painter, model, p, theme, hover);
    if (!model.cube)
        return;
    painter.setFont(uiFont(0.85));
    const TextMetrics fm(painter.font());
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
