// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/table.h"

#include <QAbstractTableModel>

class QTableView;

namespace tilewright::ui {

/// A Table for the views of Qt: text, tooltip, alignment, heading, sort key and exact value of every cell.
class TableModel : public QAbstractTableModel
{
    Q_OBJECT
public:
    /// SortRole: what SortedRows compares. ExactRole: what is copied; of a heading, nothing where the column
    /// is not copied. RowRole: the row of the table, whatever the order on the screen.
    enum Role { SortRole = Qt::UserRole + 40, ExactRole, RowRole };
    static constexpr int kHeading = -1;
    /// The value of a role (font, colour, icon, …) in a cell, or in the heading of a column (row kHeading) or
    /// of a row (column kHeading); an invalid one stands for the usual.
    using Look = std::function<QVariant(int row, int column, int role)>;

    explicit TableModel(QObject* parent = nullptr, Look look = {})
        : QAbstractTableModel(parent), m_look(std::move(look))
    {
    }
    /// Headings stand at the side of their cells, not in the middle.
    void alignHeadings() { m_aligned = true; }
    /// Selection and scroll position stay when there are as many rows and columns as before.
    void setTable(Table table);
    [[nodiscard]] const Table& table() const { return m_table; }
    /// Resets a table whose columns make the cells.
    void setCount(std::size_t rows);
    /// The cells of these columns have changed; -1 stands for the last column.
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

/// The rows as a view shows them, between tabs, with exact values: of all columns, or of `columns` in this
/// order. `taken` may leave rows out.
[[nodiscard]] QString rowsAsText(const QAbstractItemModel& shown, bool headings, QList<int> columns = {},
                                 const std::function<bool(int row)>& taken = {});

/// The usual look of a list: whole rows are chosen, cells are not edited, no grid, no row headings.
void asList(QTableView& view, const QString& name, QAbstractItemModel& rows);

} // namespace tilewright::ui
