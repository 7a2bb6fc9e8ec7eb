// SPDX-License-Identifier: GPL-3.0-or-later
// Axes: round ticks, and the visible range of time.
#pragma once

#include <QRectF>
#include <QString>

#include <algorithm>
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

/// Visible range of a time axis: a part of [0, total] that is at least `shortest` long. If all of it is
/// visible, it stays so when the total changes.
class TimeAxis
{
public:
    [[nodiscard]] double from() const { return m_from; }
    [[nodiscard]] double to() const { return m_to; }
    [[nodiscard]] double span() const { return m_to - m_from; }
    [[nodiscard]] double total() const { return m_total; }
    [[nodiscard]] bool isAll() const { return m_all; }
    [[nodiscard]] std::pair<double, double> pair() const { return {m_from, m_to}; }
    [[nodiscard]] bool contains(double at) const { return at >= m_from && at <= m_to; }
    [[nodiscard]] Axis axis(double p0, double p1) const { return {m_from, m_to, p0, p1}; }

    void set(double from, double to)
    {
        const double span = std::clamp(to - from, std::min(m_shortest, m_total), m_total);
        m_from = std::clamp(from, 0.0, m_total - span);
        m_to = m_from + span;
        m_all = span >= m_total * (1 - 1e-12);
    }
    void fit() { set(0, m_total); }
    /// Sets the end of the time axis. The visible range is kept, unless it was everything or lies beyond the
    /// new end.
    void setTotal(double total, double shortest)
    {
        m_total = total;
        m_shortest = shortest;
        if (m_all || !(m_to > m_from) || m_from >= total)
            fit();
        else
            set(m_from, m_to);
    }
    /// Zooms by a factor. The time `at` keeps its position on the screen.
    void zoom(double factor, double at)
    {
        const double next = std::clamp(span() / factor, std::min(m_shortest, m_total), m_total);
        const double left = (at - m_from) / span();
        set(at - left * next, at + (1 - left) * next);
    }
    void pan(double by) { set(m_from + by, m_to + by); }
    /// Centres the visible range on [from, to], unless all of it is visible already.
    void reveal(double from, double to)
    {
        if (from < m_from || to > m_to)
            set((from + to - span()) / 2, (from + to + span()) / 2);
    }

    // Conversions between the visible range and the parts of Canvas::shownPart() and showPart().
    [[nodiscard]] QRectF part() const { return m_all ? QRectF() : QRectF(m_from, 0, span(), 1); }
    void show(const QRectF& part) { part.isNull() ? fit() : set(part.left(), part.right()); }

private:
    double m_from = 0, m_to = 1;
    double m_total = 1;
    double m_shortest = 0;
    bool m_all = true;
};

} // namespace tilewright::ui
