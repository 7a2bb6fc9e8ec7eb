// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "canvas/view.h"
#include "panels/subgraphs/subgraph_model.h"

#include <array>
#include <vector>

class QFrame;
class QLabel;
class QMimeData;
class QTableView;

namespace tilewright::ui {

class SortedRows;
class SubgraphDelegate;

/// The schedule as a list: what runs in which order, at which granularity, at which cost.
class SubgraphsView : public View
{
    Q_OBJECT
public:
    explicit SubgraphsView(const ViewContext& context, QWidget* parent = nullptr);
    QSize exportSize() const override { return {900, 480}; }
    void paintExport(QPainter& painter, const QSize& size, const Theme& theme) override;
    QString copyText() const override;
    [[nodiscard]] QTableView* table() const { return m_table; }

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void layOutColumns();
    void fitColumns();
    [[nodiscard]] int widestName() const;
    void measure(int first, int last);
    void fromSelection();
    void toSelection();
    void refreshDragging(); ///< rows can only be moved while they stand in the order of execution
    void showMenu(const QPoint& position);
    void aimAt(const QMimeData* rows, QPointF at); ///< shows where the rows would go, and what that changes
    void aimNowhere();

    SubgraphModel* m_model;
    SortedRows* m_rows; ///< m_model in the order that is shown
    SubgraphDelegate* m_delegate;
    QTableView* m_table;
    QLabel* m_hint;
    QFrame* m_line;    ///< where rows that are dragged would go
    QLabel* m_verdict; ///< what that would change
    std::optional<SubgraphModel::Move> m_aim;
    /// Letters of the texts of each column; an edit changes few rows, and making all texts takes
    /// milliseconds.
    std::array<std::vector<qsizetype>, SubgraphModel::ColumnCount> m_letters;
    bool m_updating = false;
    bool m_layingOut = false;
    bool m_handSized = false; ///< the person has set a width: columns are left alone
};

} // namespace tilewright::ui
