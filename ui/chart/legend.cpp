// SPDX-License-Identifier: GPL-3.0-or-later
#include "chart/legend.h"

#include "theme/theme.h"

#include "theme/text_metrics.h"
#include <QPainter>

#include <cmath>

namespace tilewright::ui {

namespace {

struct Sizes
{
    TextMetrics fm{uiFont(0.9)};
    double side = std::round(fm.ascent() + 1);

    [[nodiscard]] double symbol(const LegendItem& item) const { return item.dashed ? 1.7 * side : side; }
    [[nodiscard]] double gap() const { return std::round(0.4 * side); }
    [[nodiscard]] double width(const LegendItem& item) const
    {
        return symbol(item) + gap() + fm.horizontalAdvance(item.text);
    }
};

} // namespace

double legendWidth(const std::vector<LegendItem>& items)
{
    const Sizes sizes;
    double width = 0;
    for (const LegendItem& item : items)
        width += sizes.width(item) + sizes.side;
    return width;
}

void paintLegend(QPainter& painter, const std::vector<LegendItem>& items, QPointF start, double right,
                 const Theme& theme)
{
    const Sizes sizes;
    painter.setFont(uiFont(0.9));
    double x = start.x();
    for (const LegendItem& item : items) {
        if (x + sizes.width(item) > right)
            return;
        const QRectF box(x, start.y() - sizes.side + 2, sizes.symbol(item), sizes.side);
        if (item.dashed) {
            painter.setPen(QPen(item.colour, 1.4, Qt::DashLine));
            painter.drawLine(QPointF(box.left(), box.center().y()), QPointF(box.right(), box.center().y()));
        } else {
            painter.fillRect(box, item.colour);
            if (item.pattern != Qt::NoBrush)
                painter.fillRect(box, QBrush(Theme::mix(item.colour, theme.text, 0.3), item.pattern));
            painter.setPen(QPen(theme.outline, 1));
            painter.setBrush(Qt::NoBrush);
            painter.drawRect(box);
        }
        painter.setPen(theme.muted);
        painter.drawText(QPointF(box.right() + sizes.gap(), start.y()), item.text);
        x += sizes.width(item) + sizes.side;
    }
}

} // namespace tilewright::ui
