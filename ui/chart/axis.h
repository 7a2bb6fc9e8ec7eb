// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QRectF>
#include <QString>

#include <cmath>
#include <vector>

class QPainter;

namespace tilewright::ui {

struct Theme;

/// Smallest round step (1, 2 or 5 times a power of ten) that is at least `least`.
[[nodiscard]] double roundStep(double least);
/// Tick values of a logarithmic axis of length `pixels`, at least about `pixelsApart` pixels apart: powers of
/// ten, with 2 and 5 or finer values between them if there is room.
[[nodiscard]] std::vector<double> logTicks(double low, double high, double pixels, double pixelsApart);

enum class Scale { Linear, Log };

/// Axis of a chart: maps values [v0, v1] to pixels [p0, p1] (p1 < p0 for y axes).
struct Axis
{
    double v0 = 0, v1 = 1;
    double p0 = 0, p1 = 1;
    Scale scale = Scale::Linear;

    [[nodiscard]] double toPixel(double v) const
    {
        return p0 + (scaled(v) - scaled(v0)) / (scaled(v1) - scaled(v0)) * (p1 - p0);
    }
    [[nodiscard]] double toValue(double p) const
    {
        return unscaled(scaled(v0) + (p - p0) / (p1 - p0) * (scaled(v1) - scaled(v0)));
    }
    /// Tick values: multiples of a round step, about `pixelsApart` pixels apart.
    [[nodiscard]] std::vector<double> ticks(double pixelsApart = 80) const;
    bool operator==(const Axis&) const = default;

private:
    [[nodiscard]] double scaled(double v) const { return scale == Scale::Log ? std::log10(v) : v; }
    [[nodiscard]] double unscaled(double u) const { return scale == Scale::Log ? std::pow(10.0, u) : u; }
};

/// Paints grid lines, tick labels below or left of `plot`, and the title of the axis. No label overlaps
/// `taken`.
void paintXAxis(QPainter& painter, const Axis& axis, const QRectF& plot, const QString& title,
                const Theme& theme, const QRectF& taken = {});
void paintYAxis(QPainter& painter, const Axis& axis, const QRectF& plot, const QString& title,
                const Theme& theme);

} // namespace tilewright::ui
