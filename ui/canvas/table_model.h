// SPDX-License-Identifier: GPL-3.0-or-later
// Tables as lists in the window: item model, sorting, painting of cells.
#pragma once

#include "base/table.h"
#include "canvas/view.h"

#include <QAbstractTableModel>
#include <QSortFilterProxyModel>
#include <QStyledItemDelegate>

class QTableView;

namespace tilewright::ui {

/// Item model of a Table: text, tooltip, alignment, heading, sort key and exact value of every cell.
class TableModel : public QAbstractTableModel
{
    Q_OBJECT
public:
    /// SortRole: key that SortedRows compares. ExactRole: copied value; headings of columns that are not
    /// copied have none. RowRole: index of the row in the table, independent of the sorting. FigureRole:
    /// address of the figure of a cell.
    enum Role { SortRole = Qt::UserRole + 40, ExactRole, RowRole, FigureRole };
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

/// Returns the rows in the shown order as tab-separated text with exact values. Columns: all, or `columns` in
/// this order. `taken`: optional filter of rows.
[[nodiscard]] QString rowsAsText(const QAbstractItemModel& shown, bool headings, QList<int> columns = {},
                                 const std::function<bool(int row)>& taken = {});

/// Sets up a table view as a list: selects whole rows, no editing, no grid, no row headings.
void asList(QTableView& view, const QString& name, QAbstractItemModel& rows);

/// Delegate that paints cells of a list. A hook paints bars, badges and so on in the theme of the window or
/// of an export.
class TableDelegate : public QStyledItemDelegate
{
public:
    /// Hook: paints the whole cell and returns true, or paints the background and returns false.
    using Paint =
        std::function<bool(QPainter&, const QStyleOptionViewItem&, const QModelIndex&, const Theme&)>;

    /// `room`: total padding of the texts in pixels.
    TableDelegate(const ThemeSource& themes, Paint paint, QObject* parent, QSize room = QSize(0, 0))
        : QStyledItemDelegate(parent), m_themes(themes), m_paint(std::move(paint)), m_room(room)
    {
    }
    void setTheme(const Theme* theme)
    {
        m_override = theme;
    } ///< theme of an export; null = theme of the window
    /// Returns `option` with text, icon and font of the cell. Hooks get it without these, because most of
    /// them do not need them.
    [[nodiscard]] QStyleOptionViewItem filled(QStyleOptionViewItem option, const QModelIndex& index) const
    {
        initStyleOption(&option, index);
        return option;
    }

    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override
    {
        if (!m_paint(*painter, option, index, theme()))
            QStyledItemDelegate::paint(painter, option, index);
    }
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override
    {
        return QStyledItemDelegate::sizeHint(option, index) + m_room;
    }

protected:
    [[nodiscard]] const Theme& theme() const { return m_override ? *m_override : m_themes.theme(); }

private:
    const ThemeSource& m_themes;
    Paint m_paint;
    QSize m_room;
    const Theme* m_override = nullptr;
};

/// Sorts the rows of a table by the column whose heading was clicked: numbers in descending, texts in
/// ascending order. The second click reverses the order, the third restores the order of the table. Compares
/// TableModel::SortRole; cells without it come last in both orders. Can also filter rows.
class SortedRows : public QSortFilterProxyModel
{
    Q_OBJECT
public:
    /// `order`: name of the table's own order, for example "the order of execution". If empty, the first
    /// click sorts in ascending order and the own order cannot be restored.
    SortedRows(TableModel& rows, QString order, QObject* parent);
    /// Enables sorting by clicks in `table`, which shows these rows.
    void sortBy(QTableView& table);
    /// Shows only rows for which `passes` is true. To be called again when its result may have changed.
    void setFilter(std::function<bool(std::size_t row)> passes);
    /// Keeps this number of rows (totals) at the end, in every order.
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
