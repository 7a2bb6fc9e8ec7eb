// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "canvas/view.h"
#include "views/compare/difference_table.h"

#include <QTreeWidget>

#include <set>

namespace tilewright::ui {

/// The differences of two schedules or models, one a row. In the order of the table, or by any column.
class DifferenceList : public QTreeWidget
{
    Q_OBJECT
public:
    /// Of two schedules.
    enum Column { Kind, SubgraphA, SubgraphB, InA, InB, Delta, Share, ColumnCount };

    explicit DifferenceList(const ThemeSource& themes, QWidget* parent = nullptr);
    void setTable(const DifferenceTable& table);
    /// Without the rows of what is the same in both.
    void setOnlyDifferences(bool only);
    /// Index into the rows of the table; none without an item.
    [[nodiscard]] std::optional<std::size_t> indexOf(const QTreeWidgetItem* item) const;
    /// To the row of a difference after (1) or before (-1) the current one, round the end; the first when
    /// there is none.
    void move(int by);
    /// Makes the first row that concerns one of the ops of A (0) or B (1) the current one; none when no row
    /// in sight does.
    void showOps(const DifferenceTable& table, std::size_t side, const std::set<OpId>& ops);

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    /// Names take what the figures leave; where that is too little to read them, the list is scrolled.
    void shareRoom();

    QList<int> m_stretched; ///< columns
    bool m_onlyDifferences = true;
};

} // namespace tilewright::ui
