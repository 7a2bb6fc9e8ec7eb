// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "canvas/table_model.h"
#include "canvas/view.h"

class QLabel;
class QLineEdit;
class QTableView;

namespace tilewright::ui {

/// The ops of the workload as a list with a search field; the selected op is shown in large letters. The list
/// switches the layer in the lenses that show a single layer.
class LayersView : public View
{
    Q_OBJECT
public:
    explicit LayersView(const ViewContext& context, QWidget* parent = nullptr);
    QSize exportSize() const override { return {480, 640}; }
    QString copyText() const override;
    [[nodiscard]] QTableView* table() const { return m_table; }
    [[nodiscard]] QLineEdit* search() const { return m_search; }
    [[nodiscard]] QString selectedName() const; ///< name of the selected op as shown in large letters

protected:
    void bringUpToDate() override { refresh(); }
    void resizeEvent(QResizeEvent* event) override;

private:
    void refresh();
    void refreshTitle();
    void fitColumns();
    void fromSelection();
    void toSelection();
    [[nodiscard]] std::optional<OpId> selectedOp() const;

    QLabel* m_name;
    QLabel* m_facts;
    QLineEdit* m_search;
    TableModel* m_model;
    SortedRows* m_rows;
    QTableView* m_table;
    bool m_updating = false;
};

} // namespace tilewright::ui
