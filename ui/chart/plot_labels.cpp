// SPDX-License-Identifier: GPL-3.0-or-later
#include "chart/plot_labels.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <set>

namespace tilewright::ui {

namespace {

constexpr double kAway = 3;        // distance between a line and its name in pixels
constexpr std::size_t kNamed = 40; // maximum number of marks with a name beside them

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

class LabelPlacer
{
public:
    LabelPlacer(const PlotModel& model, const PlotFrame& frame, const QFontMetricsF& font)
        : m_model(model), m_frame(frame), m_plot(frame.plot), m_font(font)
    {
        std::set<std::array<int, 3>> seen; // thousands of marks may be at a few positions
        for (const PlotMark& m : model.marks) {
            const Circle c{frame.toPixel(m.x, m.y), m.radius};
            if (seen.insert({qRound(c.centre.x()), qRound(c.centre.y()), qRound(c.radius)}).second)
                m_marks.push_back(c);
        }
        // Treat lines as rows of small circles, which names of marks must not overlap.
        for (const PlotLine& line : model.lines)
            for (std::size_t i = 1; i < line.points.size(); ++i)
                string(frame.toPixel(line.points[i - 1]), frame.toPixel(line.points[i]), line.steps);
    }

    std::vector<PlacedLabel> run(const QColor& muted)
    {
        for (const PlotLabel& label : joined()) {
            m_below = label.below;
            bool placed = false;
            for (const QString& text : label.texts) {
                PlacedLabel l = sized(text, label.colour, label.plate);
                if (label.from == label.to)
                    placed = beside(l, m_frame.toPixel(label.from), label.radius);
                else if (label.from.y() == label.to.y())
                    placed = along(l, label.from, label.to);
                else
                    placed = onSlope(l, label.from, label.to, true);
                if (placed)
                    break;
            }
            if (!placed && label.from.y() != label.to.y() && label.from != label.to) {
                PlacedLabel l = sized(label.texts.back(), label.colour, label.plate);
                (void)onSlope(l, label.from, label.to, false);
            }
        }
        std::size_t named = 0;
        for (const PlotMark& m : m_model.marks) {
            if (m.name.isEmpty() || ++named > kNamed || holdsName(m, m_font))
                continue;
            const QPointF at = m_frame.toPixel(m.x, m.y);
            PlacedLabel l = sized(m.name, muted, false);
            (void)beside(l, at, m.radius);
        }
        return std::move(m_labels);
    }

private:
    /// Labels of coinciding points, joined on one plate.
    [[nodiscard]] std::vector<PlotLabel> joined() const
    {
        std::vector<PlotLabel> out;
        for (const PlotLabel& label : m_model.labels) {
            const auto same = std::find_if(out.begin(), out.end(), [&](const PlotLabel& other) {
                const QPointF away = m_frame.toPixel(other.from) - m_frame.toPixel(label.from);
                return label.plate && other.plate && std::hypot(away.x(), away.y()) < 8;
            });
            if (same == out.end())
                out.push_back(label);
            else
                same->texts.front() +=
                    (same->from == label.from ? QStringLiteral(" = ") : QStringLiteral(" ≈ ")) +
                    label.texts.front();
        }
        return out;
    }
    void string(QPointF from, QPointF to, bool steps)
    {
        if (steps) {
            string(from, {to.x(), from.y()}, false);
            from.setX(to.x());
        }
        // Use only the visible part: the lines of a roofline have no end.
        const QPointF along = to - from;
        double t0 = 0;
        double t1 = 1;
        for (const auto& [start, by, low, high] :
             {std::tuple(from.x(), along.x(), m_plot.left(), m_plot.right()),
              std::tuple(from.y(), along.y(), m_plot.top(), m_plot.bottom())}) {
            if (std::abs(by) < 1e-9) {
                if (start < low || start > high)
                    return;
                continue;
            }
            const auto [a, b] = std::minmax({(low - start) / by, (high - start) / by});
            t0 = std::max(t0, a);
            t1 = std::min(t1, b);
        }
        const double length = std::hypot(along.x(), along.y());
        for (double at = t0 * length; at < t1 * length; at += 5)
            m_lines.push_back({from + along * (at / length), 1.5});
    }
    [[nodiscard]] PlacedLabel sized(const QString& text, const QColor& colour, bool plate) const
    {
        const QSizeF room = plate ? QSizeF(10, 2) : QSizeF(4, 0);
        return {text, {}, QSizeF(m_font.horizontalAdvance(text), m_font.height()) + room, 0, colour, plate};
    }
    [[nodiscard]] bool isFree(const PlacedLabel& l, bool offLines) const
    {
        for (const QPointF p : l.corners())
            if (!m_plot.contains(p))
                return false;
        const auto hit = [&](const Circle& c) { return l.overlaps(c.centre, c.radius + 1); };
        return std::none_of(m_labels.begin(), m_labels.end(),
                            [&](const PlacedLabel& other) { return l.overlaps(other); }) &&
               std::none_of(m_marks.begin(), m_marks.end(), hit) &&
               (!offLines || std::none_of(m_lines.begin(), m_lines.end(), hit));
    }
    bool place(const PlacedLabel& l, bool offLines)
    {
        if (!isFree(l, offLines))
            return false;
        m_labels.push_back(l);
        return true;
    }
    /// Places a label at a horizontal line, as far to the right as possible.
    bool along(PlacedLabel& l, QPointF from, QPointF to)
    {
        const double y = m_frame.y.toPixel(from.y());
        const double left = std::max(m_plot.left(), m_frame.x.toPixel(std::min(from.x(), to.x())));
        const double right = std::min(m_plot.right(), m_frame.x.toPixel(std::max(from.x(), to.x())));
        const double half = l.size.width() / 2;
        // Try close to the line, then a little farther away; first without touching other lines.
        for (const bool offLines : {true, false})
            for (const auto& [below, gap] : {std::pair{m_below, kAway},
                                             {m_below, 6 * kAway},
                                             {!m_below, kAway},
                                             {!m_below, 2 * kAway}}) {
                const double away = gap + l.size.height() / 2;
                for (double x = right - half - 3; x - half > left; x -= std::max(8.0, half / 2)) {
                    l.centre = {x, y + (below ? away : -away)};
                    if (place(l, offLines))
                        return true;
                }
            }
        return false;
    }
    /// Places a label along a sloped line. `within`: it must not be longer than the visible part of the line.
    bool onSlope(PlacedLabel& l, QPointF from, QPointF to, bool within)
    {
        QPointF a = m_frame.toPixel(from);
        QPointF b = m_frame.toPixel(to);
        if (a.x() > b.x())
            std::swap(a, b);
        const QPointF whole = b - a;
        double t0 = std::max(0.0, (m_plot.left() - a.x()) / whole.x());
        double t1 = std::min(1.0, (m_plot.right() - a.x()) / whole.x());
        const auto [low, high] =
            std::minmax({(m_plot.bottom() - a.y()) / whole.y(), (m_plot.top() - a.y()) / whole.y()});
        t0 = std::max(t0, low);
        t1 = std::min(t1, high);
        if (!(t1 > t0))
            return false;
        b = a + whole * t1;
        a += whole * t0;
        l.degrees = std::atan2(b.y() - a.y(), b.x() - a.x()) * 180 / std::numbers::pi;
        const double length = std::hypot(b.x() - a.x(), b.y() - a.y());
        for (const double side : {m_below ? 1.0 : -1.0, m_below ? -1.0 : 1.0})
            for (const double t : {0.5, 0.4, 0.6, 0.3, 0.7, 0.2, 0.8, 0.12, 0.88}) {
                if (within && l.size.width() / 2 > std::min(t, 1 - t) * length)
                    continue;
                l.centre = a + (b - a) * t + turned({0, side * (kAway + l.size.height() / 2)}, l.degrees);
                if (place(l, false))
                    return true;
            }
        return false;
    }
    bool beside(PlacedLabel& l, QPointF at, double radius)
    {
        if (!m_plot.contains(at))
            return false;
        const double dx = radius + 2 + l.size.width() / 2;
        const double dy = radius + 2 + l.size.height() / 2;
        const double far = dy + l.size.height();
        for (const QPointF away :
             {QPointF(dx, 0), QPointF(0, dy), QPointF(dx, -dy), QPointF(dx, dy), QPointF(-dx, -dy),
              QPointF(-dx, dy), QPointF(0, -dy), QPointF(-dx, 0), QPointF(dx, -far), QPointF(dx, far)}) {
            l.centre = at + away;
            if (l.plate) // keep it inside the plot
                clampCentre(l);
            if (place(l, !l.plate))
                return true;
        }
        if (!l.plate)
            return false;
        // A plate may cover a mark, but avoids other plates by moving up to a few lines.
        for (int lines = 0; lines < 6; ++lines)
            for (const double side : {-1.0, 1.0}) {
                l.centre = at + QPointF(dx, side * (dy + lines * l.size.height()));
                clampCentre(l);
                if (std::none_of(m_labels.begin(), m_labels.end(),
                                 [&](const PlacedLabel& other) { return l.overlaps(other); })) {
                    m_labels.push_back(l);
                    return true;
                }
            }
        return false;
    }
    void clampCentre(PlacedLabel& l) const
    {
        const double w = l.size.width() / 2 + 1;
        const double h = l.size.height() / 2 + 1;
        l.centre.setX(
            std::clamp(l.centre.x(), m_plot.left() + w, std::max(m_plot.left() + w, m_plot.right() - w)));
        l.centre.setY(
            std::clamp(l.centre.y(), m_plot.top() + h, std::max(m_plot.top() + h, m_plot.bottom() - h)));
    }

    const PlotModel& m_model;
    const PlotFrame& m_frame;
    QRectF m_plot;
    QFontMetricsF m_font;
    bool m_below = false;
    std::vector<Circle> m_marks;
    std::vector<Circle> m_lines;
    std::vector<PlacedLabel> m_labels;
};

} // namespace

std::vector<QPointF> PlacedLabel::corners() const
{
    const double w = size.width() / 2;
    const double h = size.height() / 2;
    std::vector<QPointF> out;
    for (const QPointF p : {QPointF(-w, -h), QPointF(w, -h), QPointF(w, h), QPointF(-w, h)})
        out.push_back(centre + turned(p, degrees));
    return out;
}

bool PlacedLabel::overlaps(QPointF circle, double radius) const
{
    const QPointF p = turned(circle - centre, -degrees);
    const double dx = std::max(0.0, std::abs(p.x()) - size.width() / 2);
    const double dy = std::max(0.0, std::abs(p.y()) - size.height() / 2);
    return std::hypot(dx, dy) < radius;
}

bool PlacedLabel::overlaps(const PlacedLabel& other) const
{
    // Separating axis test: two rectangles are disjoint if one of their four axes separates them.
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

bool holdsName(const PlotMark& mark, const QFontMetricsF& font)
{
    return mark.radius >= 11 && font.horizontalAdvance(mark.name) < mark.radius * 1.1;
}

std::vector<PlacedLabel> placePlotLabels(const PlotModel& model, const PlotFrame& frame,
                                         const QFontMetricsF& font, const QColor& muted)
{
    return LabelPlacer(model, frame, font).run(muted);
}

} // namespace tilewright::ui
