// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/systolic/painted_table.h"

#include "theme/text.h"
#include "theme/text_metrics.h"
#include "theme/theme.h"

#include <QFontMetricsF>
#include <QPainter>

#include <algorithm>
#include <numeric>

namespace tilewright::ui {

using namespace systolic;

namespace {

constexpr double kGap = 14;    // pixels between columns
constexpr double kMarker = 14; // pixels to the left of the first column, for the pointer at the marked row
constexpr double kRowPad = 5;
constexpr int kWrap = Qt::TextWordWrap | Qt::AlignLeft | Qt::AlignVCenter;

double wrappedHeight(const QString& text, double width, const QFontMetricsF& fm)
{
    return fm.boundingRect(QRectF(0, 0, std::max(1.0, width), 1e6), kWrap, text).height();
}

} // namespace

std::vector<double> PaintedTable::naturalColumns() const
{
    const QFontMetricsF fm(uiFont(0.95));
    const QFontMetricsF small(uiFont(0.85));
    std::vector<double> columns(static_cast<std::size_t>(head.size()), 0);
    for (std::size_t c = 0; c < columns.size(); ++c) {
        columns[c] = small.horizontalAdvance(head[static_cast<qsizetype>(c)]);
        for (const QStringList& row : rows)
            if (static_cast<qsizetype>(c) < row.size())
                columns[c] = std::max(columns[c], fm.horizontalAdvance(row[static_cast<qsizetype>(c)]) + 1);
    }
    return columns;
}

std::vector<double> PaintedTable::leastColumns(const std::vector<double>& natural) const
{
    constexpr double kLeast = 60;
    const QFontMetricsF fm(uiFont(0.95));
    std::vector<double> out = natural;
    for (std::size_t c = 0; c < out.size(); ++c) {
        if (c < numeric.size() && numeric[c])
            continue;
        double word = kLeast;
        for (const QStringList& row : rows)
            if (static_cast<qsizetype>(c) < row.size())
                for (const QString& part : row[static_cast<qsizetype>(c)].split(u' '))
                    word = std::max(word, fm.horizontalAdvance(part) + 1);
        out[c] = std::min(out[c], word);
    }
    return out;
}

std::vector<double> PaintedTable::shownColumns(std::vector<double> natural, double width) const
{
    const std::vector<double> least = leastColumns(natural);
    while (true) {
        std::vector<double> columns = natural;
        const std::size_t n = columns.size();
        double over = kMarker + kGap * static_cast<double>(n > 0 ? n - 1 : 0) +
                      std::accumulate(columns.begin(), columns.end(), 0.0) - width;
        // Text columns are made narrower, the widest one first and at most down to their longest word, until
        // the table fits.
        while (over > 0.5) {
            std::size_t widest = n;
            for (std::size_t c = 0; c < n; ++c)
                if (columns[c] > least[c] && (widest == n || columns[c] > columns[widest]))
                    widest = c;
            if (widest == n)
                break;
            const double cut = std::min({over, 12.0, columns[widest] - least[widest]});
            columns[widest] -= cut;
            over -= cut;
        }
        if (over <= 0.5 || n <= 2)
            return columns;
        // A column that does not fit is left out as a whole, because a cut number would be wrong.
        natural.pop_back();
    }
}

PaintedTable::Geometry PaintedTable::geometry(double width) const
{
    Geometry g;
    const QFontMetricsF fm(uiFont(0.95));
    const QFontMetricsF small(uiFont(0.85));
    g.columns = shownColumns(naturalColumns(), width);
    g.rows.push_back(head.join(QString()).isEmpty() ? 0 : small.height() + kRowPad);
    for (const QStringList& row : rows) {
        double h = fm.height();
        for (std::size_t c = 0; c < g.columns.size() && static_cast<qsizetype>(c) < row.size(); ++c)
            if (!(c < numeric.size() && numeric[c]))
                h = std::max(h, wrappedHeight(row[static_cast<qsizetype>(c)], g.columns[c] + 0.5, fm));
        g.rows.push_back(h + kRowPad);
    }
    if (!title.isEmpty())
        g.titleHeight = QFontMetricsF(uiFont(1.0, QFont::DemiBold)).height() + 6;
    if (!note.isEmpty())
        g.noteHeight = wrappedHeight(note, width, small) + 6;
    return g;
}

double PaintedTable::smallestWidth() const
{
    double low = kMarker, high = 4096;
    const std::vector<double> natural = naturalColumns();
    while (high - low > 1) { // binary search: the narrower the table, the more columns are left out
        const double middle = (low + high) / 2;
        (shownColumns(natural, middle).size() == natural.size() ? high : low) = middle;
    }
    return high;
}

double PaintedTable::height(double width) const
{
    const Geometry g = geometry(width);
    return g.titleHeight + g.noteHeight + std::accumulate(g.rows.begin(), g.rows.end(), 0.0);
}

void PaintedTable::paint(QPainter& painter, const QRectF& area, const Theme& theme) const
{
    const Geometry g = geometry(area.width());
    double y = area.top();
    if (!title.isEmpty()) {
        writeLine(painter, area.topLeft(), area.width(), title, uiFont(1.0, QFont::DemiBold), theme.text);
        y += g.titleHeight;
    }
    const auto line = [&](const QStringList& cells, double h, bool isHead) {
        double x = area.left() + kMarker;
        for (std::size_t c = 0; c < g.columns.size(); ++c) {
            const bool right = c < numeric.size() && numeric[c];
            if (static_cast<qsizetype>(c) < cells.size()) {
                const QRectF cell(x, y, g.columns[c] + 0.5, h);
                const QString& text = cells[static_cast<qsizetype>(c)];
                if (right || isHead)
                    painter.drawText(cell, (right ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter, text);
                else
                    painter.drawText(cell, kWrap, text);
            }
            x += g.columns[c] + kGap;
        }
    };
    if (g.rows[0] > 0) {
        painter.setFont(uiFont(0.85));
        painter.setPen(theme.muted);
        line(head, g.rows[0], true);
        y += g.rows[0];
        painter.setPen(theme.grid);
        painter.drawLine(QPointF(area.left(), y), QPointF(area.right(), y));
    }
    painter.setFont(uiFont(0.95));
    for (std::size_t r = 0; r < rows.size(); ++r) {
        const double h = g.rows[r + 1];
        if (static_cast<int>(r) == marked) {
            painter.fillRect(QRectF(area.left(), y, area.width(), h), theme.selection);
            const double m = y + h / 2;
            painter.setPen(Qt::NoPen);
            painter.setBrush(theme.accent);
            painter.drawPolygon(QPolygonF({QPointF(area.left() + 3, m - 4), QPointF(area.left() + 9, m),
                                           QPointF(area.left() + 3, m + 4)}));
            painter.setBrush(Qt::NoBrush);
        }
        if (key && static_cast<int>(r) != marked)
            key(painter, QRectF(area.left() + 1, y + h / 2 - 5, 10, 10), static_cast<int>(r));
        painter.setPen(theme.text);
        line(rows[r], h, false);
        y += h;
    }
    if (!note.isEmpty()) {
        painter.setFont(uiFont(0.85));
        painter.setPen(theme.muted);
        painter.drawText(QRectF(area.left(), y + 4, area.width(), g.noteHeight), Qt::TextWordWrap, note);
    }
}

int PaintedTable::rowAt(double y, double width) const
{
    const Geometry g = geometry(width);
    double top = g.titleHeight + g.rows[0];
    for (std::size_t r = 0; r < rows.size(); ++r) {
        if (y >= top && y < top + g.rows[r + 1])
            return static_cast<int>(r);
        top += g.rows[r + 1];
    }
    return -1;
}

QString PaintedTable::asText() const
{
    QString out = title.isEmpty() ? QString() : title + QLatin1Char('\n');
    const auto add = [&](const QStringList& cells) {
        out += plainNumbers(cells.join(QLatin1Char('\t'))) + QLatin1Char('\n');
    };
    add(head);
    for (const QStringList& row : rows)
        add(row);
    return out;
}

} // namespace tilewright::ui
