// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFontMetricsF>
#include <QHash>
#include <QString>

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

} // namespace tilewright::ui
