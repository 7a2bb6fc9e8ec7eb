// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/systolic/wavefront_paint.h"

#include "chart/keys.h"
#include "theme/text.h"
#include "theme/text_metrics.h"
#include "theme/theme.h"
#include "views/systolic/roofline_plot.h"

#include <QFontMetricsF>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace tilewright::ui {

using namespace systolic;

namespace {

double factsWidth()
{
    return std::max(270.0, 17 * QFontMetricsF(uiFont()).height());
}

std::int64_t streamStep(Dataflow dataflow, const PeActivity& pe)
{
    return dataflow == Dataflow::Os ? pe.k : dataflow == Dataflow::Ws ? pe.m : pe.n;
}

double progressOf(const WavefrontModel& m, const PeActivity& pe)
{
    if (pe.fold < 0)
        return 0;
    return std::clamp(static_cast<double>(streamStep(m.dataflow, pe) + 1) / static_cast<double>(m.stream),
                      0.0, 1.0);
}

QColor waitingColour(const Theme& theme)
{
    return Theme::mix(theme.canvas, theme.text, 0.05);
}

QColor passedColour(const Theme& theme)
{
    return Theme::mix(theme.canvas, theme.computeTime, theme.dark ? 0.28 : 0.22);
}

QColor peColour(const WavefrontModel& m, const PeActivity& pe, PeColour colour, const Theme& theme)
{
    switch (colour) {
    case PeColour::Activity:
        return pe.active ? theme.computeTime : pe.fold < 0 ? waitingColour(theme) : passedColour(theme);
    case PeColour::Fold: {
        if (pe.fold < 0)
            return waitingColour(theme);
        const QColor& full = theme.category(static_cast<std::size_t>(pe.fold));
        return pe.active ? full : Theme::mix(theme.canvas, full, 0.3);
    }
    case PeColour::Accumulation:
        return pe.fold < 0 ? waitingColour(theme) : theme.ramp(progressOf(m, pe));
    }
    return waitingColour(theme);
}

/// Colour of an operand. Every eighth operand is darker, so that movement is visible.
QColor operandColour(const PeActivity& pe, std::int64_t step, const QColor& matrix, PeColour colour,
                     const Theme& theme)
{
    if (!pe.active)
        return theme.canvas;
    const QColor fill = colour == PeColour::Fold ? theme.category(static_cast<std::size_t>(pe.fold)) : matrix;
    return step % 8 == 0 ? Theme::mix(fill, theme.ink, 0.25) : fill;
}

/// Paints an image with one pixel per cell, scaled up without smoothing.
void drawCells(QPainter& painter, const QImage& image, QPointF topLeft, double cell)
{
    const bool smooth = painter.testRenderHint(QPainter::SmoothPixmapTransform);
    painter.setRenderHint(QPainter::SmoothPixmapTransform, false);
    painter.drawImage(QRectF(topLeft, QSizeF(image.width() * cell, image.height() * cell)), image);
    painter.setRenderHint(QPainter::SmoothPixmapTransform, smooth);
}

void drawGrid(QPainter& painter, QPointF topLeft, std::int64_t rows, std::int64_t cols, double cell,
              const Theme& theme)
{
    if (cell < 5)
        return;
    painter.setPen(QPen(theme.canvas, cell < 9 ? 0.5 : 1));
    const double w = static_cast<double>(cols) * cell;
    const double h = static_cast<double>(rows) * cell;
    for (std::int64_t c = 1; c < cols; ++c)
        painter.drawLine(topLeft + QPointF(static_cast<double>(c) * cell, 0),
                         topLeft + QPointF(static_cast<double>(c) * cell, h));
    for (std::int64_t r = 1; r < rows; ++r)
        painter.drawLine(topLeft + QPointF(0, static_cast<double>(r) * cell),
                         topLeft + QPointF(w, static_cast<double>(r) * cell));
}

/// Draws the longest of the texts that fits, centred. Draws nothing if even the shortest one is too wide.
void drawFitting(QPainter& painter, const QRectF& cell, const QStringList& longestFirst)
{
    const QFontMetricsF fm(painter.font());
    for (const QString& s : longestFirst)
        if (fm.horizontalAdvance(s) <= cell.width() - 1 && fm.height() <= cell.height()) {
            painter.drawText(cell, Qt::AlignCenter, s);
            return;
        }
}

void paintOperands(QPainter& painter, const WavefrontModel& m, const WavefrontPlaces& p, PeColour colour,
                   const Theme& theme)
{
    const QColor westMatrix = m.dataflow == Dataflow::Is ? theme.output : theme.input;
    const auto west = [&](std::int64_t r, std::int64_t d) -> const PeActivity& {
        return m.west[static_cast<std::size_t>(r * m.lead + d)];
    };
    const auto north = [&](std::int64_t d, std::int64_t c) -> const PeActivity& {
        return m.north[static_cast<std::size_t>(d * m.shownCols + c)];
    };
    const double stripWidth = static_cast<double>(p.leadWest) * p.cell;
    if (p.leadWest > 0) {
        QImage image(static_cast<int>(p.leadWest), static_cast<int>(m.shownRows), QImage::Format_RGB32);
        for (std::int64_t r = 0; r < m.shownRows; ++r)
            for (std::int64_t d = 0; d < p.leadWest; ++d)
                image.setPixelColor(
                    static_cast<int>(p.leadWest - 1 - d), static_cast<int>(r),
                    operandColour(west(r, d), streamStep(m.dataflow, west(r, d)), westMatrix, colour, theme));
        const QPointF at(p.origin.x() - p.gap - stripWidth, p.origin.y());
        drawCells(painter, image, at, p.cell);
        drawGrid(painter, at, m.shownRows, p.leadWest, p.cell, theme);
    }
    if (p.leadNorth > 0) {
        QImage image(static_cast<int>(m.shownCols), static_cast<int>(p.leadNorth), QImage::Format_RGB32);
        for (std::int64_t c = 0; c < m.shownCols; ++c)
            for (std::int64_t d = 0; d < p.leadNorth; ++d)
                image.setPixelColor(static_cast<int>(c), static_cast<int>(p.leadNorth - 1 - d),
                                    operandColour(north(d, c), streamStep(m.dataflow, north(d, c)),
                                                  theme.output, colour, theme));
        const QPointF at(p.origin.x(), p.origin.y() - p.gap - static_cast<double>(p.leadNorth) * p.cell);
        drawCells(painter, image, at, p.cell);
        drawGrid(painter, at, p.leadNorth, m.shownCols, p.cell, theme);
    }
    if (p.cell >= 20) {
        painter.setFont(numberFont(0.75));
        painter.setPen(theme.ink);
        for (std::int64_t r = 0; r < m.shownRows; ++r)
            for (std::int64_t d = 0; d < p.leadWest; ++d)
                if (const PeActivity& pe = west(r, d); pe.active)
                    drawFitting(painter,
                                p.pe(r, 0).translated(-p.gap - static_cast<double>(d + 1) * p.cell, 0),
                                {westOperand(m.dataflow, pe), QString::number(streamStep(m.dataflow, pe))});
        for (std::int64_t d = 0; d < p.leadNorth; ++d)
            for (std::int64_t c = 0; c < m.shownCols; ++c)
                if (const PeActivity& pe = north(d, c); pe.active)
                    drawFitting(painter,
                                p.pe(0, c).translated(0, -p.gap - static_cast<double>(d + 1) * p.cell),
                                {northOperand(m.dataflow, pe), QString::number(streamStep(m.dataflow, pe))});
    }
}

QFont peFont()
{
    return uiFont(0.75);
}

/// Returns the number that a PE holds: with OS its sum so far, with WS and IS the partial sum that it passes
/// on.
double heldValue(const WavefrontModel& m, std::size_t i)
{
    return m.dataflow == Dataflow::Os ? m.registers[i].accumulator : m.registers[i].north;
}

/// True if the values fit. Values are shown in all PEs or in none, because a missing number would look like
/// an empty PE.
bool valuesFit(const WavefrontModel& m, const WavefrontPlaces& p)
{
    if (m.registers.empty() || p.cell < 22)
        return false;
    const QFontMetricsF fm(peFont());
    for (std::size_t i = 0; i < m.registers.size(); ++i)
        if (fm.horizontalAdvance(shortNumber(heldValue(m, i))) > p.cell - 3)
            return false;
    return true;
}

/// Paints the fill of the edge FIFOs between the array and the operands outside.
void paintFifos(QPainter& painter, const WavefrontModel& m, const WavefrontPlaces& p, const Theme& theme)
{
    const auto bar = [&](const QRectF& r, std::int64_t n, bool vertical, bool culprit) {
        const double share = std::clamp(
            static_cast<double>(n) / static_cast<double>(std::max<std::int64_t>(1, m.fifoDepth)), 0.0, 1.0);
        painter.fillRect(r, theme.grid);
        QRectF full = r;
        if (vertical)
            full.setTop(r.bottom() - r.height() * share);
        else
            full.setLeft(r.right() - r.width() * share);
        painter.fillRect(full, theme.retained);
        if (culprit || n == 0) {
            painter.setPen(QPen(theme.error, culprit ? 2 : 1));
            painter.setBrush(Qt::NoBrush);
            painter.drawRect(r);
        }
    };
    const double pad = std::min(2.0, p.cell * 0.1);
    for (std::size_t r = 0; r < m.westFifo.size(); r += static_cast<std::size_t>(m.step))
        bar(QRectF(p.origin.x() - p.gap + 2, p.pe(static_cast<std::int64_t>(r) / m.step, 0).top() + pad,
                   p.gap - 4, p.cell - 2 * pad),
            m.westFifo[r], false,
            m.stall && m.stall->side == EdgeSide::West && m.stall->lane == static_cast<std::int64_t>(r));
    for (std::size_t c = 0; c < m.northFifo.size(); c += static_cast<std::size_t>(m.step))
        bar(QRectF(p.pe(0, static_cast<std::int64_t>(c) / m.step).left() + pad, p.origin.y() - p.gap + 2,
                   p.cell - 2 * pad, p.gap - 4),
            m.northFifo[c], true,
            m.stall && m.stall->side == EdgeSide::North && m.stall->lane == static_cast<std::int64_t>(c));
}

void paintArray(QPainter& painter, const WavefrontModel& m, const WavefrontPlaces& p, PeColour colour,
                const WavefrontOverlay& overlay, const Theme& theme)
{
    QImage image(static_cast<int>(m.shownCols), static_cast<int>(m.shownRows), QImage::Format_RGB32);
    for (std::int64_t r = 0; r < m.shownRows; ++r) {
        auto* line = reinterpret_cast<QRgb*>(image.scanLine(static_cast<int>(r)));
        for (std::int64_t c = 0; c < m.shownCols; ++c)
            line[c] = peColour(m, m.at(r, c), colour, theme).rgb();
    }
    drawCells(painter, image, p.origin, p.cell);
    drawGrid(painter, p.origin, m.shownRows, m.shownCols, p.cell, theme);

    const bool values = valuesFit(m, p);
    if (p.cell >= 16)
        for (std::int64_t r = 0; r < m.shownRows; ++r)
            for (std::int64_t c = 0; c < m.shownCols; ++c) {
                const PeActivity& pe = m.at(r, c);
                if (pe.fold < 0)
                    continue;
                const QRectF cell = p.pe(r, c).adjusted(1, 1, -1, -1);
                const QColor fill = peColour(m, pe, colour, theme);
                const QColor ink = theme.inkOn(fill);
                if (colour != PeColour::Accumulation) {
                    // The bar shows the progress of the accumulation.
                    const double h = std::max(2.0, p.cell * 0.1);
                    painter.fillRect(QRectF(cell.left() + 1, cell.bottom() - h - 1,
                                            (cell.width() - 2) * progressOf(m, pe), h),
                                     Theme::mix(fill, ink, 0.75));
                }
                if (p.cell >= 22) {
                    const std::size_t i = static_cast<std::size_t>(r * m.shownCols + c);
                    painter.setFont(peFont());
                    painter.setPen(pe.active ? ink : Theme::mix(fill, ink, 0.7));
                    QRectF place = cell.adjusted(0, 0, 0, -p.cell * 0.12);
                    if (values && pe.active && p.cell >= 52) {
                        const QString operands = QStringLiteral("%1 · %2").arg(
                            shortNumber(m.registers[i].west), m.dataflow == Dataflow::Os
                                                                  ? shortNumber(m.registers[i].north)
                                                                  : shortNumber(m.registers[i].accumulator));
                        const double half = place.height() / 2;
                        drawFitting(painter, QRectF(place.left(), place.top(), place.width(), half),
                                    {operands});
                        place.setTop(place.top() + half);
                    }
                    drawFitting(painter, place,
                                {values ? shortNumber(heldValue(m, i))
                                        : QString::number(streamStep(m.dataflow, pe))});
                }
            }
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(m.stall ? theme.error : theme.outline, m.stall ? 2 : 1));
    painter.drawRect(QRectF(p.origin, QSizeF(static_cast<double>(m.shownCols) * p.cell,
                                             static_cast<double>(m.shownRows) * p.cell)));
    const auto frame = [&](const PePosition& pe, const QPen& pen) {
        painter.setPen(pen);
        QRectF r = p.pe(pe.row / m.step, pe.col / m.step);
        if (r.width() < 6)
            r = r.adjusted(-3, -3, 3, 3);
        painter.drawRect(r);
    };
    if (overlay.pinned)
        frame(*overlay.pinned, QPen(theme.accent, 2.5));
    if (overlay.hovered)
        frame(*overlay.hovered, QPen(theme.text, 1.5));
}

std::vector<ChartKey> keysOf(const WavefrontModel& m, PeColour colour, const Theme& theme)
{
    std::vector<ChartKey> keys;
    const auto patch = [&](const QColor& fill, const QString& text) {
        keys.push_back(patchKey(text, fill, theme));
    };
    switch (colour) {
    case PeColour::Activity:
        patch(theme.computeTime, tr("multiplies now"));
        patch(passedColour(theme), tr("finished"));
        break;
    case PeColour::Fold:
        patch(theme.category(0), tr("works on a tile (one colour per tile)"));
        patch(Theme::mix(theme.canvas, theme.category(0), 0.3), tr("finished its tile"));
        break;
    case PeColour::Accumulation:
        patch(theme.ramp(0), tr("first operand"));
        patch(theme.ramp(1), tr("last operand"));
        break;
    }
    patch(waitingColour(theme), tr("not yet reached"));
    if (colour != PeColour::Fold) {
        patch(m.dataflow == Dataflow::Is ? theme.output : theme.input,
              m.dataflow == Dataflow::Is ? tr("B entering") : tr("A entering"));
        if (m.dataflow == Dataflow::Os)
            patch(theme.output, tr("B entering"));
    }
    if (!m.westFifo.empty())
        patch(theme.retained, tr("edge FIFO"));
    return keys;
}

void paintFacts(QPainter& painter, const QRectF& area, const WavefrontModel& m, const WavefrontPlaces& p,
                const WavefrontOverlay& overlay, PeColour colour, const Theme& theme)
{
    if (area.width() < 100 || area.height() < 30)
        return;
    painter.save();
    painter.setClipRect(area);
    double y = area.top();
    const QFont bold = uiFont(1.0, QFont::DemiBold);
    const QFont small = uiFont(0.9);
    const QFontMetricsF bm(bold);
    const QFontMetricsF fm(small);
    double labelWidth = std::max(84.0, fm.horizontalAdvance(tr("fill · drain")) + 10);
    if (overlay.facts)
        for (const auto& [label, value] : overlay.facts->lines)
            labelWidth = std::max(labelWidth, fm.horizontalAdvance(label) + 10);
    const auto line = [&](const QString& label, const QString& value) {
        if (y + fm.height() > area.bottom())
            return;
        const double x = area.left() + labelWidth;
        writeLine(painter, {area.left(), y}, area.width(), label, small, theme.muted);
        y += writeLine(painter, {x, y}, area.right() - x, value, small, theme.text) + 2;
    };
    const double pes = static_cast<double>(m.rows * m.cols);
    y += writeLine(painter, {area.left(), y}, area.width(), tr("This cycle"), bold, theme.text) + 2;
    line(tr("active"),
         tr("%1 of %2 PEs (%3)")
             .arg(number(m.active), number(m.rows * m.cols), percent(static_cast<double>(m.active) / pes)));
    if (m.phases)
        line(tr("fill · drain"),
             tr("%1 · %2").arg(number(m.phases->fill), counted(m.phases->drain, tr("cycle"), tr("cycles"))));
    if (p.cell >= 22)
        line(tr("in a PE"), !valuesFit(m, p)             ? tr("number of the operand")
                            : m.dataflow == Dataflow::Os ? tr("sum so far")
                                                         : tr("sum that moves south"));
    y += 6;
    if (overlay.facts) {
        if (y + bm.height() <= area.bottom())
            y += writeLine(painter, {area.left(), y}, area.width(), overlay.facts->title, bold, theme.text) +
                 2;
        for (const auto& [label, value] : overlay.facts->lines)
            line(label, value);
    } else {
        if (y + 2 * fm.height() <= area.bottom()) {
            painter.setFont(small);
            painter.setPen(theme.muted);
            const QRectF hint(area.left(), y, area.width(), 2 * fm.height() + 2);
            painter.drawText(hint, Qt::TextWordWrap, tr("Point at a PE for its operands; click to pin it."));
            y += 2 * fm.height() + 2;
        }
    }
    paintKeys(painter, keysOf(m, colour, theme), area.adjusted(0, y + 8 - area.top(), 0, 0), theme);
    painter.restore();
}

} // namespace

WavefrontPlaces wavefrontPlaces(const QRectF& area, const WavefrontModel& m)
{
    WavefrontPlaces p;
    const QFontMetricsF fm(uiFont());
    const QFontMetricsF tick(uiFont(0.9));
    const QRectF inner = area.adjusted(kPaneMargin, 8, -kPaneMargin, -8);
    const int lines = 2 + (m.warning.isEmpty() ? 0 : 1);
    p.header = QRectF(inner.left(), inner.top(), inner.width(), lines * (fm.height() + 2));
    QRectF rest = inner.adjusted(0, p.header.height() + 10, 0, 0);
    const double axis = tick.height() + 6;
    const double caption = tick.height() + 6;
    if (rest.height() >= 330) {
        const double h = std::clamp(rest.height() * 0.2, 44.0, 120.0);
        p.chart = QRectF(rest.left(), rest.bottom() - axis - h, rest.width(), h);
        rest.setBottom(p.chart.top() - caption - 6);
        const double facts = factsWidth();
        if (rest.width() >= 2 * facts - 20) {
            p.facts = QRectF(rest.right() - facts, rest.top(), facts, rest.height());
            rest.setRight(p.facts.left() - 16);
        }
        p.array = rest;
    } else {
        const double side = std::min(rest.height() * 1.25, rest.width() * 0.55);
        p.array = QRectF(rest.left(), rest.top(), side, rest.height());
        const QRectF right(rest.left() + side + 18, rest.top(), rest.width() - side - 18, rest.height());
        const double h = std::max(24.0, right.height() * 0.38 - axis);
        p.chart = QRectF(right.left(), right.top() + caption, right.width(), h);
        p.facts = QRectF(right.left(), p.chart.bottom() + axis + 8, right.width(),
                         right.bottom() - p.chart.bottom() - axis - 8);
    }
    // The rectangle of the chart includes the caption, the axis and the margins.
    p.chart.adjust(-8, -(tick.height() + 3) - 8, 8, axis + 10);
    const bool fifos = !m.westFifo.empty();
    const double gapCells = fifos ? 1.0 : 0.35;
    p.leadWest = m.lead;
    p.leadNorth = m.north.empty() ? 0 : m.lead;
    const double across = static_cast<double>(m.shownCols + p.leadWest) + gapCells;
    const double down = static_cast<double>(m.shownRows + p.leadNorth) + gapCells;
    double cell = std::min({p.array.width() / across, p.array.height() / down, 72.0});
    if (cell >= 3)
        cell = std::floor(cell);
    p.cell = std::max(0.05, cell);
    p.gap = std::max(fifos ? 10.0 : 3.0, gapCells * p.cell);
    // In a wide area the array is centred.
    const double used = across * p.cell;
    const double left = p.array.left() + std::max(0.0, (p.array.width() - used) / 2);
    p.origin = {std::round(left + static_cast<double>(p.leadWest) * p.cell + p.gap),
                std::round(p.array.top() + static_cast<double>(p.leadNorth) * p.cell + p.gap)};
    return p;
}

void paintWavefront(QPainter& painter, const WavefrontModel& m, const WavefrontPlaces& p, PeColour colour,
                    const WavefrontOverlay& overlay, const Theme& theme)
{
    const QFont plain = uiFont(0.95);
    const double lineHeight = QFontMetricsF(uiFont()).height() + 2;
    const double width = p.header.width();
    QPointF at = p.header.topLeft();
    const QString head = m.origin.isEmpty() ? m.title : m.title + QStringLiteral(" · ") + m.origin;
    writeLine(painter, at, width, head, uiFont(1.0, QFont::DemiBold), theme.text, Qt::ElideMiddle);
    at.ry() += lineHeight;
    writeLine(painter, at, width, m.when, plain, m.stall ? theme.error : theme.accent);
    const double figures = TextMetrics(plain).horizontalAdvance(m.when) + 18;
    if (width - figures > 60)
        writeLine(painter, at + QPointF(figures, 0), width - figures, m.figures, plain, theme.muted);
    at.ry() += lineHeight;
    if (!m.warning.isEmpty())
        writeLine(painter, at, width, QStringLiteral("⚠ ") + m.warning, plain, theme.warning);
    paintOperands(painter, m, p, colour, theme);
    if (!m.westFifo.empty())
        paintFifos(painter, m, p, theme);
    paintArray(painter, m, p, colour, overlay, theme);
    paintFacts(painter, p.facts, m, p, overlay, colour, theme);
}

} // namespace tilewright::ui
