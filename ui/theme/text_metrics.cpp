// SPDX-License-Identifier: GPL-3.0-or-later
#include "theme/text_metrics.h"

#include <QFont>
#include <QPainter>

#include <unordered_map>

namespace tilewright::ui {

namespace {

struct FontHash
{
    std::size_t operator()(const QFont& font) const { return qHash(font); }
};

QHash<QString, double>& widthsOf(const QFont& font)
{
    thread_local std::unordered_map<QFont, QHash<QString, double>, FontHash> known;
    return known[font];
}

} // namespace

TextMetrics::TextMetrics(const QFont& font) : QFontMetricsF(font), m_widths(widthsOf(font)) {}

double TextMetrics::horizontalAdvance(const QString& text) const
{
    constexpr qsizetype kMost = 5000; // limit of cached widths per font
    if (const auto it = m_widths.constFind(text); it != m_widths.cend())
        return *it;
    if (m_widths.size() >= kMost)
        m_widths.clear();
    return *m_widths.insert(text, QFontMetricsF::horizontalAdvance(text));
}

double writeLine(QPainter& painter, QPointF corner, double width, const QString& text, const QFont& font,
                 const QColor& ink, Qt::TextElideMode elide)
{
    const TextMetrics fm(font);
    painter.setFont(font);
    painter.setPen(ink);
    painter.drawText(corner + QPointF(0, fm.ascent()),
                     fm.horizontalAdvance(text) <= width ? text : fm.elidedText(text, elide, width));
    return fm.height();
}

void writeAcross(QPainter& painter, const QRectF& box, const QString& text, const QFont& font,
                 const QColor& ink)
{
    const TextMetrics fm(font);
    painter.setFont(font);
    painter.setPen(ink);
    painter.drawText(
        box, Qt::AlignLeft | Qt::AlignVCenter,
        fm.horizontalAdvance(text) <= box.width() ? text : fm.elidedText(text, Qt::ElideRight, box.width()));
}

} // namespace tilewright::ui
