// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFontMetricsF>
#include <QHash>
#include <QString>

class QPainter;

namespace tilewright::ui {

/// Font metrics that cache text widths: measuring a text takes microseconds, and a repaint after an edit
/// needs nearly the same widths again.
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
    QHash<QString, double>& m_widths; ///< cache for this font and thread
};

/// Draws one line at its upper left corner, elided to `width`. Returns the height of the line.
double writeLine(QPainter& painter, QPointF corner, double width, const QString& text, const QFont& font,
                 const QColor& ink, Qt::TextElideMode elide = Qt::ElideRight);
/// Draws one line into a box, vertically centred and elided to its width.
void writeAcross(QPainter& painter, const QRectF& box, const QString& text, const QFont& font,
                 const QColor& ink);

} // namespace tilewright::ui
