// SPDX-License-Identifier: GPL-3.0-or-later
// Widths of texts, and names shortened to fit.
#pragma once

#include <QFontMetricsF>
#include <QHash>
#include <QString>

#include <functional>
#include <span>
#include <string>

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

/// Returns the leading parts that all names have in common, with the separator: "layer0." for layer0.up and
/// layer0.down. The last part of a name is never included. Empty for fewer than two names.
[[nodiscard]] std::string commonNamePrefix(std::span<const std::string> names);

/// `name` without `prefix`; unchanged if it does not begin with it or nothing would be left.
[[nodiscard]] QString withoutPrefix(const std::string& name, const std::string& prefix);

/// Shortens a name to a width in pixels. First, leading parts are reduced one by one to a letter and their
/// digits (layer0.head1.query: l0.head1.query, l0.h1.query); then leading parts are dropped (…query); finally
/// the name is elided in the middle.
[[nodiscard]] QString fittingName(const QString& name, const QFontMetricsF& metrics, double width);
[[nodiscard]] QString fittingName(const QString& name, const TextMetrics& metrics, double width);

/// Shortens a name until `fits` returns true.
[[nodiscard]] QString fittingName(const QString& name, const std::function<bool(const QString&)>& fits);

} // namespace tilewright::ui
