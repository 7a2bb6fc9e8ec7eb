// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/inspector/wrap_button.h"

#include <QAbstractTextDocumentLayout>
#include <QEvent>
#include <QPainter>
#include <QStyleOptionButton>
#include <QStylePainter>

#include <cmath>

namespace tilewright::ui {

namespace {
constexpr int kMargin = 6;
constexpr int kIcon = 16;
} // namespace

WrapButton::WrapButton(const QIcon& icon, const QString& lead, const QString& text, QWidget* parent)
    : QPushButton(parent)
{
    m_document.setDefaultFont(font());
    m_document.setDocumentMargin(0);
    m_document.setHtml(lead.isEmpty() ? text.toHtmlEscaped()
                                      : QStringLiteral("<b>%1</b>&nbsp; %2").arg(lead, text.toHtmlEscaped()));
    setIcon(icon);
    setAccessibleName(lead.isEmpty() ? text : lead + QStringLiteral(": ") + text);
    QSizePolicy policy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
}

QRect WrapButton::textRect(int width, int height) const
{
    const int left = kMargin + (icon().isNull() ? 0 : kIcon + kMargin);
    return {left, kMargin, std::max(20, width - left - kMargin), std::max(0, height - 2 * kMargin)};
}

int WrapButton::heightForWidth(int width) const
{
    if (const auto known = m_heights.constFind(width); known != m_heights.cend())
        return *known;
    layOut(width);
    const int height = std::max(kIcon, static_cast<int>(std::ceil(m_document.size().height()))) + 2 * kMargin;
    m_heights.insert(width, height);
    return height;
}

void WrapButton::layOut(int width) const
{
    if (const int room = textRect(width, 0).width(); m_document.textWidth() != room)
        m_document.setTextWidth(room);
}

QSize WrapButton::sizeHint() const
{
    constexpr int kWidth = 240;
    return {kWidth, heightForWidth(kWidth)};
}

QSize WrapButton::minimumSizeHint() const
{
    return {60, kIcon + 2 * kMargin};
}

void WrapButton::resizeEvent(QResizeEvent*)
{
    // A form layout in a scroll area asks for the height at another width first and keeps that height.
    setMinimumHeight(heightForWidth(width()));
}

void WrapButton::changeEvent(QEvent* event)
{
    if (event->type() == QEvent::FontChange) {
        m_heights.clear();
        m_document.setDefaultFont(font());
    }
    QPushButton::changeEvent(event);
}

void WrapButton::paintEvent(QPaintEvent*)
{
    QStylePainter painter(this);
    QStyleOptionButton option;
    initStyleOption(&option);
    option.text.clear();
    option.icon = {};
    painter.drawControl(QStyle::CE_PushButton, option);
    if (!icon().isNull())
        painter.drawItemPixmap(QRect(kMargin, kMargin, kIcon, kIcon), Qt::AlignCenter,
                               icon().pixmap(QSize(kIcon, kIcon), devicePixelRatio(),
                                             isEnabled() ? QIcon::Normal : QIcon::Disabled));
    const QRect place = textRect(width(), height());
    layOut(width());
    QAbstractTextDocumentLayout::PaintContext context;
    context.palette.setColor(
        QPalette::Text,
        palette().color(isEnabled() ? QPalette::Active : QPalette::Disabled, QPalette::ButtonText));
    painter.translate(place.topLeft());
    m_document.documentLayout()->draw(&painter, context);
}

} // namespace tilewright::ui
