// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "canvas/view.h"
#include "workspace/subgraph_model.h"

#include <QStyledItemDelegate>

namespace tilewright::ui {

/// Paints number badges, time bars and working-set bars of the subgraph rows.
class SubgraphDelegate : public QStyledItemDelegate
{
    Q_OBJECT
public:
    SubgraphDelegate(const SubgraphModel& model, const ThemeSource& themes, QObject* parent = nullptr);
    void setTheme(const Theme* theme) { m_override = theme; } ///< for exports; null = the window's

    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override;
    /// What is written of the ops of a row, and where they belong, in that much room.
    [[nodiscard]] OpNames opsIn(std::size_t row, const QFont& font, double width) const;
    /// What the first of them takes, where it belongs before it and a sign for the others behind it.
    [[nodiscard]] double nameWidth(std::size_t row, const QFont& font) const;
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;

private:
    [[nodiscard]] const Theme& theme() const { return m_override ? *m_override : m_themes.theme(); }
    void paintNumber(QPainter& painter, const QRectF& cell, std::size_t row) const;
    void paintOps(QPainter& painter, const QRectF& cell, const QFont& font, std::size_t row) const;
    void paintTime(QPainter& painter, const QRectF& whole, const SubgraphEvaluation& e) const;
    void paintMemory(QPainter& painter, const QRectF& cell, const SubgraphEvaluation& e) const;

    const SubgraphModel& m_model;
    const ThemeSource& m_themes;
    const Theme* m_override = nullptr;
};

} // namespace tilewright::ui
