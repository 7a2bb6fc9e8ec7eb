// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/mapping/search_map_paint.h"

#include "theme/number.h"
#include "theme/theme.h"
#include "theme/words.h"
#include "views/mapping/nest_model.h"

#include <QPainter>
#include <QPainterPath>

#include <algorithm>
#include <cmath>

namespace tilewright::ui {

namespace {

struct Tick
{
    double value; ///< log10
    QString label;
};

/// Powers of ten, with 2 and 5 between them when there is room, and finer steps when there is little else.
std::vector<Tick> logTicks(const Axis& axis, double pixelsApart)
{
    const double perDecade = std::abs(axis.p1 - axis.p0) / std::max(1e-9, axis.v1 - axis.v0);
    std::vector<double> steps{1};
    if (perDecade * std::log10(2.0) > pixelsApart)
        steps = {1, 2, 5};
    if (perDecade * std::log10(10.0 / 9) > pixelsApart)
        steps = {1, 1.2, 1.4, 1.6, 1.8, 2, 2.5, 3, 3.5, 4, 5, 6, 7, 8, 9};
    else if (perDecade * std::log10(5.0 / 4) > pixelsApart)
        steps = {1, 1.5, 2, 3, 4, 5, 7};
    std::vector<Tick> out;
    for (int d = static_cast<int>(std::floor(axis.v0)); d <= static_cast<int>(std::ceil(axis.v1)); ++d)
        for (const double s : steps) {
            const double v = d + std::log10(s);
            if (v >= axis.v0 && v <= axis.v1)
                out.push_back({v, shortNumber(s * std::pow(10.0, d))});
        }
    return out;
}

void paintAxes(QPainter& painter, const QRectF& plot, const Axis& x, const Axis& y, const Theme& theme)
{
    painter.setFont(uiFont(0.9));
    const QFontMetricsF fm(painter.font());
    const QString title = tr("cycles");
    const double titleLeft = plot.right() - fm.horizontalAdvance(title);
    const double baseline = plot.bottom() + fm.ascent() + 4;
    for (const Tick& t : logTicks(x, 64)) {
        const double at = std::round(x.toPixel(t.value)) + 0.5;
        painter.setPen(theme.grid);
        painter.drawLine(QPointF(at, plot.top()), QPointF(at, plot.bottom()));
        const double w = fm.horizontalAdvance(t.label);
        const double left = std::clamp(at - w / 2, plot.left(), std::max(plot.left(), plot.right() - w));
        painter.setPen(theme.muted);
        if (left + w < titleLeft - 10)
            painter.drawText(QPointF(left, baseline), t.label);
    }
    painter.drawText(QPointF(titleLeft, baseline), title);
    for (const Tick& t : logTicks(y, 30)) {
        const double at = std::round(y.toPixel(t.value)) + 0.5;
        painter.setPen(theme.grid);
        painter.drawLine(QPointF(plot.left(), at), QPointF(plot.right(), at));
        painter.setPen(theme.muted);
        painter.drawText(QPointF(plot.left() - fm.horizontalAdvance(t.label) - 6, at + fm.ascent() / 2 - 1),
                         t.label);
    }
    painter.setPen(theme.muted);
    painter.drawText(QPointF(plot.left() - 40, plot.top() - 7), tr("energy, pJ"));
    // What the colours of the cells mean.
    const QString few = tr("few methods");
    const QString many = tr("many");
    double at = plot.right() - fm.horizontalAdvance(many);
    const double manyAt = at;
    at -= 6 + 90;
    const double left = at - 6 - fm.horizontalAdvance(few);
    if (left > plot.left() + 60) {
        painter.drawText(QPointF(manyAt, plot.top() - 7), many);
        for (int i = 0; i < 90; ++i)
            painter.fillRect(QRectF(at + i, plot.top() - 7 - fm.ascent() * 0.8, 1.5, fm.ascent() * 0.8),
                             theme.ramp(0.08 + 0.92 * i / 89.0));
        painter.drawText(QPointF(left, plot.top() - 7), few);
    }
    painter.setPen(theme.outline);
    painter.drawLine(plot.bottomLeft(), plot.bottomRight());
    painter.drawLine(plot.topLeft(), plot.bottomLeft());
}

void paintDensity(QPainter& painter, const mapping::Density& density, const Axis& x, const Axis& y,
                  const Theme& theme)
{
    const std::uint32_t most = *std::max_element(density.counts.begin(), density.counts.end());
    const double scale = 1 / std::log1p(static_cast<double>(most));
    const double dx = (density.maxLogCycles - density.minLogCycles) / density.columns;
    const double dy = (density.maxLogEnergy - density.minLogEnergy) / density.rows;
    painter.setRenderHint(QPainter::Antialiasing, false); // no seams between the cells
    painter.setPen(Qt::NoPen);
    for (int row = 0; row < density.rows; ++row)
        for (int column = 0; column < density.columns; ++column) {
            const std::uint32_t n = density.counts[density.cell(column, row)];
            if (n == 0)
                continue;
            const double left = std::floor(x.toPixel(density.minLogCycles + column * dx));
            const double right = std::floor(x.toPixel(density.minLogCycles + (column + 1) * dx));
            const double top = std::floor(y.toPixel(density.minLogEnergy + (row + 1) * dy));
            const double bottom = std::floor(y.toPixel(density.minLogEnergy + row * dy));
            painter.fillRect(QRectF(left, top, right - left, bottom - top),
                             theme.ramp(0.08 + 0.92 * std::log1p(static_cast<double>(n)) * scale));
        }
    painter.setRenderHint(QPainter::Antialiasing, true);
}

/// A word on a plate beside a point, moved so that it stays in the plot and off the other plates.
void paintLabel(QPainter& painter, QPointF at, const QString& text, const QRectF& plot,
                std::vector<QRectF>& taken, const Theme& theme)
{
    painter.setFont(uiFont(0.85));
    const QFontMetricsF fm(painter.font());
    const QSizeF size(fm.horizontalAdvance(text) + 10, fm.height() + 2);
    QRectF best;
    for (const QPointF& offset :
         {QPointF(10, -size.height() - 6), QPointF(10, 6), QPointF(-size.width() - 10, -size.height() - 6),
          QPointF(-size.width() - 10, 6), QPointF(14, -2.4 * size.height()),
          QPointF(14, 1.6 * size.height())}) {
        QRectF rect(at + offset, size);
        rect.moveLeft(
            std::clamp(rect.left(), plot.left(), std::max(plot.left(), plot.right() - size.width())));
        rect.moveTop(std::clamp(rect.top(), plot.top(), std::max(plot.top(), plot.bottom() - size.height())));
        const bool free = std::none_of(taken.begin(), taken.end(),
                                       [&](const QRectF& other) { return other.intersects(rect); });
        if (best.isNull() || free)
            best = rect;
        if (free)
            break;
    }
    taken.push_back(best);
    painter.setPen(QPen(theme.outline, 1));
    painter.setBrush(theme.raised);
    painter.drawRoundedRect(best, 3, 3);
    painter.setPen(theme.text);
    painter.drawText(best, Qt::AlignCenter, text);
}

void paintMark(QPainter& painter, QPointF at, int shape, const QColor& fill, const Theme& theme)
{
    painter.setPen(QPen(theme.canvas, 3));
    painter.setBrush(fill);
    QPainterPath path;
    switch (shape) {
    case 0: // least energy: points down
        path.moveTo(at + QPointF(-7, -5));
        path.lineTo(at + QPointF(7, -5));
        path.lineTo(at + QPointF(0, 7));
        path.closeSubpath();
        break;
    case 1: // fewest cycles: points left
        path.moveTo(at + QPointF(5, -7));
        path.lineTo(at + QPointF(5, 7));
        path.lineTo(at + QPointF(-7, 0));
        path.closeSubpath();
        break;
    default: // least product: a diamond
        path.moveTo(at + QPointF(0, -8));
        path.lineTo(at + QPointF(8, 0));
        path.lineTo(at + QPointF(0, 8));
        path.lineTo(at + QPointF(-8, 0));
        path.closeSubpath();
        break;
    }
    painter.drawPath(path);
    painter.setPen(QPen(theme.text, 1.5));
    painter.drawPath(path);
}

void paintPlot(QPainter& painter, const SearchMapModel& model, const QRectF& plot, const Axis& x,
               const Axis& y, const std::optional<MapPoint>& marked, const Theme& theme)
{
    const auto place = [&](const MapPoint& p) { return QPointF(x.toPixel(p.x()), y.toPixel(p.y())); };
    painter.save();
    painter.setClipRect(plot.adjusted(-1, -1, 1, 1));
    if (model.density)
        paintDensity(painter, *model.density, x, y, theme);
    // Nothing lies below and left of the staircase.
    QPainterPath stairs;
    for (std::size_t i = model.front.size(); i-- > 0;) {
        const QPointF at = place(model.front[i]);
        if (i + 1 == model.front.size()) {
            stairs.moveTo(at.x(), plot.top());
        } else {
            stairs.lineTo(at.x(), stairs.currentPosition().y());
        }
        stairs.lineTo(at);
    }
    if (!model.front.empty())
        stairs.lineTo(plot.right(), stairs.currentPosition().y());
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(theme.canvas, 4));
    painter.drawPath(stairs);
    painter.setPen(QPen(theme.accent, 2));
    painter.drawPath(stairs);
    for (const MapPoint& p : model.front) {
        painter.setPen(QPen(theme.accent, 1.5));
        painter.setBrush(theme.canvas);
        painter.drawEllipse(place(p), 4, 4);
    }
    if (model.baseline) {
        painter.setPen(QPen(theme.text, 1.5, Qt::DashLine));
        painter.setBrush(Qt::NoBrush);
        painter.drawEllipse(place(*model.baseline), 9, 9);
        if (model.current) {
            painter.setPen(QPen(theme.text, 1, Qt::DotLine));
            painter.drawLine(place(*model.baseline), place(*model.current));
        }
    }
    for (std::size_t o = 0; o < model.optima.size(); ++o)
        if (model.optima[o])
            paintMark(painter, place(*model.optima[o]), static_cast<int>(o), theme.category(7), theme);
    if (model.current) {
        const QPointF at = place(*model.current);
        const QColor& colour = model.currentValid ? theme.computeBound : theme.error;
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(theme.canvas, 5));
        painter.drawEllipse(at, 9, 9);
        painter.setPen(QPen(colour, 3, model.currentValid ? Qt::SolidLine : Qt::DotLine));
        painter.drawEllipse(at, 9, 9);
        painter.setPen(QPen(colour, 1.5));
        painter.drawLine(at - QPointF(14, 0), at - QPointF(5, 0));
        painter.drawLine(at + QPointF(5, 0), at + QPointF(14, 0));
        painter.drawLine(at - QPointF(0, 14), at - QPointF(0, 5));
        painter.drawLine(at + QPointF(0, 5), at + QPointF(0, 14));
    }
    if (marked) {
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(theme.text, 2));
        painter.drawEllipse(place(*marked), 6, 6);
    }
    // Points that lie on one another share a plate.
    std::vector<std::pair<QPointF, QString>> labels;
    const auto label = [&](const std::optional<MapPoint>& p, const QString& text) {
        if (!p || !plot.contains(place(*p)))
            return;
        const auto near = std::find_if(labels.begin(), labels.end(), [&](const auto& l) {
            return QLineF(l.first, place(*p)).length() < 8;
        });
        if (near != labels.end())
            near->second += QStringLiteral(" = ") + text;
        else
            labels.emplace_back(place(*p), text);
    };
    label(model.current, model.currentValid ? tr("current") : tr("current, does not fit"));
    label(model.optima[2], tr("least EDP"));
    label(model.optima[0], tr("least energy"));
    label(model.optima[1], tr("fewest cycles"));
    label(model.baseline, tr("baseline"));
    std::vector<QRectF> taken;
    for (const auto& [at, text] : labels)
        taken.emplace_back(at - QPointF(8, 8), QSizeF(16, 16));
    for (const auto& [at, text] : labels)
        paintLabel(painter, at, text, plot, taken, theme);
    painter.restore();
}

void paintRow(QPainter& painter, const QRectF& row, const QString& name, const std::optional<MapPoint>& p,
              int mark, bool hot, const Theme& theme)
{
    painter.setPen(QPen(hot ? theme.accent : theme.grid, hot ? 2 : 1));
    painter.setBrush(theme.panel);
    painter.drawRoundedRect(row.adjusted(0.5, 0.5, -0.5, -0.5), 4, 4);
    const QFontMetricsF fm(uiFont());
    const QFontMetricsF small(uiFont(0.85));
    const double textX = row.left() + 30;
    const QPointF centre(row.left() + 15, row.center().y());
    if (mark < 3) {
        paintMark(painter, centre, mark, theme.category(7), theme);
    } else {
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(theme.computeBound, 3));
        painter.drawEllipse(centre, 6, 6);
    }
    painter.setFont(uiFont(1, QFont::DemiBold));
    painter.setPen(theme.text);
    double y = row.top() + 4 + fm.ascent();
    painter.drawText(QPointF(textX, y), name);
    const double nameEnd = textX + QFontMetricsF(painter.font()).horizontalAdvance(name);
    painter.setFont(uiFont(0.85));
    const QString edp = p ? tr("EDP %1").arg(scientific(p->edp())) : QString();
    if (p && nameEnd + 10 + small.horizontalAdvance(edp) <= row.right() - 8) {
        painter.setPen(theme.muted);
        painter.drawText(QPointF(row.right() - 8 - small.horizontalAdvance(edp), y), edp);
    }
    y += fm.descent() + small.ascent() + 1;
    painter.setPen(theme.muted);
    const QString text = p ? tr("%1 pJ · %2 cycles").arg(number(std::round(p->energy)), number(p->cycles))
                           : QStringLiteral("–");
    painter.drawText(QPointF(textX, y), small.elidedText(text, Qt::ElideRight, row.right() - 6 - textX));
}

} // namespace

SearchMapPlaces searchMapPlaces(const QRectF& area, const SearchMapModel& model)
{
    SearchMapPlaces out;
    const QFontMetricsF fm(uiFont());
    const QFontMetricsF small(uiFont(0.85));
    const QFontMetricsF axis(uiFont(0.9));
    const double row = fm.height() + small.height() + 9;
    const double facts = static_cast<double>(model.facts.size()) * (small.height() + 1);
    const double panelHeight = fm.height() * 2 + 30 + facts + 4 * (row + 5);
    const double digit = fm.horizontalAdvance(QLatin1Char('8'));
    const bool wide = area.width() >= std::max(640.0, digit * 76);
    // A low pane has no room for one below the other.
    const bool beside = wide || (area.height() < 24 * fm.height() && area.width() >= digit * 52);
    const double least = wide ? std::max(300.0, digit * 36) : digit * 26;
    const double panelWidth = std::clamp(area.width() * 0.3, least, std::max(least, area.width() * 0.5));
    QRectF map = area;
    if (beside) {
        out.panel = QRectF(area.right() - panelWidth, area.top() + 8, panelWidth - 12, area.height() - 16);
        map.setRight(out.panel.left() - 12);
    } else {
        map.setHeight(std::max(140.0, area.height() - panelHeight - 8));
        out.panel = QRectF(area.left() + 12, map.bottom(), area.width() - 24,
                           std::min(panelHeight, area.bottom() - map.bottom() - 8));
    }
    out.plot = map.adjusted(axis.horizontalAdvance(QStringLiteral("8.88M")) + 16, axis.height() + 16, -8,
                            -axis.height() - 14);
    double y = out.panel.top() + 2 * fm.height() + 6;
    out.progress = QRectF(out.panel.left(), y, out.panel.width(), 10);
    y += 18;
    // Facts give way when there is little height: the rows can be clicked.
    const double rows = 4 * (row + 5);
    const double room = out.panel.bottom() - y - rows;
    const double factsShown = room >= facts + 4 ? facts : 0;
    out.facts = QRectF(out.panel.left(), y, out.panel.width(), factsShown);
    y += factsShown + (factsShown > 0 ? 8 : 0);
    for (QRectF& r : out.rows) {
        r = QRectF(out.panel.left(), y, out.panel.width(), row);
        y += row + 5;
    }
    return out;
}

void paintSearchMap(QPainter& painter, const SearchMapModel& model, const SearchMapPlaces& places,
                    const Axis& x, const Axis& y, const std::optional<MapPoint>& marked, const Theme& theme)
{
    if (places.plot.width() > 60 && places.plot.height() > 40) {
        paintAxes(painter, places.plot, x, y, theme);
        paintPlot(painter, model, places.plot, x, y, marked, theme);
    }
    const QRectF& panel = places.panel;
    painter.setFont(uiFont(1.1, QFont::DemiBold));
    QFontMetricsF fm(painter.font());
    painter.setPen(theme.text);
    painter.drawText(QPointF(panel.left(), panel.top() + fm.ascent()),
                     fm.elidedText(model.title, Qt::ElideRight, panel.width()));
    painter.setFont(uiFont());
    const double headY = panel.top() + fm.height() + QFontMetricsF(painter.font()).ascent() + 2;
    fm = QFontMetricsF(painter.font());
    painter.setPen(model.proven && !model.running ? theme.ok : theme.muted);
    const QString sign = model.proven && !model.running ? QStringLiteral("✓ ") : QString();
    const QString share = percent(model.settled);
    painter.drawText(QPointF(panel.left(), headY),
                     fm.elidedText(sign + model.headline, Qt::ElideRight,
                                   panel.width() - fm.horizontalAdvance(share) - 10));
    painter.drawText(QPointF(panel.right() - fm.horizontalAdvance(share), headY), share);
    painter.setPen(QPen(theme.outline, 1));
    painter.setBrush(theme.canvas);
    painter.drawRoundedRect(places.progress.adjusted(0.5, 0.5, -0.5, -0.5), 4, 4);
    QRectF done = places.progress.adjusted(1.5, 1.5, -1.5, -1.5);
    done.setWidth(done.width() * std::clamp(model.settled, 0.0, 1.0));
    painter.setPen(Qt::NoPen);
    painter.setBrush(model.proven ? theme.ok : theme.accent);
    painter.drawRoundedRect(done, 3, 3);
    painter.setFont(uiFont(0.85));
    const QFontMetricsF small(painter.font());
    double factY = places.facts.top() + small.ascent();
    for (const auto& [name, value] : model.facts) {
        if (places.facts.height() <= 0)
            break;
        painter.setPen(theme.muted);
        painter.drawText(QPointF(panel.left(), factY), name);
        painter.setPen(theme.text);
        painter.drawText(QPointF(panel.right() - small.horizontalAdvance(value), factY), value);
        factY += small.height() + 1;
    }
    const std::array<QString, 3> names{tr("Least energy"), tr("Fewest cycles"), tr("Least EDP")};
    for (std::size_t o = 0; o < 3; ++o) {
        const bool hot =
            marked && model.optima[o] && marked->method && marked->method == model.optima[o]->method;
        paintRow(painter, places.rows[o], names[o], model.optima[o], static_cast<int>(o), hot, theme);
    }
    paintRow(painter, places.rows[3], model.currentValid ? tr("Current") : tr("Current, does not fit"),
             model.current, 3, false, theme);
}

} // namespace tilewright::ui
