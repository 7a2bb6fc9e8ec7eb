// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/mapping/nest_paint.h"

#include "theme/text.h"
#include "theme/theme.h"

#include <QPainter>

#include <algorithm>
#include <cmath>

namespace tilewright::ui {

namespace {

/// Draws a text on one line, elided to `width`. Returns the width of the drawn text.
double drawText(QPainter& painter, QPointF baseline, double width, const QString& text)
{
    const QFontMetricsF fm(painter.font());
    const QString shown = fm.elidedText(text, Qt::ElideRight, std::max(0.0, width));
    painter.drawText(baseline, shown);
    return fm.horizontalAdvance(shown);
}

/// Draws the longest text that fits. The texts are sorted, longest first. If none fits, the shortest is
/// elided.
void drawWording(QPainter& painter, QPointF baseline, double width, const QStringList& wordings)
{
    const QFontMetricsF fm(painter.font());
    for (const QString& text : wordings)
        if (fm.horizontalAdvance(text) <= width) {
            painter.drawText(baseline, text);
            return;
        }
    drawText(painter, baseline, width, wordings.last());
}

/// Text of a change, painted in the colour for better or worse: "▼ −3.2 %".
QString changeText(double fraction)
{
    if (fraction == 0)
        return QStringLiteral("±0 %");
    return (fraction < 0 ? QStringLiteral("▼ ") : QStringLiteral("▲ ")) + signedPercent(fraction);
}

const QColor& changeColour(double fraction, const Theme& theme)
{
    return fraction < 0 ? theme.ok : fraction > 0 ? theme.error : theme.muted;
}

double relative(double change, double after)
{
    const double before = after - change;
    return before > 0 ? change / before : 0;
}

void paintTitle(QPainter& painter, const NestModel& model, const QRectF& area, const Theme& theme)
{
    painter.setFont(uiFont(1.2, QFont::DemiBold));
    double y = area.top() + QFontMetricsF(painter.font()).ascent();
    painter.setPen(theme.text);
    drawText(painter, {area.left(), y}, area.width(), model.title);
    painter.setFont(uiFont(0.85));
    const QFontMetricsF fm(painter.font());
    y += fm.height() + 3;
    painter.setPen(theme.muted);
    drawText(painter, {area.left(), y}, area.width(), model.subtitle);
    y += fm.height() + 1;
    if (model.violation.isEmpty()) {
        painter.setPen(theme.ok);
        drawText(painter, {area.left(), y}, area.width(), QStringLiteral("✓ ") + model.fits);
    } else {
        painter.setPen(theme.error);
        drawText(painter, {area.left(), y}, area.width(),
                 QStringLiteral("✗ %1: %2").arg(model.code, model.violation));
    }
}

void paintMetric(QPainter& painter, const NestMetric& metric, const QRectF& area, bool valid,
                 const Theme& theme)
{
    painter.setPen(QPen(theme.grid, 1));
    painter.setBrush(theme.panel);
    painter.drawRoundedRect(area.adjusted(0.5, 0.5, -0.5, -0.5), 4, 4);
    const QFontMetricsF small(uiFont(0.85));
    const QFontMetricsF big(metricFont());
    // Name, value and comparison are one below the other, or side by side in a low area.
    const bool low = area.height() < small.height() + big.height();
    double x = area.left() + kMetricMargin;
    double w = area.width() - 2 * kMetricMargin;
    double y = low ? area.center().y() + (big.ascent() - big.descent()) / 2 : area.top() + 3 + small.ascent();
    const auto advance = [&](double across, double down) {
        x += low ? across : 0;
        w -= low ? across : 0;
        y += low ? 0 : down;
    };
    painter.setFont(uiFont(0.85));
    painter.setPen(theme.muted);
    drawText(painter, {x, y}, w, metric.name);
    advance(small.horizontalAdvance(tr("Energy × delay")) + 2 * kMetricMargin,
            small.descent() + big.ascent() + 1);
    painter.setFont(metricFont());
    painter.setPen(valid ? theme.text : theme.muted);
    const double value = drawText(painter, {x, y}, w, metric.value);
    advance(value + 2 * kMetricMargin, big.descent() + small.ascent() + 1);
    painter.setFont(uiFont(0.85));
    // The metric is compared with the baseline if there is one, otherwise with the optimum. The comparison is
    // one short line; the tooltip has more.
    if (metric.change) {
        painter.setPen(changeColour(*metric.change, theme));
        drawText(painter, {x, y}, w, tr("%1 vs baseline").arg(changeText(*metric.change)));
    } else if (metric.aboveOptimum) {
        const double above = *metric.aboveOptimum;
        const QString best = metric.optimumProven ? tr("optimum") : tr("best found");
        painter.setPen(std::abs(above) < 1e-9 ? theme.ok : theme.muted);
        if (std::abs(above) < 1e-9)
            drawWording(painter, {x, y}, w, {tr("= %1").arg(best)});
        else
            drawWording(painter, {x, y}, w,
                        {tr("%1 over %2").arg(signedPercent(above), best),
                         tr("%1 over best").arg(signedPercent(above)), signedPercent(above)});
    }
}

void paintOperand(QPainter& painter, const NestOperand& operand, int index, const NestModel& model,
                  const QRectF& area, const Theme& theme)
{
    const bool selected = model.operand == index;
    painter.setPen(QPen(selected ? theme.accent : theme.grid, selected ? 2 : 1));
    painter.setBrush(selected ? theme.selection : theme.canvas);
    painter.drawRoundedRect(area.adjusted(1, 1, -1, -1), 4, 4);
    const QRectF badge(area.left() + 6, area.top() + 6, area.height() - 12, area.height() - 12);
    const QColor& colour = operandColour(theme, index);
    painter.setPen(QPen(theme.outline, 1));
    painter.setBrush(colour);
    painter.drawRoundedRect(badge, 4, 4);
    painter.setPen(theme.inkOn(colour));
    painter.setFont(uiFont(1.1, QFont::DemiBold));
    painter.drawText(badge, Qt::AlignCenter, operand.name);
    const double x = badge.right() + 8;
    const double w = area.right() - 8 - x;
    painter.setFont(uiFont());
    const QFontMetricsF fm(painter.font());
    double y = area.top() + 4 + fm.ascent();
    painter.setPen(theme.text);
    drawWording(painter, {x, y}, w, operand.reuse);
    painter.setFont(uiFont(0.85));
    y += fm.descent() + QFontMetricsF(painter.font()).ascent() + 1;
    painter.setPen(theme.muted);
    drawWording(painter, {x, y}, w, operand.data);
}

/// Text that names the item to which the drop effects belong: "Ox ×7".
QString itemText(const NestModel& model, const NestOverlay& overlay)
{
    const auto& item = overlay.drag ? overlay.drag : overlay.hover ? overlay.hover : overlay.focus;
    if (!item)
        return {};
    const NestBar* bar = barOf(model, *item);
    return bar ? QStringLiteral("%1 ×%2").arg(bar->name,
                                              number(item->factor > 0 ? item->factor : bar->factor))
               : QString();
}

void paintBar(QPainter& painter, const NestBar& bar, const NestBarPlace& place, const NestModel& model,
              bool ordered, const Theme& theme, const NestOverlay& overlay)
{
    const bool dimmed = model.operand >= 0 && bar.reuseOf != model.operand;
    const bool lit = bar.reuseOf >= 0 && !dimmed;
    const QColor base = Theme::mix(theme.canvas, theme.text, theme.dark ? 0.16 : 0.1);
    const QColor fill = lit                ? operandColour(theme, bar.reuseOf)
                        : bar.reuseOf >= 0 ? Theme::mix(base, operandColour(theme, bar.reuseOf), 0.25)
                                           : base;
    const auto isOf = [&](const std::optional<NestItem>& item) {
        return item && item->column == place.column && item->loop == bar.loop && item->nth == bar.nth;
    };
    const bool dragged = isOf(overlay.drag) && overlay.drag->factor == 0;
    painter.setOpacity(dragged ? 0.45 : 1);
    painter.setPen(QPen(isOf(overlay.focus) && overlay.focus->factor == 0 ? theme.accent : theme.outline,
                        isOf(overlay.focus) && overlay.focus->factor == 0 ? 2 : 1));
    painter.setBrush(fill);
    painter.drawRoundedRect(place.rect.adjusted(0.5, 0.5, -0.5, -0.5), 4, 4);
    const QColor ink = theme.inkOn(fill);
    double x = place.rect.left() + 6;
    if (ordered) {
        painter.setPen(Qt::NoPen);
        painter.setBrush(ink);
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 2; ++j)
                painter.drawEllipse(QPointF(x + 1.5 + j * 4, place.rect.center().y() + (i - 1) * 5), 1.1,
                                    1.1);
        x += 13;
    }
    const double right = place.chips.empty() ? place.rect.right() - 4 : place.chips.front().second.left() - 4;
    const auto centred = [&](const QFontMetricsF& fm) {
        return place.rect.center().y() + (fm.ascent() - fm.descent()) / 2;
    };
    painter.setPen(ink);
    painter.setFont(uiFont(1, QFont::DemiBold));
    QFontMetricsF fm(painter.font());
    x += drawText(painter, {x, centred(fm)}, right - x, bar.name) + 5;
    painter.setFont(uiFont());
    fm = QFontMetricsF(painter.font());
    const QString times = (bar.fixed ? QStringLiteral("= ") : QStringLiteral("×")) + number(bar.factor);
    if (x + fm.horizontalAdvance(times) <= right) {
        painter.drawText(QPointF(x, centred(fm)), times);
        x += fm.horizontalAdvance(times) + 6;
    }
    if (bar.reuseOf >= 0) {
        painter.setFont(uiFont(0.85));
        fm = QFontMetricsF(painter.font());
        const QString mark = QStringLiteral("↻") + model.operands[static_cast<std::size_t>(bar.reuseOf)].name;
        if (x + fm.horizontalAdvance(mark) <= right)
            painter.drawText(QPointF(x, centred(fm)), mark);
    }
    painter.setFont(uiFont());
    for (std::size_t c = 0; c < place.chips.size(); ++c) {
        const auto& [prime, rect] = place.chips[c];
        const NestItem item{place.column, bar.loop, prime, bar.nth};
        const bool focus = overlay.focus == item;
        const bool hot = overlay.hover == item || overlay.drag == item;
        painter.setPen(QPen(focus || hot ? theme.accent : theme.outline, focus || hot ? 2 : 1));
        painter.setBrush(theme.canvas);
        painter.drawRoundedRect(rect.adjusted(1, 1, -1, -1), 8, 8);
        painter.setPen(theme.text);
        painter.drawText(rect, Qt::AlignCenter, powerText(bar.primes[c]));
    }
    painter.setOpacity(1);
}

/// Paints the effect of moving the item to this level. If a capacity is exceeded, it is shown as an error
/// only while the item is dragged.
void paintEffect(QPainter& painter, const NestModel& model, const NestDrop& effect, QPointF at, double width,
                 const Theme& theme, const NestOverlay& overlay)
{
    if (overlay.drag && !effect.broken.isEmpty()) {
        painter.setPen(theme.error);
        drawWording(painter, at, width,
                    {tr("✗ does not fit: %1").arg(effect.brokenShort), tr("✗ does not fit")});
        return;
    }
    const QString item = itemText(model, overlay);
    if (!effect.broken.isEmpty()) {
        painter.setPen(theme.muted);
        drawWording(painter, at, width,
                    {tr("%1 would not fit: %2").arg(item, effect.brokenShort),
                     tr("%1 would not fit").arg(item), tr("%1 does not fit").arg(item), tr("would not fit")});
        return;
    }
    const double edp = relative(effect.preview.edpChange, effect.preview.after.edp);
    const QString change = changeText(edp);
    painter.setPen(!overlay.drag && edp > 0 ? theme.muted : changeColour(edp, theme));
    drawWording(painter, at, width,
                {tr("%1 here: EDP %2").arg(item, change), tr("here: EDP %1").arg(change),
                 tr("EDP %1").arg(change), change});
}

/// Paints small squares with the letters of the operands that a level holds. Returns their width.
double paintHolds(QPainter& painter, const NestModel& model, const NestColumn& column, QPointF rightTop,
                  double size, const Theme& theme)
{
    painter.setFont(uiFont(0.85, QFont::DemiBold));
    double x = rightTop.x();
    for (std::size_t i = column.holds.size(); i-- > 0;) {
        const int op = column.holds[i];
        const QRectF badge(x - size, rightTop.y(), size, size);
        const QColor& colour = operandColour(theme, op);
        painter.setPen(QPen(theme.outline, 1));
        painter.setBrush(colour);
        painter.drawRoundedRect(badge.adjusted(0.5, 0.5, -0.5, -0.5), 3, 3);
        painter.setPen(theme.inkOn(colour));
        painter.drawText(badge, Qt::AlignCenter, model.operands[static_cast<std::size_t>(op)].name);
        x -= size + 3;
    }
    return rightTop.x() - x;
}

/// State of a column while an item is dragged; determines its frame.
struct Target
{
    bool here = false;    ///< true if the item would be dropped on this column
    bool refused = false; ///< true if the item would be dropped here but does not fit
};

Target targetOf(std::size_t index, const NestOverlay& overlay)
{
    const bool here = overlay.drag && overlay.target == index && overlay.drop;
    return {here, here && !overlay.drop->broken.isEmpty()};
}

void paintFrame(QPainter& painter, const QRectF& rect, const NestColumn& column, const Target& target,
                const Theme& theme)
{
    painter.setPen(QPen(target.refused ? theme.error
                        : target.here  ? theme.accent
                        : column.over  ? theme.error
                                       : theme.grid,
                        target.here ? 2 : 1, target.refused ? Qt::DashLine : Qt::SolidLine));
    painter.setBrush(target.here && !target.refused ? theme.selection : theme.panel);
    painter.drawRoundedRect(rect.adjusted(0.5, 0.5, -0.5, -0.5), 6, 6);
}

/// Paints the line at which a dragged loop would be inserted.
void paintSlot(QPainter& painter, std::size_t index, const NestPlaces& places, const Theme& theme,
               const NestOverlay& overlay)
{
    if (!overlay.drag || !overlay.slot || overlay.target != index)
        return;
    const QRectF& rect = places.columns[index];
    double lineY = rect.top() + 2;
    for (const NestBarPlace& place : places.bars) {
        if (place.column != index)
            continue;
        if (place.index == *overlay.slot)
            lineY = place.rect.top() - 2;
        else if (place.index + 1 == *overlay.slot)
            lineY = place.rect.bottom() + 2;
    }
    painter.setPen(QPen(targetOf(index, overlay).refused ? theme.error : theme.accent, 3));
    painter.drawLine(QPointF(rect.left() + 5, lineY), QPointF(rect.right() - 5, lineY));
}

void paintBars(QPainter& painter, const NestModel& model, std::size_t index, const NestPlaces& places,
               const Theme& theme, const NestOverlay& overlay)
{
    const NestColumn& column = model.columns[index];
    for (const NestBarPlace& place : places.bars)
        if (place.column == index)
            paintBar(painter, column.bars[place.index], place, model, column.isOrdered, theme, overlay);
}

/// Paints an axis: a heading with its use and the effect of a drop, and its loops.
void paintAxis(QPainter& painter, const NestModel& model, std::size_t index, const NestPlaces& places,
               const Theme& theme, const NestOverlay& overlay)
{
    const NestColumn& column = model.columns[index];
    const QRectF& rect = places.columns[index];
    const Target target = targetOf(index, overlay);
    if (target.here || column.over)
        paintFrame(painter, rect.adjusted(2, 1, -2, -1), column, target, theme);
    else
        painter.fillRect(QRectF(rect.left() + 1, rect.top(), rect.width() - 2, 1), theme.grid);
    painter.setFont(uiFont(0.85));
    const QFontMetricsF small(painter.font());
    const double y = rect.top() + 4 + small.ascent();
    const double right = rect.right() - 8;
    double x = rect.left() + 8;
    painter.setFont(uiFont(0.85, QFont::DemiBold));
    painter.setPen(theme.text);
    x += drawText(painter, {x, y}, right - x, QStringLiteral("∥ ") + column.title) + 8;
    painter.setFont(uiFont(0.85));
    const NestDrop* effect = overlay.effectOn(index);
    if (overlay.drag && effect && !column.bars.empty()) {
        paintEffect(painter, model, *effect, {x, y}, right - x, theme, overlay);
    } else {
        painter.setPen(column.over ? theme.error : theme.muted);
        const QString detail = (column.over ? QStringLiteral("✗ ") : QString()) + column.detail;
        drawText(painter, {std::max(x, right - small.horizontalAdvance(detail)), y}, right - x, detail);
    }
    paintBars(painter, model, index, places, theme, overlay);
    if (!column.bars.empty())
        return;
    const QPointF inside(x = rect.left() + 8, rect.top() + axisHeadHeight() + small.ascent() + 4);
    if (effect) {
        paintEffect(painter, model, *effect, inside, right - x, theme, overlay);
    } else {
        painter.setPen(theme.muted);
        drawText(painter, inside, right - x, QStringLiteral("–"));
    }
}

void paintColumn(QPainter& painter, const NestModel& model, std::size_t index, const NestPlaces& places,
                 const Theme& theme, const NestOverlay& overlay)
{
    const NestColumn& column = model.columns[index];
    const QRectF& rect = places.columns[index];
    const NestDrop* effect = overlay.effectOn(index);
    const Target target = targetOf(index, overlay);
    const bool hasAxes = places.cards[index] != rect;
    paintFrame(painter, places.cards[index], column, hasAxes ? Target{} : target, theme);
    if (hasAxes && target.here)
        paintFrame(painter, rect.adjusted(2, 2, -2, -1), column, target, theme);
    painter.setFont(uiFont(1, QFont::DemiBold));
    QFontMetricsF fm(painter.font());
    double y = rect.top() + 6 + fm.ascent();
    double right = rect.right() - 8;
    if (!column.holds.empty())
        right -=
            paintHolds(painter, model, column, {right, rect.top() + 6}, std::ceil(fm.height()), theme) + 4;
    painter.setFont(uiFont(1, QFont::DemiBold));
    painter.setPen(theme.text);
    const double used = drawText(painter, {rect.left() + 8, y}, right - rect.left() - 8, column.title);
    painter.setFont(uiFont(0.85));
    const QFontMetricsF small(painter.font());
    painter.setPen(theme.muted);
    if (rect.left() + used + small.horizontalAdvance(column.note) + 22 < right)
        painter.drawText(QPointF(right - small.horizontalAdvance(column.note), y), column.note);
    y += fm.descent() + small.ascent() + 1;
    painter.setPen(column.over ? theme.error : theme.muted);
    const QString sign = column.over ? QStringLiteral("✗ ") : QString();
    drawWording(painter, {rect.left() + 8, y}, rect.width() - 16,
                {sign + column.detail, sign + column.detailShort});

    paintBars(painter, model, index, places, theme, overlay);
    if (column.bars.empty()) {
        painter.setFont(uiFont(0.85));
        painter.setPen(theme.muted);
        painter.drawText(QRectF(rect.left() + 8, y + 10, rect.width() - 16, 2 * small.height()),
                         static_cast<int>(Qt::AlignHCenter) | static_cast<int>(Qt::TextWordWrap),
                         tr("drop factors here"));
    }
    painter.setFont(uiFont(0.85));
    painter.setPen(theme.muted);
    const double ones = rect.bottom() - small.height() - 8 - small.descent();
    // If the column extends below the visible part, the verdict is painted at the end of the visible part.
    const double bottom = std::min(rect.bottom(), overlay.visibleBottom - 2);
    const double last = bottom - 5 - small.descent();
    if (!column.folded.isEmpty() &&
        (bottom == rect.bottom() || ones + small.descent() < last - small.ascent()))
        drawText(painter, {rect.left() + 8, ones}, rect.width() - 16, tr("×1: %1").arg(column.folded));
    const bool room =
        // There is room for a heading and one loop.
        bottom == rect.bottom() || bottom - rect.top() > 7 * small.height();
    if (effect && bottom < rect.bottom() && room) {
        const QRectF strip(rect.left() + 2, last - small.ascent() - 4, rect.width() - 4,
                           bottom - last + small.ascent() + 4);
        painter.fillRect(strip, target.here && !target.refused ? theme.selection : theme.panel);
        painter.fillRect(QRectF(strip.left(), strip.top(), strip.width(), 1), theme.grid);
    }
    if (effect && room)
        paintEffect(painter, model, *effect, {rect.left() + 8, last}, rect.width() - 16, theme, overlay);
}

} // namespace

QFont metricFont()
{
    return uiFont(1.15, QFont::DemiBold);
}

const QColor& operandColour(const Theme& theme, int operand)
{
    return theme.category(static_cast<std::size_t>(operand));
}

void paintNest(QPainter& painter, const NestModel& model, const NestPlaces& places, const Theme& theme,
               const NestOverlay& overlay)
{
    paintTitle(painter, model, places.title, theme);
    for (std::size_t i = 0; i < places.metrics.size(); ++i)
        paintMetric(painter, model.metrics[i], places.metrics[i], model.violation.isEmpty(), theme);
    for (std::size_t i = 0; i < places.operands.size(); ++i)
        paintOperand(painter, model.operands[i], static_cast<int>(i), model, places.operands[i], theme);
    for (std::size_t i = 0; i < model.columns.size(); ++i) {
        if (model.columns[i].isAxis)
            paintAxis(painter, model, i, places, theme, overlay);
        else
            paintColumn(painter, model, i, places, theme, overlay);
        paintSlot(painter, i, places, theme, overlay);
    }
}

void paintDropCard(QPainter& painter, const NestDrop& drop, QPointF cursor, const QRectF& area,
                   const Theme& theme)
{
    struct Line
    {
        QString name, value, change;
        QColor colour;
    };
    std::vector<Line> lines;
    const MappingFigures& after = drop.preview.after;
    const auto add = [&](const QString& name, const QString& value, double change, double now) {
        const double r = relative(change, now);
        lines.push_back({name, value, changeText(r), changeColour(r, theme)});
    };
    if (after.hasNumbers) {
        add(tr("energy"), tr("%1 pJ").arg(shortNumber(after.energy)), drop.preview.energyChange,
            after.energy);
        add(tr("cycles"), number(after.cycles), drop.preview.cyclesChange, after.cycles);
        add(tr("EDP"), scientific(after.edp), drop.preview.edpChange, after.edp);
    }
    const QFont bold = uiFont(1, QFont::DemiBold);
    const QFontMetricsF boldFm(bold);
    const QFontMetricsF fm(uiFont());
    std::array<double, 3> widths{};
    for (const Line& line : lines) {
        widths[0] = std::max(widths[0], fm.horizontalAdvance(line.name) + 12);
        widths[1] = std::max(widths[1], fm.horizontalAdvance(line.value) + 14);
        widths[2] = std::max(widths[2], fm.horizontalAdvance(line.change));
    }
    const QString why = drop.broken.isEmpty() ? QString()
                        : drop.allowed        ? tr("✗ %1").arg(drop.broken)
                                              : tr("✗ %1 (Alt: drop anyway)").arg(drop.broken);
    const double inner = std::min(
        area.width() - 40, std::max({boldFm.horizontalAdvance(drop.what), widths[0] + widths[1] + widths[2],
                                     std::min(fm.horizontalAdvance(why), 320.0)}));
    const QRectF whyRect =
        why.isEmpty() ? QRectF()
                      : fm.boundingRect(QRectF(0, 0, inner, 400), static_cast<int>(Qt::TextWordWrap), why);
    const double height =
        boldFm.height() + 4 + static_cast<double>(lines.size()) * fm.height() + whyRect.height() + 16;
    QRectF card(cursor + QPointF(18, 18), QSizeF(inner + 20, height));
    if (card.right() > area.right() - 4)
        card.moveRight(cursor.x() - 12);
    if (card.bottom() > area.bottom() - 4)
        card.moveBottom(cursor.y() - 12);
    card.moveLeft(std::max(card.left(), area.left() + 4));
    card.moveTop(std::max(card.top(), area.top() + 4));
    painter.setPen(QPen(drop.broken.isEmpty() ? theme.outline : theme.error, 1.5));
    painter.setBrush(theme.raised);
    painter.drawRoundedRect(card, 5, 5);
    painter.setFont(bold);
    painter.setPen(theme.text);
    double y = card.top() + 8 + boldFm.ascent();
    const double x = card.left() + 10;
    painter.drawText(QPointF(x, y), drop.what);
    y += boldFm.descent() + 4;
    painter.setFont(uiFont());
    for (const Line& line : lines) {
        y += fm.ascent();
        painter.setPen(theme.muted);
        painter.drawText(QPointF(x, y), line.name);
        painter.setPen(theme.text);
        painter.drawText(QPointF(x + widths[0], y), line.value);
        painter.setPen(line.colour);
        painter.drawText(QPointF(x + widths[0] + widths[1], y), line.change);
        y += fm.descent();
    }
    if (!why.isEmpty()) {
        painter.setPen(theme.error);
        painter.drawText(QRectF(x, y + 2, inner, whyRect.height() + 2), static_cast<int>(Qt::TextWordWrap),
                         why);
    }
}

} // namespace tilewright::ui
