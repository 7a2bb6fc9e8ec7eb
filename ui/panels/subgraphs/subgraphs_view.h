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

/// The schedule as a list in execution order, with granularities and latencies.
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
    void refreshDragging(); ///< rows can be moved only while sorted by execution order
    void showMenu(const QPoint& position);
    void showDropTarget(const QMimeData* rows,
                        QPointF at); ///< shows where dragged rows would go, and the effect of the drop
    void clearDropTarget();

    SubgraphModel* m_model;
    SortedRows* m_rows; ///< the rows of m_model in sorted order
    SubgraphDelegate* m_delegate;
    QTableView* m_table;
    QLabel* m_hint;
    QFrame* m_line;    ///< line at the drop position of dragged rows
    QLabel* m_verdict; ///< text on the effect of a drop
    std::optional<SubgraphModel::Move> m_dropTarget;
    /// Length of the text of each row, by column. Cached, because an edit changes few rows and formatting all
    /// texts takes milliseconds.
    std::array<std::vector<qsizetype>, SubgraphModel::ColumnCount> m_letters;
    bool m_updating = false;
    bool m_layingOut = false;
    bool m_handSized = false; ///< true after the user has set the width of a column: all widths are kept then
};

} // namespace tilewright::ui
