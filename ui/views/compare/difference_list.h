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
    /// Hides the rows that are the same in both.
    void setOnlyDifferences(bool only);
    /// Index into the rows of the table.
    [[nodiscard]] std::optional<std::size_t> indexOf(const QModelIndex& index) const;
    /// All rows in their order on the screen, hidden ones included.
    [[nodiscard]] QString asText() const { return rowsAsText(*m_rows, true); }
    /// Moves to the next (1) or previous (-1) difference, cyclically; to the first if there is no current
    /// row.
    void move(int by);
    /// Makes the first visible row with one of the ops of A (0) or B (1) the current row; none if no visible
    /// row has one.
    void showOps(std::size_t side, const std::set<OpId>& ops);

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    [[nodiscard]] const DifferenceRow& aboutRow(int row) const; ///< `row`: in the order on the screen
    /// Names get the width that numbers leave; if that is too narrow to read, the list scrolls.
    void fitColumns();

    TableModel* m_cells;
    SortedRows* m_rows; ///< the visible rows of m_cells
    TableDelegate* m_bars = nullptr;
    std::vector<DifferenceRow> m_about;
    QList<int> m_stretched; ///< columns that take the remaining width
    int m_barColumn = 0;
    bool m_onlyDifferences = true;
};

} // namespace tilewright::ui
