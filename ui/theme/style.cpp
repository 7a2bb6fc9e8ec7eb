// SPDX-License-Identifier: GPL-3.0-or-later
#include "theme/style.h"

#include "theme/theme.h"

#include <QApplication>
#include <QFontMetrics>
#include <QPainter>
#include <QPainterPath>
#include <QProxyStyle>
#include <QStyleOption>

#include <algorithm>

namespace tilewright::ui {

namespace {

class Style : public QProxyStyle
{
public:
    explicit Style(bool reduceMotion) : QProxyStyle(QStringLiteral("Fusion")), m_reduceMotion(reduceMotion) {}

    int styleHint(StyleHint hint, const QStyleOption* option, const QWidget* widget,
                  QStyleHintReturn* data) const override
    {
        if (hint == SH_Widget_Animation_Duration && m_reduceMotion)
            return 0;
        return QProxyStyle::styleHint(hint, option, widget, data);
    }

    /// Scales icons, check marks and handles with the font.
    int pixelMetric(PixelMetric metric, const QStyleOption* option, const QWidget* widget) const override
    {
        const int usual = QProxyStyle::pixelMetric(metric, option, widget);
        switch (metric) {
        case PM_SmallIconSize:
        case PM_ButtonIconSize:
        case PM_TabBarIconSize:
        case PM_ListViewIconSize:
        case PM_IndicatorWidth:
        case PM_IndicatorHeight:
        case PM_ExclusiveIndicatorWidth:
        case PM_ExclusiveIndicatorHeight:
            return std::max(usual, QFontMetrics(QApplication::font()).height() * 4 / 5);
        case PM_ToolBarIconSize:
            return toolIconSize();
        default:
            return usual;
        }
    }

    /// Draws the titles of docks in the application's font; Fusion uses a fixed size.
    void drawControl(ControlElement element, const QStyleOption* option, QPainter* painter,
                     const QWidget* widget) const override
    {
        const auto* dock = qstyleoption_cast<const QStyleOptionDockWidget*>(option);
        if (element != CE_DockWidgetTitle || !dock || dock->verticalTitleBar) {
            QProxyStyle::drawControl(element, option, painter, widget);
            return;
        }
        QStyleOptionDockWidget bare = *dock;
        bare.title.clear();
        QProxyStyle::drawControl(element, &bare, painter, widget);
        const QRect place = subElementRect(SE_DockWidgetTitleBarText, option, widget);
        painter->save();
        painter->setFont(QApplication::font());
        drawItemText(painter, place, Qt::AlignLeft | Qt::AlignVCenter | Qt::TextShowMnemonic, dock->palette,
                     dock->state.testFlag(State_Enabled),
                     painter->fontMetrics().elidedText(dock->title, Qt::ElideRight, place.width()),
                     QPalette::WindowText);
        painter->restore();
    }

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

    /// Draws plain scroll bars: they are repainted after nearly every edit, and the gradients of Fusion are
    /// slow.
    void drawComplexControl(ComplexControl control, const QStyleOptionComplex* option, QPainter* painter,
                            const QWidget* widget) const override
    {
        const auto* bar = qstyleoption_cast<const QStyleOptionSlider*>(option);
        if (control == CC_ScrollBar && bar)
            drawScrollBar(*bar, painter, widget);
        else
            QProxyStyle::drawComplexControl(control, option, painter, widget);
    }

private:
    void drawScrollBar(const QStyleOptionSlider& bar, QPainter* painter, const QWidget* widget) const
    {
        const QColor ground = bar.palette.color(QPalette::Window);
        const QColor text = bar.palette.color(QPalette::Active, QPalette::WindowText);
        const bool moves = bar.minimum < bar.maximum && bar.state & State_Enabled;
        painter->save();
        painter->fillRect(bar.rect, ground);
        painter->setRenderHint(QPainter::Antialiasing);
        painter->setPen(Qt::NoPen);
        const bool upright = bar.orientation == Qt::Vertical;
        const auto place = [&](SubControl part) {
            return QRectF(proxy()->subControlRect(CC_ScrollBar, &bar, part, widget));
        };
        const auto ink = [&](SubControl part, double usual) {
            const bool active = bar.activeSubControls & part;
            return Theme::mix(ground, text,
                              !moves                     ? 0.25
                              : !active                  ? usual
                              : bar.state & State_Sunken ? 0.8
                                                         : 0.65);
        };
        for (const SubControl part : {SC_ScrollBarSubLine, SC_ScrollBarAddLine}) {
            const QRectF box = place(part);
            const double size = std::min(box.width(), box.height()) * 0.22;
            const double way = part == SC_ScrollBarAddLine ? size : -size;
            const QPointF c = box.center();
            const QPointF along = upright ? QPointF(0, way * 0.6) : QPointF(way * 0.6, 0);
            const QPointF across = upright ? QPointF(size, 0) : QPointF(0, size);
            const QPointF arrow[] = {c + along, c - along + across, c - along - across};
            painter->setBrush(ink(part, 0.6));
            painter->drawPolygon(arrow, 3);
        }
        if (moves) {
            const QRectF handle =
                place(SC_ScrollBarSlider)
                    .adjusted(upright ? 3 : 1, upright ? 1 : 3, upright ? -3 : -1, upright ? -1 : -3);
            const double radius = std::min(handle.width(), handle.height()) / 2;
            painter->setBrush(ink(SC_ScrollBarSlider, 0.5));
            painter->drawRoundedRect(handle, radius, radius);
        }
        painter->restore();
    }

    bool m_reduceMotion;
};

} // namespace

int toolIconSize()
{
    return std::max(20, QFontMetrics(QApplication::font()).height());
}

QStyle* makeStyle(bool reduceMotion)
{
    return new Style(reduceMotion);
}

} // namespace tilewright::ui
