// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/compare/difference_list.h"

#include <QHeaderView>
#include <QPainter>
#include <QStyle>

#include <algorithm>
#include <cmath>

namespace tilewright::ui {

namespace {

/// Paints a bar from the right end of the cell, behind the text of the change. Its colour says whether the
/// change is better or worse.
void paintDifference(QPainter& painter, const QStyleOptionViewItem& cell, double amount, const Theme& theme)
{
    QStyleOptionViewItem empty = cell;
    empty.text.clear();
    cell.widget->style()->drawControl(QStyle::CE_ItemViewItem, &empty, &painter, cell.widget);
    const QRectF inside = QRectF(cell.rect).adjusted(8, 0, -8, 0);
    const bool chosen = cell.state & QStyle::State_Selected;
    QColor ink = chosen ? cell.palette.color(QPalette::HighlightedText) : theme.text;
    if (amount != 0) {
        const QColor& colour = amount < 0 ? theme.ok : theme.warning;
        const double length = std::max(2.0, std::abs(amount) * inside.width());
        painter.fillRect(QRectF(inside.right() + 4 - length, inside.bottom() - 4, length, 3), colour);
        if (!chosen)
            ink = colour;
    }
    painter.setFont(cell.font);
    painter.setPen(ink);
    painter.drawText(inside, static_cast<int>(cell.displayAlignment),
                     QFontMetricsF(cell.font).elidedText(cell.text, cell.textElideMode, inside.width()));
}

} // namespace

DifferenceList::DifferenceList(const ThemeSource& themes, QWidget* parent)
    : QTreeView(parent), m_cells(new TableModel(this)), m_rows(new SortedRows(*m_cells, {}, this))
{
    m_cells->alignHeadings();
    setModel(m_rows);
    setAccessibleName(tr("Differences"));
    m_bars = new TableDelegate(
        themes,
        [this](QPainter& painter, const QStyleOptionViewItem& option, const QModelIndex& index,
               const Theme& theme) {
            const double amount = index.column() == m_barColumn ? m_about[*indexOf(index)].amount : 0;
            paintDifference(painter, m_bars->filled(option, index), amount, theme);
            return true;
        },
        this, QSize(16, 8));
    setItemDelegate(m_bars);
    setRootIsDecorated(false);
    setAlternatingRowColors(true);
    setUniformRowHeights(true);
    setAllColumnsShowFocus(true);
    setFrameShape(QFrame::NoFrame);
    setTextElideMode(Qt::ElideMiddle);
    setSortingEnabled(true);
    header()->setStretchLastSection(false);
}

void DifferenceList::setTable(const DifferenceTable& table)
{
    selectionModel()->clear();
    sortByColumn(-1, Qt::AscendingOrder); // rows stay in the order of application until a header is clicked
    m_about = table.rows;
    m_barColumn = table.barColumn;
    m_stretched = table.stretched;
    m_cells->setTable(table.cells);
    setOnlyDifferences(m_onlyDifferences);
    for (int c = 0; c < m_cells->columnCount(); ++c) {
        header()->setSectionResizeMode(c, QHeaderView::Interactive);
        if (!m_stretched.contains(c)) { // columns of numbers are as wide as their texts
            const bool isFigure = table.cells.columns[static_cast<std::size_t>(c)].kind != ColumnKind::Text;
            const int own = std::max(sizeHintForColumn(c), header()->sectionSizeHint(c));
            const int most = isFigure ? own : 16 * fontMetrics().averageCharWidth();
            setColumnWidth(c, std::clamp(own, 40, std::max(40, most)));
        }
    }
    fitColumns();
}

void DifferenceList::resizeEvent(QResizeEvent* event)
{
    QTreeView::resizeEvent(event);
    fitColumns();
}

void DifferenceList::fitColumns()
{
    int left = viewport()->width();
    for (int c = 0; c < m_cells->columnCount(); ++c)
        left -= m_stretched.contains(c) ? 0 : columnWidth(c);
    const int least = 14 * fontMetrics().averageCharWidth();
    const bool isRoom = left >= least * static_cast<int>(m_stretched.size());
    for (const int c : m_stretched) {
        header()->setSectionResizeMode(c, isRoom ? QHeaderView::Stretch : QHeaderView::Interactive);
        if (!isRoom)
            setColumnWidth(c, least);
    }
}

void DifferenceList::setOnlyDifferences(bool only)
{
    m_onlyDifferences = only;
    for (int row = 0; row < m_rows->rowCount(); ++row)
        setRowHidden(row, {}, only && !aboutRow(row).differs);
}

std::optional<std::size_t> DifferenceList::indexOf(const QModelIndex& index) const
{
    return index.isValid() ? std::optional<std::size_t>(index.data(TableModel::RowRole).toUInt())
                           : std::nullopt;
}

const DifferenceRow& DifferenceList::aboutRow(int row) const
{
    return m_about[*indexOf(m_rows->index(row, 0))];
}

void DifferenceList::move(int by)
{
    const int n = m_rows->rowCount();
    int row = currentIndex().row();
    if (row < 0)
        row = by > 0 ? -1 : n;
    for (int tried = 0; tried < n; ++tried) {
        row = (row + by + n) % n;
        if (aboutRow(row).differs)
            return setCurrentIndex(m_rows->index(row, 0));
    }
}

void DifferenceList::showOps(std::size_t side, const std::set<OpId>& ops)
{
    for (int row = 0; row < m_rows->rowCount(); ++row) {
        const auto& concerned = aboutRow(row).ops[side];
        if (std::ranges::any_of(concerned, [&](OpId o) { return ops.count(o) > 0; })) {
            if (!isRowHidden(row, {}))
                return setCurrentIndex(m_rows->index(row, 0));
            break;
        }
    }
    selectionModel()->clear();
}

} // namespace tilewright::ui
