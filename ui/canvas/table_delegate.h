// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "canvas/view.h"

#include <QStyledItemDelegate>

namespace tilewright::ui {

/// Delegate that paints cells of a list. A hook paints bars, badges and so on in the theme of the window or
/// of an export.
class TableDelegate : public QStyledItemDelegate
{
public:
    /// Hook: paints the whole cell and returns true, or paints the background and returns false.
    using Paint =
        std::function<bool(QPainter&, const QStyleOptionViewItem&, const QModelIndex&, const Theme&)>;

    /// `room`: total padding of the texts in pixels.
    TableDelegate(const ThemeSource& themes, Paint paint, QObject* parent, QSize room = QSize(0, 0))
        : QStyledItemDelegate(parent), m_themes(themes), m_paint(std::move(paint)), m_room(room)
    {
    }
    void setTheme(const Theme* theme)
    {
        m_override = theme;
    } ///< theme of an export; null = theme of the window
    /// Adds text, icon and font of the cell to `option`. Hooks get it without these, because most do not need
    /// them.
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
