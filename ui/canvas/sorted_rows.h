// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QSortFilterProxyModel>

class QTableView;

namespace tilewright::ui {

/// The rows of a table in the order of the column whose heading a person clicked: numbers from the largest,
/// texts from A; the second click turns it round, the third brings the model's own order back. What is
/// compared is kSortRole; a cell without it comes last either way.
class SortedRows : public QSortFilterProxyModel
{
    Q_OBJECT
public:
    static constexpr int kSortRole = Qt::UserRole + 40;

    /// `order` names the model's own order: "the order of execution".
    SortedRows(QAbstractItemModel& rows, QString order, QObject* parent);
    /// Lets a person sort `table`, whose model becomes this one.
    void sortBy(QTableView& table);
    /// So many rows at the end stay there: totals.
    void setFixedRows(int count) { m_fixed = count; }
    [[nodiscard]] bool isSorted() const { return sortColumn() >= 0; }
    [[nodiscard]] int sourceRow(int row) const { return mapToSource(index(row, 0)).row(); }
    [[nodiscard]] int rowOf(int sourceRow) const;

    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

protected:
    [[nodiscard]] bool lessThan(const QModelIndex& left, const QModelIndex& right) const override;

private:
    QString m_order;
    int m_fixed = 0;
};

} // namespace tilewright::ui
