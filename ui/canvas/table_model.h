// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/table.h"

#include <QAbstractTableModel>

class QTableView;

namespace tilewright::ui {

/// Item model of a Table: text, tooltip, alignment, heading, sort key and exact value of every cell.
class TableModel : public QAbstractTableModel
{
    Q_OBJECT
public:
    /// SortRole: key that SortedRows compares. ExactRole: copied value; headings of columns that are not
    /// copied have none. RowRole: index of the row in the table, independent of the sorting.
    enum Role { SortRole = Qt::UserRole + 40, ExactRole, RowRole };
    static constexpr int kHeading = -1;
    /// Returns the value of a role (font, colour, icon, …) for a cell, or for the heading of a column (row =
    /// kHeading) or of a row (column = kHeading). An invalid value means the default.
    using Look = std::function<QVariant(int row, int column, int role)>;

    explicit TableModel(QObject* parent = nullptr, Look look = {})
        : QAbstractTableModel(parent), m_look(std::move(look))
    {
    }
    /// Aligns headings like their cells instead of centring them.
    void alignHeadings() { m_aligned = true; }
    /// Sets the table. Selection and scroll position are kept if the numbers of rows and columns are the
    /// same.
    void setTable(Table table);
    [[nodiscard]] const Table& table() const { return m_table; }
    /// Resets the model to `rows` rows, for a table whose columns compute their cells.
    void setCount(std::size_t rows);
    /// Announces that the cells of these columns have changed. lastColumn = -1: up to the last column.
    void refresh(int firstColumn = 0, int lastColumn = -1);

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation,
                                      int role = Qt::DisplayRole) const override;

private:
    Table m_table;
    Look m_look;
    bool m_aligned = false;
};

/// Rows in the shown order as tab-separated text with exact values: all columns, or `columns` in this order.
/// `taken`: optional filter of rows.
[[nodiscard]] QString rowsAsText(const QAbstractItemModel& shown, bool headings, QList<int> columns = {},
                                 const std::function<bool(int row)>& taken = {});

/// Sets up a table view as a list: selects whole rows, no editing, no grid, no row headings.
void asList(QTableView& view, const QString& name, QAbstractItemModel& rows);

} // namespace tilewright::ui
