// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/mapping/level_table.h"

#include "hierarchy/report.h"
#include "theme/text.h"
#include "theme/theme.h"

#include <QFontMetricsF>
#include <QPainter>

#include <algorithm>
#include <cmath>
#include <vector>

namespace tilewright::ui {

namespace {

constexpr double kLetters = 0.85;
constexpr double kLeastGap = 10; ///< minimum space between two columns, in pixels

double tableRow()
{
    return std::ceil(QFontMetricsF(uiFont(kLetters)).height()) + 5;
}

/// Height of the headings. They have two lines, so that columns are only as wide as their numbers.
double headingsHeight()
{
    return 2 * std::ceil(QFontMetricsF(uiFont(kLetters)).height()) + 5;
}

double tableHead()
{
    return std::ceil(QFontMetricsF(uiFont()).height()) + 6;
}

QString cellText(const Table& table, std::size_t row, std::size_t column, bool brief)
{
    const TableCell cell = table.cell(row, column);
    if (brief) {
        if (const auto* whole = std::get_if<std::int64_t>(&cell.value))
            return shortNumber(static_cast<double>(*whole));
        if (const auto* number = std::get_if<double>(&cell.value))
            return shortNumber(*number);
    }
    return QString::fromStdString(table.shown(row, column));
}

/// Texts of the cells, headings first, and the width of each column.
struct Texts
{
    std::vector<QStringList> rows;
    std::vector<double> widths;
    double width = 0; ///< total width of the columns without the gaps between them
};

Texts textsOf(const Table& table, bool brief)
{
    Texts out;
    QStringList headings;
    for (const TableColumn& column : table.columns)
        headings << QString::fromStdString(column.title).replace(QLatin1Char(' '), QLatin1Char('\n'));
    out.rows.reserve(table.rowCount() + 1);
    out.rows.push_back(std::move(headings));
    for (std::size_t row = 0; row < table.rowCount(); ++row) {
        QStringList cells;
        for (std::size_t column = 0; column < table.columns.size(); ++column)
            cells << cellText(table, row, column, brief);
        out.rows.push_back(std::move(cells));
    }
    const QFontMetricsF fm(uiFont(kLetters, QFont::DemiBold));
    out.widths.assign(table.columns.size(), 0);
    for (const QStringList& row : out.rows)
        for (std::size_t column = 0; column < out.widths.size(); ++column)
            for (const QString& line : row[static_cast<qsizetype>(column)].split(QLatin1Char('\n')))
                out.widths[column] = std::max(out.widths[column], fm.horizontalAdvance(line));
    for (const double width : out.widths)
        out.width += width;
    return out;
}

} // namespace

LevelTable buildLevelTable(const MappingDocument& state)
{
    LevelTable out;
    const hierarchy::Cost& cost = state.levelsCost();
    if (!state.setup().levels || !cost.hasNumbers)
        return out;
    out.table = hierarchy::levelTable(state.nest(), *state.setup().levels, cost);
    out.limit = QString::fromStdString(limitText(*state.setup().levels, cost));
    out.limitRow = cost.limitLevel;
    const char* const name = cost.limit == hierarchy::Limit::Writes ? "write cycles" : "read cycles";
    const auto column = std::ranges::find(out.table.columns, std::string(name),
                                          [](const TableColumn& c) { return std::string(c.title); });
    if (cost.limitLevel >= 0 && column != out.table.columns.end())
        out.limitColumn = static_cast<int>(column - out.table.columns.begin());
    return out;
}

QString levelTableAsText(const LevelTable& table)
{
    return table.table.columns.empty() ? QString() : QString::fromStdString(csvOf(table.table, "\t"));
}

double levelTableHeight(const LevelTable& table)
{
    if (table.table.columns.empty())
        return 0;
    return tableHead() + headingsHeight() + tableRow() * static_cast<double>(table.table.rowCount()) + 8;
}

double levelTableWidth(const LevelTable& table, bool brief)
{
    if (table.table.columns.empty())
        return 0;
    return textsOf(table.table, brief).width +
           static_cast<double>(table.table.columns.size() - 1) * kLeastGap;
}

void paintLevelTable(QPainter& painter, const LevelTable& table, const QRectF& area, const Theme& theme)
{
    if (table.table.columns.empty())
        return;
    painter.setFont(uiFont(1, QFont::DemiBold));
    const QFontMetricsF bold(painter.font());
    painter.setPen(theme.text);
    const QString title = tr("Levels");
    painter.drawText(QPointF(area.left(), area.top() + bold.ascent()), title);
    painter.setFont(uiFont(kLetters));
    const QFontMetricsF fm(painter.font());
    painter.setPen(theme.muted);
    const double after = area.left() + bold.horizontalAdvance(title) + 10;
    painter.drawText(QPointF(after, area.top() + bold.ascent()),
                     fm.elidedText(tr("the cycles are limited by %1").arg(table.limit), Qt::ElideRight,
                                   std::max(0.0, area.right() - after)));
    const auto gaps = static_cast<double>(table.table.columns.size() - 1);
    Texts texts = textsOf(table.table, false);
    if (texts.width + gaps * kLeastGap > area.width())
        texts = textsOf(table.table, true);
    const double gap = std::clamp((area.width() - texts.width) / gaps, 4.0, 32.0);
    double y = area.top() + tableHead();
    for (std::size_t r = 0; r < texts.rows.size(); ++r) {
        const double row = r == 0 ? headingsHeight() : tableRow();
        double x = area.left();
        for (std::size_t c = 0; c < texts.widths.size(); ++c) {
            const QRectF cell(x, y, texts.widths[c], row);
            const bool limits = static_cast<int>(r) == table.limitRow + 1 && table.limitRow >= 0 &&
                                static_cast<int>(c) == table.limitColumn;
            painter.setFont(uiFont(kLetters, limits ? QFont::DemiBold : QFont::Normal));
            painter.setPen(r == 0 ? theme.muted : limits ? theme.accent : theme.text);
            painter.drawText(r == 0 ? cell.adjusted(0, 0, 0, -3) : cell,
                             static_cast<int>(r == 0 ? Qt::AlignBottom : Qt::AlignVCenter) |
                                 static_cast<int>(c == 0 ? Qt::AlignLeft : Qt::AlignRight),
                             texts.rows[r][static_cast<qsizetype>(c)]);
            x += texts.widths[c] + gap;
        }
        painter.fillRect(QRectF(area.left(), y + row - 1, std::min(area.width(), x - gap - area.left()), 1),
                         theme.grid);
        y += row;
    }
}

} // namespace tilewright::ui
