// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "canvas/table_model.h"
#include "canvas/view.h"
#include "views/compare/compare_data.h"

#include <QTreeView>

#include <set>

namespace tilewright::ui {

class TableDelegate;

/// The differences of two schedules or models, one per row, in the order of the table or sorted by a column.
class DifferenceList : public QTreeView
{
    Q_OBJECT
public:
    /// Columns for two schedules.
    enum Column { Kind, SubgraphA, SubgraphB, InA, InB, Delta, Share };

    explicit DifferenceList(const ThemeSource& themes, QWidget* parent = nullptr);
    void setTable(const DifferenceTable& table);
    /// Shows or hides the rows that are equal on both sides.
    void setOnlyDifferences(bool only);
    /// Index into the rows of the table.
    [[nodiscard]] std::optional<std::size_t> indexOf(const QModelIndex& index) const;
    /// All rows, including hidden ones, in the order on the screen as text.
    [[nodiscard]] QString asText() const { return rowsAsText(*m_rows, true); }
    /// Moves to the next (1) or previous (-1) difference, cyclically; to the first if there is no current
    /// row.
    void move(int by);
    /// Makes the first visible row that has one of these ops of A (side 0) or B (side 1) the current row. If
    /// there is none, no row is current.
    void showOps(std::size_t side, const std::set<OpId>& ops);

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    [[nodiscard]] const DifferenceRow& aboutRow(int row) const; ///< `row`: number of the row on the screen
    /// Columns of names get the width that columns of numbers leave. If it is too narrow to read, the list
    /// scrolls.
    void fitColumns();

    TableModel* m_cells;
    SortedRows* m_rows; ///< the rows of m_cells in the shown order, without hidden ones
    TableDelegate* m_bars = nullptr;
    std::vector<DifferenceRow> m_about;
    QList<int> m_stretched; ///< columns that take the remaining width
    int m_barColumn = 0;
    bool m_onlyDifferences = true;
};

} // namespace tilewright::ui
