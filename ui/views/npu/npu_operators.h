// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "canvas/table_model.h"
#include "workspace/npu_document.h"

#include <QTableView>

namespace tilewright::ui {

/// Table of the run's figures with one row per operator (docs/rules/npu.md 6.2). Selecting a row selects the
/// first node of the operator; selecting a node selects the row of its operator.
class NpuOperators : public QTableView
{
    Q_OBJECT
public:
    NpuOperators(NpuDocument& state, QWidget* parent);

protected:
    void showEvent(QShowEvent* event) override;

private:
    void refresh(); ///< fills the table if it is visible
    void followNode();
    void selectRow(const QModelIndex& now);

    NpuDocument& m_state;
    TableModel* m_model = nullptr;
    SortedRows* m_rows = nullptr; ///< the rows of m_model in sorted order
    NpuResultPtr m_shown;
    bool m_following = false;
};

/// Returns the table of the operators, in the order of the model.
[[nodiscard]] Table operatorTable(const NpuResult& result);

} // namespace tilewright::ui
