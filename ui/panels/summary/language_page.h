// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "canvas/table_model.h"
#include "panels/summary/explanation_model.h"
#include "verbs/summary.h"

#include <QSplitter>

#include <span>

class QTableView;
class QTreeView;

namespace tilewright::ui {

/// The key figures of a language model, beside an explanation of the selected figure.
class LanguagePage : public QSplitter
{
    Q_OBJECT
public:
    explicit LanguagePage(QWidget* parent = nullptr);

    /// Shows the key figures of one model, or of two models that are compared; nothing if the first one has
    /// none.
    void show(std::span<const verbs::Summary> summaries);

private:
    void explain();

    std::vector<std::optional<ExplainedValue>> m_values; ///< explained value of each row of the table
    TableModel* m_rows;
    QTableView* m_table;
    ExplanationModel* m_explained;
    QTreeView* m_tree;
};

} // namespace tilewright::ui
