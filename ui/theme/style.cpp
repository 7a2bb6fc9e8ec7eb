// SPDX-License-Identifier: GPL-3.0-or-later
#include "theme/style.h"

#include "theme/theme.h"

#include <QPainter>
#include <QPainterPath>
#include <QProxyStyle>
#include <QStyleOption>

namespace tilewright::ui {

namespace {

class Style : public QProxyStyle
{
public:
    Style() : QProxyStyle(QStringLiteral("Fusion")) {}

    void drawPrimitive(PrimitiveElement element, const QStyleOption* option, QPainter* painter,
                       const QWidget* widget) const override
    {
        if (element != PE_IndicatorCheckBox && element != PE_IndicatorItemViewItemCheck) {
            QProxyStyle::drawPrimitive(element, option, painter, widget);
            return;
        }
        const QPalette::ColorGroup group =
            option->state & State_Enabled ? QPalette::Active : QPalette::Disabled;
        const QColor text = option->palette.color(group, QPalette::WindowText);
        const QColor base = option->palette.color(QPalette::Active, QPalette::Base);
        const bool focused = option->state & State_HasFocus;
        painter->save();
        painter->setRenderHint(QPainter::Antialiasing);
        const QRectF box = QRectF(option->rect).adjusted(1.5, 1.5, -1.5, -1.5);
        painter->setPen(
            QPen(focused ? option->palette.color(QPalette::Highlight) : Theme::mix(base, text, 0.6),
                 focused ? 1.6 : 1.1));
        painter->setBrush(base);
        painter->drawRoundedRect(box, 2.5, 2.5);
        painter->setPen(QPen(text, 1.8, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
        painter->setBrush(Qt::NoBrush);
        if (option->state & State_On) {
            QPainterPath tick(QPointF(box.left() + box.width() * 0.22, box.top() + box.height() * 0.55));
            tick.lineTo(box.left() + box.width() * 0.43, box.top() + box.height() * 0.76);
            tick.lineTo(box.left() + box.width() * 0.80, box.top() + box.height() * 0.27);
            painter->drawPath(tick);
        } else if (option->state & State_NoChange) {
            painter->drawLine(QPointF(box.left() + 3, box.center().y()),
                              QPointF(box.right() - 3, box.center().y()));
        }
        painter->restore();
    }
};

} // namespace

QStyle* makeStyle()
{
    return new Style;
}

} // namespace tilewright::ui
