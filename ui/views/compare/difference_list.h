// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "canvas/view.h"
#include "report/compare.h"

#include <QTreeWidget>

#include <set>

namespace tilewright::ui {

/// The differences of a comparison, one a row, with the exact share of each in the change of the total.
/// Sorted as they are applied one after another, or by any column.
class DifferenceList : public QTreeWidget
{
    Q_OBJECT
public:
    enum Column { Kind, SubgraphA, SubgraphB, InA, InB, Delta, Share, ColumnCount };

    explicit DifferenceList(const ThemeSource& themes, QWidget* parent = nullptr);
    void setComparison(const Comparison& comparison);
    /// Index into the contributions of the row; none without a row.
    [[nodiscard]] std::optional<std::size_t> indexOf(const QTreeWidgetItem* item) const;
    /// The row after (1) or before (-1) the current one, round the end; the first when there is none.
    void move(int by);
    /// Makes the first row that concerns one of the ops the current one; none when no row does.
    void showOps(const Comparison& comparison, const std::set<OpId>& ops);
};

[[nodiscard]] QString differenceKindText(DifferenceKind kind);

} // namespace tilewright::ui
