// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "panels/subgraphs/subgraphs_view.h"
#include "window_fixture.h"

#include <QTableView>

namespace tilewright::ui {

/// Clicks a row of Subgraphs, as a person selects one.
inline void clickRow(const MainWindow& window, int row, Qt::KeyboardModifiers modifiers = {})
{
    QTableView* table = viewOf<SubgraphsView>(window, "subgraphs")->table();
    QTest::mouseClick(table->viewport(), Qt::LeftButton, modifiers,
                      table->visualRect(table->model()->index(row, 1)).center());
}

} // namespace tilewright::ui
