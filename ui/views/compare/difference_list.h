// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "canvas/sorted_rows.h"
#include "canvas/view.h"
#include "views/compare/difference_table.h"

#include <QTreeView>

#include <set>

namespace tilewright::ui {

class TableDelegate;

/// The differences of two schedules or models, one a row. In the order of the table, or by any column.
class DifferenceList : public QTreeView
{
    Q_OBJECT
public:
    /// Of two schedules.
    enum Column { Kind, SubgraphA, SubgraphB, InA, InB, Delta, Share };

    explicit DifferenceList(const ThemeSource& themes, QWidget* parent = nullptr);
    void setTable(const DifferenceTable& table);
    /// Without the rows of what is the same in both.
    void setOnlyDifferences(bool only);
    /// Index into the rows of the table.
    [[nodiscard]] std::optional<std::size_t> indexOf(const QModelIndex& index) const;
    /// The rows in their order on the screen, those that are hidden too.
    [[nodiscard]] QString asText() const { return rowsAsText(*m_rows, true); }
    /// To the row of a difference after (1) or before (-1) the current one, round the end; the first when
    /// there is none.
    void move(int by);
    /// Makes the first row that concerns one of the ops of A (0) or B (1) the current one; none when no row
    /// in sight does.
    void showOps(std::size_t side, const std::set<OpId>& ops);

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    [[nodiscard]] const DifferenceRow& aboutRow(int row) const; ///< of the order on the screen
    /// Names take what the figures leave; where that is too little to read them, the list is scrolled.
    void shareRoom();

    TableModel* m_cells;
    SortedRows* m_rows; ///< of m_cells, in sight
    TableDelegate* m_bars = nullptr;
    std::vector<DifferenceRow> m_about;
    QList<int> m_stretched; ///< columns
    int m_barColumn = 0;
    bool m_onlyDifferences = true;
};

} // namespace tilewright::ui
