// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QColor>
#include <QImage>
#include <QPixmap>
#include <QRect>
#include <QSet>
#include <QWidget>

#include <algorithm>
#include <cstdlib>

/// What a picture shows: a test that only asks whether there is a picture passes on an empty one.
namespace picture {

/// What `widget` shows, or the part of it in `area`.
inline QImage of(QWidget& widget, const QRect& area = QRect(QPoint(0, 0), QSize(-1, -1)))
{
    return widget.grab(area).toImage().convertToFormat(QImage::Format_RGB32);
}

/// How many colours there are. An area without marks has one, text and curves have many by their smooth
/// edges.
inline qsizetype colours(const QImage& image)
{
    QSet<QRgb> seen;
    for (int y = 0; y < image.height(); ++y)
        for (int x = 0; x < image.width(); ++x)
            seen.insert(image.pixel(x, y));
    return seen.size();
}

/// How many pixels have this colour, give or take.
inline int pixels(const QImage& image, const QColor& colour, int tolerance = 12)
{
    int count = 0;
    for (int y = 0; y < image.height(); ++y)
        for (int x = 0; x < image.width(); ++x) {
            const QRgb p = image.pixel(x, y);
            count += std::max({std::abs(qRed(p) - colour.red()), std::abs(qGreen(p) - colour.green()),
                               std::abs(qBlue(p) - colour.blue())}) <= tolerance;
        }
    return count;
}

} // namespace picture
