// SPDX-License-Identifier: GPL-3.0-or-later
#include "canvas/bound_mark.h"

#include <QPainter>
#include <QPolygonF>

namespace tilewright::ui {

void paintBoundMark(QPainter& painter, QPointF centre, double radius, Bound bound, const QColor& colour)
{
    QPolygonF shape;
    if (bound == Bound::Balanced)
        shape << QPointF(0, -1) << QPointF(1, 0) << QPointF(0, 1) << QPointF(-1, 0);
    else
        shape << QPointF(-1, 0.8) << QPointF(1, 0.8) << QPointF(0, -0.9);
    QTransform place;
    place.translate(centre.x(), centre.y());
    place.scale(radius, bound == Bound::Memory ? -radius : radius);
    painter.setPen(Qt::NoPen);
    painter.setBrush(colour);
    painter.drawPolygon(place.map(shape));
}

const QColor& boundColour(Bound bound, const Theme& theme)
{
    return bound == Bound::Compute  ? theme.computeBound
           : bound == Bound::Memory ? theme.memoryBound
                                    : theme.balanced;
}

} // namespace tilewright::ui
