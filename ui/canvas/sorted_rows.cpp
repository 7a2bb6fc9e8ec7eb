// SPDX-License-Identifier: GPL-3.0-or-later
#include "canvas/sorted_rows.h"

#include <QHeaderView>
#include <QTableView>

#include <utility>

namespace tilewright::ui {

SortedRows::SortedRows(TableModel& rows, QString order, QObject* parent)
    : QSortFilterProxyModel(parent), m_order(std::move(order))
{
    setSortRole(TableModel::SortRole);
    setSourceModel(&rows);
}

void SortedRows::sortBy(QTableView& table)
{
    QHeaderView* header = table.horizontalHeader();
    header->setSortIndicatorClearable(true);
    header->setSortIndicator(-1, Qt::AscendingOrder);
    table.setSortingEnabled(true);
    connect(header, &QHeaderView::sortIndicatorChanged, &table, &QTableView::scrollToTop);
}

void SortedRows::setFilter(std::function<bool(std::size_t row)> passes)
{
    m_passes = std::move(passes);
    invalidateFilter();
}

bool SortedRows::filterAcceptsRow(int row, const QModelIndex&) const
{
    return !m_passes || m_passes(static_cast<std::size_t>(row));
}

int SortedRows::rowOf(int sourceRow) const
{
    return mapFromSource(sourceModel()->index(sourceRow, 0)).row();
}

QVariant SortedRows::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation == Qt::Horizontal && role == Qt::InitialSortOrderRole && !m_order.isEmpty()) {
        const QVariant first = sourceModel()->index(0, section).data(TableModel::SortRole);
        const bool largestFirst = section > 0 && first.typeId() != QMetaType::QString;
        return static_cast<int>(largestFirst ? Qt::DescendingOrder : Qt::AscendingOrder);
    }
    QVariant own = sourceModel()->headerData(section, orientation, role);
    if (orientation != Qt::Horizontal || role != Qt::ToolTipRole || m_order.isEmpty())
        return own;
    const QString tip = own.toString();
    return (tip.isEmpty() ? QString() : tip + QLatin1Char('\n')) +
           tr("Click to sort by this column, again to reverse, a third time for %1.").arg(m_order);
}

bool SortedRows::lessThan(const QModelIndex& left, const QModelIndex& right) const
{
    // In descending order, Qt swaps the compared rows.
    const bool ascending = sortOrder() == Qt::AscendingOrder;
    const int fixedFrom = sourceModel()->rowCount() - m_fixed;
    const bool leftFixed = left.row() >= fixedFrom;
    const bool rightFixed = right.row() >= fixedFrom;
    if (leftFixed && rightFixed)
        return (left.row() < right.row()) == ascending;
    if (leftFixed != rightFixed)
        return rightFixed == ascending;
    const bool leftKnown = left.data(TableModel::SortRole).isValid();
    const bool rightKnown = right.data(TableModel::SortRole).isValid();
    if (leftKnown != rightKnown)
        return leftKnown == ascending;
    return QSortFilterProxyModel::lessThan(left, right);
}

} // namespace tilewright::ui
