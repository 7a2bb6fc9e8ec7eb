// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "canvas/table_model.h"

#include <QSortFilterProxyModel>

namespace tilewright::ui {

/// The rows of a table in the order of the column whose heading a person clicked: numbers from the largest,
/// texts from A; the second click turns it round, the third brings the table's own order back. What is
/// compared is TableModel::SortRole; a cell without it comes last either way. Rows can be left out.
class SortedRows : public QSortFilterProxyModel
{
    Q_OBJECT
public:
    /// `order` names the table's own order: "the order of execution". Without it the first click sorts
    /// upwards, and there is no third.
    SortedRows(TableModel& rows, QString order, QObject* parent);
    /// Lets a person sort `table`, which shows these rows.
    void sortBy(QTableView& table);
    /// Shows the rows of the table that pass; again when what it depends on has changed.
    void setFilter(std::function<bool(std::size_t row)> passes);
    /// So many rows at the end stay there: totals.
    void setFixedRows(int count) { m_fixed = count; }
    [[nodiscard]] bool isSorted() const { return sortColumn() >= 0; }
    [[nodiscard]] int sourceRow(int row) const { return mapToSource(index(row, 0)).row(); }
    [[nodiscard]] int rowOf(int sourceRow) const;

    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

protected:
    [[nodiscard]] bool filterAcceptsRow(int row, const QModelIndex& parent) const override;
    [[nodiscard]] bool lessThan(const QModelIndex& left, const QModelIndex& right) const override;

private:
    QString m_order;
    std::function<bool(std::size_t row)> m_passes;
    int m_fixed = 0;
};

} // namespace tilewright::ui
