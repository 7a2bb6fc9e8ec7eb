// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "chart/axis.h"

#include <algorithm>

namespace tilewright::ui {

/// Visible range of a time axis: a part of [0, total], not shorter than `shortest`. If everything is visible,
/// this stays so when the total changes.
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
    /// Changes the end of time. Keeps the visible range, unless it was everything or is beyond the new end.
    void setTotal(double total, double shortest)
    {
        m_total = total;
        m_shortest = shortest;
        if (m_all || !(m_to > m_from) || m_from >= total)
            fit();
        else
            set(m_from, m_to);
    }
    /// Zooms by a factor; the time `at` keeps its position.
    void zoom(double factor, double at)
    {
        const double next = std::clamp(span() / factor, std::min(m_shortest, m_total), m_total);
        const double left = (at - m_from) / span();
        set(at - left * next, at + (1 - left) * next);
    }
    void pan(double by) { set(m_from + by, m_to + by); }
    /// Centres the visible range on [from, to] if that is not completely visible.
    void reveal(double from, double to)
    {
        if (from < m_from || to > m_to)
            set((from + to - span()) / 2, (from + to + span()) / 2);
    }

    // Conversion to and from the parts of Canvas::shownPart() and showPart().
    [[nodiscard]] QRectF part() const { return m_all ? QRectF() : QRectF(m_from, 0, span(), 1); }
    void show(const QRectF& part) { part.isNull() ? fit() : set(part.left(), part.right()); }

private:
    double m_from = 0, m_to = 1;
    double m_total = 1;
    double m_shortest = 0;
    bool m_all = true;
};

} // namespace tilewright::ui
