// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QRectF>
#include <QString>

#include <vector>

class QPainter;

namespace tilewright::ui {

struct Theme;

/// One linear axis of a painted chart: values [v0, v1] on pixels [p0, p1] (p1 may be smaller: y axes).
struct Axis
{
    double v0 = 0, v1 = 1;
    double p0 = 0, p1 = 1;

    [[nodiscard]] double toPixel(double v) const { return p0 + (v - v0) / (v1 - v0) * (p1 - p0); }
    [[nodiscard]] double toValue(double p) const { return v0 + (p - p0) / (p1 - p0) * (v1 - v0); }
    /// Round values (1, 2, 5 times a power of ten) about `pixelsApart` pixels from one another.
    [[nodiscard]] std::vector<double> ticks(double pixelsApart = 80) const;
    /// Zoomed about a pixel, kept inside [low, high].
    [[nodiscard]] Axis zoomed(double factor, double pixel, double low, double high) const;
    [[nodiscard]] Axis panned(double pixels, double low, double high) const;
    bool operator==(const Axis&) const = default;
};

/// Grid lines and labels (short numbers) below / left of `plot`, plus the axis titles.
void paintXAxis(QPainter& painter, const Axis& axis, const QRectF& plot, const QString& title,
                const Theme& theme);
void paintYAxis(QPainter& painter, const Axis& axis, const QRectF& plot, const QString& title,
                const Theme& theme);

} // namespace tilewright::ui
