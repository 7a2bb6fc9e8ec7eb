// SPDX-License-Identifier: GPL-3.0-or-later
#include "chart/plot_model.h"

#include "theme/text.h"
#include "theme/text_metrics.h"
#include "theme/theme.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <set>

namespace tilewright::ui {

namespace {

constexpr double kNear = 10;       // maximum distance in pixels at which a mark is picked
constexpr double kSmallest = 1e-3; // smallest visible part, as a fraction of the whole range
/// Extent of a part along one axis.
struct Stretch
{
    double from, to;
};

Stretch reach(const PlotAxis& axis)
{
    return {axis.scaled(axis.farLow()), axis.scaled(axis.farHigh())};
}

Stretch inReach(const PlotAxis& axis, Stretch s)
{
    const Stretch all{axis.scaled(axis.low), axis.scaled(axis.high)};
    const Stretch far = reach(axis);
    const double span = std::clamp(s.to - s.from, (all.to - all.from) * kSmallest, far.to - far.from);
    // At least one end of the data range stays visible.
    const double least = std::max(far.from, all.from - (axis.beyond > 0 ? span : 0));
    const double most = std::min(far.to - span, axis.beyond > 0 ? all.to : all.to - span);
    const double from = std::clamp(s.from, least, std::max(least, most));
    return {from, from + span};
}

Stretch zoomed(const PlotAxis& axis, const Axis& shown, double factor, double pixel)
{
    const double from = axis.scaled(shown.v0);
    const double to = axis.scaled(shown.v1);
    const double at = std::clamp((pixel - shown.p0) / (shown.p1 - shown.p0), 0.0, 1.0);
    const Stretch all = reach(axis);
    const double least = (axis.scaled(axis.high) - axis.scaled(axis.low)) * kSmallest;
    const double span = std::clamp((to - from) / factor, least, all.to - all.from);
    const double start = from + at * (to - from - span);
    return inReach(axis, {start, start + span});
}

QRectF partOf(Stretch x, Stretch y)
{
    return {QPointF(x.from, y.from), QPointF(x.to, y.to)};
}

} // namespace

QString PlotAxis::textOf(double value) const
{
    return text ? text(value) : shortNumber(value);
}

const PlotMark* PlotModel::mark(int id) const
{
    const auto it = std::find_if(marks.begin(), marks.end(), [id](const PlotMark& m) { return m.id == id; });
    return it == marks.end() ? nullptr : &*it;
}

void PlotModel::cover(double px, double py)
{
    x.low = std::min(x.low, px);
    x.high = std::max(x.high, px);
    y.low = std::min(y.low, py);
    y.high = std::max(y.high, py);
}

PlotFrame plotFrame(const PlotModel& model, const QRectF& area, const QRectF& part)
{
    PlotFrame f;
    const TextMetrics axis(uiFont(0.9));
    const double left = std::ceil(axis.horizontalAdvance(model.y.widest) + 14);
    double top = area.top() + 4;
    if (!model.title.isEmpty()) {
        const double height = TextMetrics(uiFont(1.0, QFont::DemiBold)).height();
        f.title = QRectF(area.left() + 8, top, area.width() - 16, height);
        top += height + 4;
    }
    // The legend is beside the title of the y axis, or in a row of its own if they do not fit side by side.
    const double title = model.y.title.isEmpty() ? 0 : axis.horizontalAdvance(model.y.title) + 18;
    if (!model.keys.empty()) {
        const double height = std::ceil(axis.height());
        const double room = area.width() - left - title - 8;
        if (keysWidth(model.keys) <= room) {
            f.keys = QRectF(area.left() + left + title, top, room, height);
        } else {
            f.keys = QRectF(area.left() + 8, top, area.width() - 16, height);
            top += height + 2;
        }
    }
    f.yTitle = {area.left() + left, top + axis.ascent()};
    if (title > 0 || !model.keys.empty())
        top += axis.height() + 5;
    const double right = area.right() - 14;
    // The title of the x axis is at the end of the row of tick texts, or below it if there is too little room
    // or a required tick is there.
    const double xTitle = axis.horizontalAdvance(model.x.title);
    constexpr double kLow = 200; // height in pixels below which the plot omits rows of text
    const bool below =
        xTitle > 0.15 * (right - area.left() - left) || (!model.x.ticks.empty() && area.height() > kLow);
    const double bottom = area.bottom() - axis.height() * (below ? 2 : 1) - (below ? 12 : 9);
    f.plot = QRectF(QPointF(area.left() + left, std::round(top)), QPointF(right, std::round(bottom)));
    f.xTitle = QPointF(right - xTitle, f.plot.bottom() + axis.height() * (below ? 1 : 0) + axis.ascent() + 5);
    f.xTextsEnd = below || model.x.title.isEmpty() ? right + 14 : f.xTitle.x() - 10;
    const auto end = [&](const PlotAxis& a, double from, double to, double p0, double p1) {
        return part.isNull() ? Axis{a.low, a.high, p0, p1, a.scale}
                             : Axis{a.unscaled(from), a.unscaled(to), p0, p1, a.scale};
    };
    f.x = end(model.x, part.left(), part.right(), f.plot.left(), f.plot.right());
    f.y = end(model.y, part.top(), part.bottom(), f.plot.bottom(), f.plot.top());
    return f;
}

QRectF plotPart(const PlotFrame& f)
{
    const auto scaled = [](const Axis& axis, double v) {
        return axis.scale == Scale::Log ? std::log10(v) : v;
    };
    return {QPointF(scaled(f.x, f.x.v0), scaled(f.y, f.y.v0)),
            QPointF(scaled(f.x, f.x.v1), scaled(f.y, f.y.v1))};
}

QRectF plotPartInReach(const PlotModel& model, const QRectF& part)
{
    return partOf(inReach(model.x, {part.left(), part.right()}),
                  inReach(model.y, {part.top(), part.bottom()}));
}

QRectF zoomedPlotPart(const PlotModel& model, const PlotFrame& frame, double factor, QPointF at)
{
    return partOf(zoomed(model.x, frame.x, factor, at.x()), zoomed(model.y, frame.y, factor, at.y()));
}

QRectF pannedPlotPart(const PlotModel& model, const PlotFrame& frame, QPointF pixels)
{
    QRectF part = plotPart(frame);
    part.translate(-pixels.x() / frame.plot.width() * part.width(),
                   pixels.y() / frame.plot.height() * part.height());
    return plotPartInReach(model, part);
}

const PlotMark* plotMarkAt(const PlotModel& model, const PlotFrame& frame, QPointF position, PlotPick pick)
{
    const bool column = pick == PlotPick::Column;
    const double around = column ? 8 : 0; // a column also includes the tick labels below the plot
    if (!frame.plot.adjusted(-around, -around, around, 3 * around).contains(position))
        return nullptr;
    const PlotMark* found = nullptr;
    double nearest = 1e300;
    for (const PlotMark& m : model.marks) {
        if (m.id < 0)
            continue;
        const QPointF away = frame.toPixel(m.x, m.y) - position;
        const double distance = column ? std::abs(away.x()) : std::hypot(away.x(), away.y());
        if (distance <= nearest && (column || distance <= std::max(kNear, m.radius))) {
            nearest = distance;
            found = &m;
        }
    }
    return found;
}

const PlotMark* plotMarkAt(const PlotModel& model, const PlotFrame& frame, QPointF position)
{
    return plotMarkAt(model, frame, position, model.pick);
}

QString plotRangeText(const PlotAxis& axis, double from, double to)
{
    const bool log = axis.scale == Scale::Log;
    return tr("%1 to %2 (%3)")
        .arg(axis.textOf(from), axis.textOf(to),
             log ? significantNumber(to / from) + QChar(0xD7) : axis.textOf(to - from));
}

QString plotAsText(const PlotModel& model)
{
    QString out = QStringLiteral("series\t%1\t%2\n").arg(model.x.title, model.y.title);
    const auto row = [&](const QString& name, double px, double py) { out += textRow(name, px, py); };
    for (const PlotLine& line : model.lines)
        for (const QPointF& p : line.points)
            if (!line.name.isEmpty())
                row(line.name, p.x(), p.y());
    for (const PlotMark& mark : model.marks)
        if (!mark.name.isEmpty())
            row(mark.name, mark.x, mark.y);
    return out;
}

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
        // There may be thousands of marks at a few positions: use each position once.
        std::set<std::array<int, 3>> seen;
        for (const PlotMark& m : model.marks) {
            const Circle c{frame.toPixel(m.x, m.y), m.radius};
            if (seen.insert({qRound(c.centre.x()), qRound(c.centre.y()), qRound(c.radius)}).second)
                m_marks.push_back(c);
        }
        // Lines are treated as rows of small circles, which the names of marks must not overlap.
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
    /// Returns the labels, with those of coinciding points joined on one plate.
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
        // Only the visible part is used, because the lines of a roofline have no end.
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
        // Positions close to the line are tried before positions farther away, and positions that touch no
        // other line before the others.
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
    /// Places a label along a sloped line. `within`: the label must not be longer than the visible part of
    /// the line.
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
            if (l.plate) // a label with a plate is moved into the plot
                clampCentre(l);
            if (place(l, !l.plate))
                return true;
        }
        if (!l.plate)
            return false;
        // A plate may cover a mark. To avoid other plates it moves up by at most a few lines.
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
