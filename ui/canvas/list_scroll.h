// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QRectF>
#include <QScrollBar>

#include <cmath>

namespace tilewright::ui {

/// The scroll bar of a list that is painted inside a canvas; hidden while everything fits.
class ListScroll : public QScrollBar
{
public:
    ListScroll(const QString& name, QWidget* parent) : QScrollBar(Qt::Vertical, parent)
    {
        setAccessibleName(name);
        setSingleStep(24);
        hide();
    }
    /// `list`: the visible part, `content`: the height of all lines.
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
    /// Width that the bar takes from the list when the content does not fit.
    [[nodiscard]] double widthFor(const QRectF& list, double content) const
    {
        return content - list.height() > 1 ? sizeHint().width() + kFocusRing : 0;
    }
    /// The least movement that brings [top, bottom) of the content into sight.
    void reveal(double top, double bottom)
    {
        if (top < value())
            setValue(static_cast<int>(top));
        else if (bottom > value() + pageStep())
            setValue(static_cast<int>(std::ceil(bottom)) - pageStep());
    }

private:
    static constexpr int kFocusRing = 2; ///< of the canvas, which stays in sight around the bar
};

} // namespace tilewright::ui
