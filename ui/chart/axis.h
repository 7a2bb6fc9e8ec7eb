// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QRectF>
#include <QString>

#include <cmath>
#include <vector>

class QPainter;

namespace tilewright::ui {

struct Theme;

/// The smallest of 1, 2, 5 times a power of ten that is at least `least`: the step between round values.
[[nodiscard]] double roundStep(double least);
/// Round values between two of a logarithmic axis of that many pixels, at least about `pixelsApart` from one
/// another: some powers of ten, all of them, 2 and 5 between them, finer ones where little else is in sight.
[[nodiscard]] std::vector<double> logTicks(double low, double high, double pixels, double pixelsApart);

enum class Scale { Linear, Log };

/// One axis of a painted chart: values [v0, v1] on pixels [p0, p1] (p1 may be smaller: y axes).
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
    /// Round values (1, 2, 5 times a power of ten) about `pixelsApart` pixels from one another.
    [[nodiscard]] std::vector<double> ticks(double pixelsApart = 80) const;
    bool operator==(const Axis&) const = default;

private:
    [[nodiscard]] double scaled(double v) const { return scale == Scale::Log ? std::log10(v) : v; }
    [[nodiscard]] double unscaled(double u) const { return scale == Scale::Log ? std::pow(10.0, u) : u; }
};

/// Grid lines and labels (short numbers) below / left of `plot`, plus the axis titles. No label is written
/// where something else is, `taken`.
void paintXAxis(QPainter& painter, const Axis& axis, const QRectF& plot, const QString& title,
                const Theme& theme, const QRectF& taken = {});
void paintYAxis(QPainter& painter, const Axis& axis, const QRectF& plot, const QString& title,
                const Theme& theme);

} // namespace tilewright::ui
