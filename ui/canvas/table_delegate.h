// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "canvas/view.h"

#include <QStyledItemDelegate>

namespace tilewright::ui {

/// Cells of a list. Bars, badges and the like come from a hook, which paints in the theme of the window or of
/// an export.
class TableDelegate : public QStyledItemDelegate
{
public:
    /// Paints the whole cell and returns true, or what lies under its text.
    using Paint =
        std::function<bool(QPainter&, const QStyleOptionViewItem&, const QModelIndex&, const Theme&)>;

    /// `room`: pixels around the texts, in all.
    TableDelegate(const ThemeSource& themes, Paint paint, QObject* parent, QSize room = {})
        : QStyledItemDelegate(parent), m_themes(themes), m_paint(std::move(paint)), m_room(room)
    {
    }
    void setTheme(const Theme* theme) { m_override = theme; } ///< for exports; null = the window's
    /// The option with text, icon and font of the cell, which a hook is not given: most paint without it.
    [[nodiscard]] QStyleOptionViewItem filled(QStyleOptionViewItem option, const QModelIndex& index) const
    {
        initStyleOption(&option, index);
        return option;
    }

    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override
    {
        if (!m_paint(*painter, option, index, theme()))
            QStyledItemDelegate::paint(painter, option, index);
    }
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override
    {
        return QStyledItemDelegate::sizeHint(option, index) + m_room;
    }

protected:
    [[nodiscard]] const Theme& theme() const { return m_override ? *m_override : m_themes.theme(); }

private:
    const ThemeSource& m_themes;
    Paint m_paint;
    QSize m_room;
    const Theme* m_override = nullptr;
};

} // namespace tilewright::ui
