// SPDX-License-Identifier: GPL-3.0-or-later
#include "chart/roofline_labels.h"

#include "theme/number.h"
#include "theme/words.h"


#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <set>

namespace tilewright::ui {

namespace {

constexpr double kGap = 3;         // between a roof and its name
constexpr std::size_t kNamed = 40; // dots at most with a number beside them

QPointF turned(QPointF p, double degrees)
{
    const double a = degrees * std::numbers::pi / 180;
    return {p.x() * std::cos(a) - p.y() * std::sin(a), p.x() * std::sin(a) + p.y() * std::cos(a)};
}

struct Circle
{
    QPointF centre;
    double radius = 0;
};

class Placer
{
public:
    Placer(const RooflineModel& model, const QRectF& plot, const RooflineRange& range,
           const QFontMetricsF& font)
        : m_model(model), m_plot(plot), m_range(range), m_font(font)
    {
        std::set<std::array<int, 3>> seen; // thousands of dots stand on few places
        for (const auto* list : {&model.dots, &model.ghosts})
            for (const RooflineDot& d : *list) {
                const Circle c{pixel(d.x, d.y), RooflinePlot::dotRadius(model, d)};
                if (seen.insert({qRound(c.centre.x()), qRound(c.centre.y()), qRound(c.radius)}).second)
                    m_dots.push_back(c);
            }
    }

    std::vector<RooflineLabel> run()
    {
        const ScheduleRoofline& roofs = m_model.roofs;
        // The roofs as beads: numbers beside dots do not lie on them.
        for (double x = m_plot.left(); x < m_plot.right(); x += 5) {
            const double at =
                m_range.x0 * std::pow(m_range.x1 / m_range.x0, (x - m_plot.left()) / m_plot.width());
            m_roofs.push_back({pixel(at, std::min(1.0, roofs.bandwidth * at)), 3});
        }
        const double corner = pixel(roofs.ridge, 1).x();
        along(RooflineLabel::Kind::ComputeRoof, tr("compute roof"), pixel(1, 1).y(), corner, true);
        const double ceiling = roofs.whole.paddingCeiling;
        if (ceiling > 0 && ceiling < kNoCeiling)
            along(RooflineLabel::Kind::PaddingCeiling, tr("padding ceiling %1").arg(percent(ceiling)),
                  pixel(1, ceiling).y(), pixel(ceiling / roofs.bandwidth, 1).x(), false);
        const QString rate = tr("memory roof, %1 elements a unit of time").arg(number(roofs.bandwidth));
        if (!alongMemoryRoof(rate, true) && !alongMemoryRoof(tr("memory roof"), true))
            alongMemoryRoof(tr("memory roof"), false);
        for (std::size_t i = 0; i < std::min(kNamed, m_model.dots.size()); ++i)
            besideDot(m_model.dots[i]);
        return std::move(m_labels);
    }

private:
    [[nodiscard]] QPointF pixel(double x, double y) const
    {
        return RooflinePlot::toPixel(m_plot, m_range, x, y);
    }
    [[nodiscard]] RooflineLabel label(RooflineLabel::Kind kind, const QString& text) const
    {
        return {kind, text, {}, {m_font.horizontalAdvance(text) + 4, m_font.height()}, 0};
    }
    bool place(const RooflineLabel& l)
    {
        for (const QPointF p : l.corners())
            if (!m_plot.contains(p))
                return false;
        for (const RooflineLabel& other : m_labels)
            if (l.overlaps(other))
                return false;
        for (const Circle& c : m_dots)
            if (l.overlaps(c.centre, c.radius + 1))
                return false;
        if (l.kind == RooflineLabel::Kind::Dot)
            for (const Circle& c : m_roofs)
                if (l.overlaps(c.centre, c.radius))
                    return false;
        m_labels.push_back(l);
        return true;
    }
    /// Beside the horizontal line at `y` that begins at `from`, as far to the right as there is room.
    void along(RooflineLabel::Kind kind, const QString& text, double y, double from, bool aboveFirst)
    {
        RooflineLabel l = label(kind, text);
        const double half = l.size.width() / 2;
        // Beside the line, or a little farther where dots stand on it.
        for (const auto& [above, gap] :
             {std::pair{aboveFirst, kGap}, {aboveFirst, 6 * kGap}, {!aboveFirst, kGap}}) {
            const double away = gap + l.size.height() / 2;
            for (double x = m_plot.right() - half - 3; x - half > std::max(from, m_plot.left());
                 x -= std::max(8.0, half / 2)) {
                l.centre = {x, y + (above ? -away : away)};
                if (place(l))
                    return;
            }
        }
    }
    /// `within`: not longer than the visible part of the roof.
    bool alongMemoryRoof(const QString& text, bool within)
    {
        const double bandwidth = m_model.roofs.bandwidth;
        const double x0 = std::max(m_range.x0, m_range.y0 / bandwidth);
        const double x1 = std::min({m_range.x1, m_model.roofs.ridge, m_range.y1 / bandwidth});
        if (!(x1 > x0))
            return false;
        const QPointF a = pixel(x0, bandwidth * x0);
        const QPointF b = pixel(x1, bandwidth * x1);
        RooflineLabel l = label(RooflineLabel::Kind::MemoryRoof, text);
        l.degrees = std::atan2(b.y() - a.y(), b.x() - a.x()) * 180 / std::numbers::pi;
        const double length = std::hypot(b.x() - a.x(), b.y() - a.y());
        for (const double side : {-1.0, 1.0}) // above, then below
            for (const double t : {0.5, 0.4, 0.6, 0.3, 0.7, 0.2, 0.8, 0.12, 0.88}) {
                if (within && l.size.width() / 2 > std::min(t, 1 - t) * length)
                    continue;
                l.centre = a + (b - a) * t + turned({0, side * (kGap + l.size.height() / 2)}, l.degrees);
                if (place(l))
                    return true;
            }
        return false;
    }
    void besideDot(const RooflineDot& dot)
    {
        RooflineLabel l = label(RooflineLabel::Kind::Dot, QString::number(dot.point.subgraph.index()));
        const double r = RooflinePlot::dotRadius(m_model, dot);
        const QPointF at = pixel(dot.x, dot.y);
        if (holdsNumber(r, l.text, m_font) || !m_plot.contains(at))
            return;
        const double dx = r + 2 + l.size.width() / 2;
        const double dy = r + 2 + l.size.height() / 2;
        for (const QPointF away : {QPointF(dx, 0), QPointF(0, dy), QPointF(dx, dy), QPointF(-dx, -dy),
                                   QPointF(0, -dy), QPointF(-dx, 0)}) {
            l.centre = at + away;
            if (place(l))
                return;
        }
    }

    const RooflineModel& m_model;
    QRectF m_plot;
    RooflineRange m_range;
    QFontMetricsF m_font;
    std::vector<Circle> m_dots;
    std::vector<Circle> m_roofs;
    std::vector<RooflineLabel> m_labels;
};

} // namespace

std::vector<QPointF> RooflineLabel::corners() const
{
    const double w = size.width() / 2;
    const double h = size.height() / 2;
    std::vector<QPointF> out;
    for (const QPointF p : {QPointF(-w, -h), QPointF(w, -h), QPointF(w, h), QPointF(-w, h)})
        out.push_back(centre + turned(p, degrees));
    return out;
}

bool RooflineLabel::overlaps(QPointF circle, double radius) const
{
    const QPointF p = turned(circle - centre, -degrees);
    const double dx = std::max(0.0, std::abs(p.x()) - size.width() / 2);
    const double dy = std::max(0.0, std::abs(p.y()) - size.height() / 2);
    return std::hypot(dx, dy) < radius;
}

bool RooflineLabel::overlaps(const RooflineLabel& other) const
{
    // Two rectangles are apart when one of their four axes separates them.
    const auto mine = corners();
    const auto theirs = other.corners();
    for (const double angle : {degrees, degrees + 90, other.degrees, other.degrees + 90}) {
        const QPointF axis = turned({1, 0}, angle);
        const auto span = [&](const std::vector<QPointF>& points) {
            std::pair<double, double> out{1e300, -1e300};
            for (const QPointF p : points) {
                const double v = QPointF::dotProduct(p, axis);
                out = {std::min(out.first, v), std::max(out.second, v)};
            }
            return out;
        };
        const auto a = span(mine);
        const auto b = span(theirs);
        if (a.second <= b.first || b.second <= a.first)
            return false;
    }
    return true;
}

bool holdsNumber(double radius, const QString& number, const QFontMetricsF& font)
{
    return radius >= 11 && font.horizontalAdvance(number) < radius * 1.1;
}

std::vector<RooflineLabel> placeRooflineLabels(const RooflineModel& model, const QRectF& plot,
                                               const RooflineRange& range, const QFontMetricsF& font)
{
    return Placer(model, plot, range, font).run();
}

} // namespace tilewright::ui
