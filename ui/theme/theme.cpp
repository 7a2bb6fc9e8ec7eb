// SPDX-License-Identifier: GPL-3.0-or-later
#include "theme/theme.h"

#include <QApplication>
#include <QFontDatabase>
#include <QFontMetrics>
#include <QGuiApplication>
#include <QPainter>
#include <QPainterPath>
#include <QProxyStyle>
#include <QStyleOption>
#include <QTabBar>
#include <QThread>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace tilewright::ui {

namespace {

QColor rgb(unsigned value)
{
    return QColor::fromRgb(QRgb(value | 0xff000000u));
}

template <std::size_t N> std::array<QColor, N> rgbs(const unsigned (&values)[N])
{
    std::array<QColor, N> out;
    for (std::size_t i = 0; i < N; ++i)
        out[i] = rgb(values[i]);
    return out;
}

Theme common()
{
    Theme t;
    t.categorical = rgbs({0xAADDFF, 0x009955, 0x8877FF, 0xAA66BB, 0x88AA22, 0xFF99AA, 0xCCEE55, 0xEECC88});
    t.diverging =
        rgbs({0x265FA3, 0x4C82BC, 0x6CA6D6, 0xB3CBE1, 0xF2F0ED, 0xF3C8A7, 0xEBA064, 0xD47944, 0xBC5224});
    t.sequential =
        rgbs({0xFDF8D3, 0xD5E0B5, 0xAEC997, 0x83AA98, 0x528C98, 0x3D7195, 0x1E5692, 0x1F3F74, 0x1D2958});
    t.memoryBound = rgb(0x4C82BC);
    t.computeBound = rgb(0xD47944);
    t.input = rgb(0xAADDFF);
    t.output = rgb(0xEECC88);
    t.accumulator = rgb(0xFF99AA);
    t.interior = rgb(0x88AA22);
    t.retained = rgb(0x8877FF);
    t.resident = rgb(0xAA66BB);
    t.computeTime = rgb(0xD47944);
    t.loadTime = rgb(0x4C82BC);
    t.storeTime = rgb(0x6CA6D6);
    return t;
}

Theme makeLight()
{
    Theme t = common();
    t.canvas = rgb(0xFFFFFF);
    t.panel = rgb(0xF4F5F7);
    t.raised = rgb(0xFFFFFF);
    t.text = rgb(0x1A1C1F);
    t.muted = rgb(0x5A6068);
    t.accent = rgb(0x0B5CAD);
    t.error = rgb(0xB3261E);
    t.warning = rgb(0x8A5A00);
    t.ok = rgb(0x1B6E3C);
    t.grid = rgb(0xE1E4E8);
    t.outline = rgb(0x7A828C);
    t.selection = rgb(0xDCEBFA);
    t.balanced = rgb(0x7B818A);
    return t;
}

Theme makeDark()
{
    Theme t = common();
    t.dark = true;
    t.canvas = rgb(0x1B1D21);
    t.panel = rgb(0x24262B);
    t.raised = rgb(0x2D3036);
    t.text = rgb(0xE6E8EB);
    t.muted = rgb(0xA0A7B0);
    t.accent = rgb(0x6CB4F5);
    t.error = rgb(0xFF8A80);
    t.warning = rgb(0xFFC66D);
    t.ok = rgb(0x7BD69A);
    t.grid = rgb(0x33373E);
    t.outline = rgb(0x7E8792);
    t.selection = rgb(0x1F3A55);
    t.balanced = rgb(0x9AA1AB);
    std::reverse(t.sequential.begin(), t.sequential.end());
    return t;
}

double luminance(const QColor& c)
{
    const auto channel = [](double v) {
        return v <= 0.03928 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4);
    };
    return 0.2126 * channel(c.redF()) + 0.7152 * channel(c.greenF()) + 0.0722 * channel(c.blueF());
}

QColor between(const std::array<QColor, 9>& ramp, double x)
{
    const double at = std::clamp(std::isfinite(x) ? x : 1.0, 0.0, 1.0) * 8;
    const auto low = std::min<std::size_t>(static_cast<std::size_t>(at), 7);
    return Theme::mix(ramp[low], ramp[low + 1], at - static_cast<double>(low));
}

} // namespace

const Theme& Theme::light()
{
    static const Theme theme = makeLight();
    return theme;
}

const Theme& Theme::darkTheme()
{
    static const Theme theme = makeDark();
    return theme;
}

QColor Theme::mix(const QColor& bottom, const QColor& top, double alpha)
{
    const auto channel = [alpha](double b, double t) { return static_cast<float>(b + (t - b) * alpha); };
    return QColor::fromRgbF(channel(bottom.redF(), top.redF()), channel(bottom.greenF(), top.greenF()),
                            channel(bottom.blueF(), top.blueF()));
}

QColor Theme::categoryBorder(std::size_t i) const
{
    return dark ? mix(category(i), Qt::white, 0.25) : mix(category(i), Qt::black, 0.55);
}

QColor Theme::ramp(double x) const
{
    return between(sequential, x);
}

QColor Theme::difference(double x) const
{
    return between(diverging, (x + 1) / 2);
}

QColor Theme::inkOn(const QColor& background) const
{
    const QColor paper(0xf6, 0xf7, 0xf8);
    return contrast(ink, background) >= contrast(paper, background) ? ink : paper;
}

QPalette Theme::palette() const
{
    QPalette p;
    const auto set = [&p](QPalette::ColorRole role, const QColor& c, const QColor& disabled) {
        p.setColor(QPalette::Active, role, c);
        p.setColor(QPalette::Inactive, role, c);
        p.setColor(QPalette::Disabled, role, disabled);
    };
    const QColor faint = mix(panel, text, 0.42);
    set(QPalette::Window, panel, panel);
    set(QPalette::WindowText, text, faint);
    set(QPalette::Base, canvas, panel);
    set(QPalette::AlternateBase, mix(canvas, text, 0.03), panel);
    set(QPalette::Text, text, faint);
    set(QPalette::Button, dark ? raised : panel, panel);
    set(QPalette::ButtonText, text, faint);
    set(QPalette::BrightText, error, faint);
    set(QPalette::Highlight, accent, mix(panel, accent, 0.3));
    set(QPalette::HighlightedText, dark ? canvas : QColor(Qt::white), text);
    set(QPalette::Link, accent, faint);
    set(QPalette::LinkVisited, accent, faint);
    set(QPalette::ToolTipBase, raised, raised);
    set(QPalette::ToolTipText, text, text);
    set(QPalette::PlaceholderText, muted, faint);
    // Fusion draws bevels in these colours.
    set(QPalette::Light, mix(panel, Qt::white, dark ? 0.10 : 0.7), panel);
    set(QPalette::Midlight, mix(panel, Qt::white, dark ? 0.06 : 0.4), panel);
    set(QPalette::Mid, mix(panel, Qt::black, dark ? 0.25 : 0.20), panel);
    set(QPalette::Dark, mix(panel, Qt::black, dark ? 0.45 : 0.35), panel);
    set(QPalette::Shadow, Qt::black, Qt::black);
    return p;
}

double contrast(const QColor& a, const QColor& b)
{
    const double la = luminance(a);
    const double lb = luminance(b);
    return (std::max(la, lb) + 0.05) / (std::min(la, lb) + 0.05);
}

namespace {

/// Cache of fonts by size and weight, cleared when the application's font changes. Creating a QFont is slow,
/// and painting a view needs hundreds. Only for the GUI thread.
struct KnownFonts
{
    QFont base;
    std::map<std::pair<double, int>, QFont> fonts;
};

KnownFonts& knownFonts()
{
    static KnownFonts known;
    static const bool once = [] {
        qAddPostRoutine([] { known = {}; }); // fonts must not outlive the application
        return true;
    }();
    Q_UNUSED(once)
    return known;
}

template <typename Make> QFont knownFont(double scale, int weight, Make make)
{
    const QFont base = QGuiApplication::font();
    if (QThread::currentThread() != qApp->thread())
        return make(base);
    KnownFonts& known = knownFonts();
    if (known.base != base)
        known = {base, {}};
    const auto [font, isNew] = known.fonts.try_emplace({scale, weight});
    if (isNew)
        font->second = make(base);
    return font->second;
}

} // namespace

QFont uiFont(double scale, int weight)
{
    return knownFont(scale, weight, [&](QFont font) {
        font.setPointSizeF(std::max(8.0, font.pointSizeF() * scale));
        font.setWeight(static_cast<QFont::Weight>(weight));
        return font;
    });
}

QFont numberFont(double scale)
{
    constexpr int kFixed = -1; // marks the fixed-width font in the cache key, in place of a weight
    return knownFont(scale, kFixed, [&](const QFont& base) {
        QFont font = QFontDatabase::systemFont(QFontDatabase::FixedFont);
        font.setPointSizeF(std::max(8.0, base.pointSizeF() * scale));
        return font;
    });
}

QColor haloColour(const Theme& theme)
{
    return Theme::mix(theme.text, theme.input, 0.25);
}

void fillHatch(QPainter& painter, const QRectF& rect, const Theme& theme)
{
    painter.fillRect(rect, Theme::mix(theme.canvas, theme.muted, 0.12));
    painter.save();
    painter.setClipRect(rect, Qt::IntersectClip);
    painter.setPen(QPen(Theme::mix(theme.canvas, theme.muted, 0.6), 1));
    constexpr double kPitch = 6;
    // The positions of the hatch lines do not depend on the rectangle, so that neighbouring cells look like
    // one area.
    const double from = std::floor((rect.left() + rect.top()) / kPitch) * kPitch;
    for (double d = from; d <= rect.right() + rect.bottom(); d += kPitch)
        painter.drawLine(QPointF(d - rect.top(), rect.top()), QPointF(d - rect.bottom(), rect.bottom()));
    painter.restore();
}

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

    /// Marks the selected tab by a line at its outer edge, because in dark colours its shade hardly differs
    /// from that of other tabs.
    void drawControl(ControlElement element, const QStyleOption* option, QPainter* painter,
                     const QWidget* widget) const override
    {
        QProxyStyle::drawControl(element, option, painter, widget);
        const auto* tab = qstyleoption_cast<const QStyleOptionTab*>(option);
        if (element != CE_TabBarTabShape || !tab || !(tab->state & State_Selected))
            return;
        constexpr int kLine = 3;
        const bool below = tab->shape == QTabBar::RoundedSouth;
        const QRect line(tab->rect.left() + 3, below ? tab->rect.bottom() - kLine : tab->rect.top() + 1,
                         tab->rect.width() - 6, kLine);
        painter->fillRect(line, tab->palette.color(QPalette::Highlight));
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
