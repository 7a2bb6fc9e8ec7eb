// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QRectF>
#include <QScrollBar>

#include <cmath>

namespace tilewright::ui {

/// Scroll bar of a list that is painted in a canvas; hidden while everything fits.
class ListScroll : public QScrollBar
{
public:
    ListScroll(const QString& name, QWidget* parent) : QScrollBar(Qt::Vertical, parent)
    {
        setAccessibleName(name);
        setSingleStep(24);
        hide();
    }
    /// Places the bar. `list`: visible area of the list; `content`: height of all lines.
    void place(const QRectF& list, double content)
    {
        const double hidden = list.isEmpty() ? 0 : content - list.height();
        setRange(0, hidden > 1 ? static_cast<int>(std::ceil(hidden)) : 0);
        setPageStep(std::max(1, static_cast<int>(list.height())));
        const int w = sizeHint().width();
        setGeometry(static_cast<int>(std::floor(list.right())) - w - kFocusRing,
                    static_cast<int>(std::ceil(list.top())), w, static_cast<int>(list.height()) - kFocusRing);
        setVisible(hidden > 1);
    }
    /// Width of the bar if the content does not fit; otherwise 0.
    [[nodiscard]] double widthFor(const QRectF& list, double content) const
    {
        return content - list.height() > 1 ? sizeHint().width() + kFocusRing : 0;
    }
    /// Scrolls as little as possible to make [top, bottom) of the content visible.
    void reveal(double top, double bottom)
    {
        if (top < value())
            setValue(static_cast<int>(top));
        else if (bottom > value() + pageStep())
            setValue(static_cast<int>(std::ceil(bottom)) - pageStep());
    }

private:
    static constexpr int kFocusRing =
        2; ///< width of the focus ring of the canvas, which the bar must not cover
};

} // namespace tilewright::ui
