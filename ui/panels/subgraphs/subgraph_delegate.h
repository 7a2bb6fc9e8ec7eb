// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "canvas/table_delegate.h"
#include "panels/subgraphs/subgraph_model.h"

namespace tilewright::ui {

/// Paints number badges, time bars and working-set bars of the subgraph rows.
class SubgraphDelegate : public TableDelegate
{
    Q_OBJECT
public:
    SubgraphDelegate(const SubgraphModel& model, const ThemeSource& themes, QObject* parent = nullptr);

    /// The names of the ops of a row and their common block, cut to the available width.
    [[nodiscard]] OpNames opsIn(std::size_t row, const QFont& font, double width) const;
    /// Width of the first name with its block in front and an ellipsis for further names.
    [[nodiscard]] double nameWidth(std::size_t row, const QFont& font) const;
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;

private:
    bool paintCell(QPainter& painter, const QStyleOptionViewItem& option, const QModelIndex& index) const;
    void paintNumber(QPainter& painter, const QRectF& cell, std::size_t row) const;
    void paintOps(QPainter& painter, const QRectF& cell, const QFont& font, std::size_t row) const;
    void paintTime(QPainter& painter, const QRectF& whole, const SubgraphEvaluation& e) const;
    void paintMemory(QPainter& painter, const QRectF& cell, const SubgraphEvaluation& e) const;

    const SubgraphModel& m_model;
};

} // namespace tilewright::ui
