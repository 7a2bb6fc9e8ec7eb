// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "canvas/table_model.h"

#include <QSortFilterProxyModel>

namespace tilewright::ui {

/// Sorts the rows of a table by the column whose heading was clicked: numbers in descending, texts in
/// ascending order. The second click reverses the order, the third restores the order of the table. Compares
/// TableModel::SortRole; cells without it come last in both orders. Can also filter rows.
class SortedRows : public QSortFilterProxyModel
{
    Q_OBJECT
public:
    /// `order`: name of the order of the table, for example "the order of execution". If empty, the first
    /// click sorts in ascending order and the original order cannot be restored.
    SortedRows(TableModel& rows, QString order, QObject* parent);
    /// Enables sorting by clicks in `table`, which shows these rows.
    void sortBy(QTableView& table);
    /// Shows only rows for which `passes` is true. To be called again when its result may have changed.
    void setFilter(std::function<bool(std::size_t row)> passes);
    /// Keeps this number of rows at the end (totals).
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
