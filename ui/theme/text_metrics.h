// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFontMetricsF>
#include <QHash>
#include <QString>

class QPainter;

namespace tilewright::ui {

/// Metrics of a font that remember widths: shaping a text takes microseconds, and after an edit a picture
/// asks for nearly the same widths again.
class TextMetrics : public QFontMetricsF
{
public:
    explicit TextMetrics(const QFont& font);

    [[nodiscard]] double horizontalAdvance(const QString& text) const;
    [[nodiscard]] double horizontalAdvance(QChar letter) const
    {
        return QFontMetricsF::horizontalAdvance(letter);
    }

private:
    QHash<QString, double>& m_widths; ///< of this font and thread
};

/// One line from its upper left corner on, cut with an ellipsis where it is wider; returns its height.
double writeLine(QPainter& painter, QPointF corner, double width, const QString& text, const QFont& font,
                 const QColor& ink, Qt::TextElideMode elide = Qt::ElideRight);
/// The same in the middle of a box's height.
void writeAcross(QPainter& painter, const QRectF& box, const QString& text, const QFont& font,
                 const QColor& ink);

} // namespace tilewright::ui
