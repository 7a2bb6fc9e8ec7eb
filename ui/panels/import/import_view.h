// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "canvas/sorted_rows.h"
#include "canvas/view.h"
#include "panels/import/operator_table.h"

class QComboBox;
class QLabel;
class QLineEdit;
class QSpinBox;
class QTabWidget;
class QTableView;

namespace tilewright::ui {

class CoverageBar;

/// How the open model was lowered: coverage, a table by operator type and one by operator. A selected row
/// selects its ops in every lens, and selected ops select their row.
class ImportView : public View
{
    Q_OBJECT
public:
    explicit ImportView(const ViewContext& context, QWidget* parent = nullptr);

    [[nodiscard]] QTableView* operators() const { return m_operators; }
    [[nodiscard]] QTableView* types() const { return m_types; }
    [[nodiscard]] QLineEdit* search() const { return m_search; }
    [[nodiscard]] QComboBox* filter() const { return m_filter; }
    QSize exportSize() const override;
    QString copyText() const override;

protected:
    void bringUpToDate() override { refresh(); }
    void resizeEvent(QResizeEvent* event) override;

private:
    void refresh();
    /// In a low pane the notes take one line with a tooltip, so that the table gets the space.
    void showNotes();
    void filterRows();
    void selectRow(int row); ///< a row of the operator table
    void showSelected();
    void showType(const QString& type);

    void fillForm();
    void takeForm();
    /// The operator of the model that row `row` shows.
    [[nodiscard]] std::optional<OperatorId> operatorOf(std::size_t row) const;

    lower::ModelOnMachinePtr m_shown;
    QWidget* m_form; ///< fields for the free dimensions
    std::vector<std::pair<std::string, QSpinBox*>> m_sizes;
    QLabel* m_refused;
    QLabel* m_summary;
    CoverageBar* m_coverage;
    QComboBox* m_filter;
    QLineEdit* m_search;
    QTabWidget* m_tabs;
    QTableView *m_operators, *m_types;
    TableModel *m_table, *m_typeTable;
    SortedRows* m_rows; ///< the visible rows of m_table
    std::vector<lower::NodeReport> m_nodes;
    QLabel* m_notes;
    QStringList m_noteTexts;
    bool m_following = false; ///< true while the row changes because the selection changed
};

} // namespace tilewright::ui
