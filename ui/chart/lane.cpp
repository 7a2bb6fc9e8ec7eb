// SPDX-License-Identifier: GPL-3.0-or-later
// Queries of marks, layout of lanes, hit tests, and shares of the kinds of marks in each pixel column.
#include "chart/lane.h"

#include "theme/text.h"
#include "theme/theme.h"

#include <QFontMetricsF>
#include <QPainter>
#include <QRegularExpression>

#include <algorithm>
#include <cmath>

namespace tilewright::ui {

// -- marks -----------------------------------------------------------------------------------------------

std::size_t Marks::firstAfter(double time) const
{
    std::size_t first = 0;
    for (std::size_t n = count; n > 0;) {
        const std::size_t half = n / 2;
        if (end(first + half) <= time) {
            first += half + 1;
            n -= half + 1;
        } else {
            n = half;
        }
    }
    return first;
}

std::optional<std::size_t> Marks::at(double time, double slack) const
{
    std::optional<std::size_t> near;
    for (std::size_t i = firstAfter(time - slack); i < count && start(i) - slack <= time; ++i) {
        near = i;
        if (start(i) <= time && time < end(i))
            break;
    }
    return near;
}

double snapToMarks(const Lane& lane, double time, double tolerance)
{
    double best = time;
    double off = tolerance;
    const auto offer = [&](double t) {
        if (std::abs(t - time) <= off) {
            off = std::abs(t - time);
            best = t;
        }
    };
    for (const MarkRow& row : lane.rows)
        for (const Marks& m : row.layers)
            for (std::size_t i = m.firstAfter(time - tolerance), n = 0; i < m.count && n < 64; ++i, ++n) {
                if (m.start(i) > time + tolerance)
                    break;
                offer(m.start(i));
                offer(m.end(i));
            }
    return best;
}

QString marksAsText(const LaneModel& model, double from, double to, QChar separator, std::size_t most)
{
    const auto line = [&](const QStringList& cells) {
        QStringList out;
        for (QString cell : cells)
            if (separator == QLatin1Char(',') && cell.contains(QRegularExpression(QStringLiteral("[,\"\n]"))))
                out << QLatin1Char('"') + cell.replace(QLatin1Char('"'), QStringLiteral("\"\"")) +
                           QLatin1Char('"');
            else
                out << cell.replace(QLatin1Char('\t'), QLatin1Char(' '));
        return out.join(separator) + QLatin1Char('\n');
    };
    QString out = line({tr("lane"), tr("start"), tr("end"), tr("what"), tr("facts")});
    QString heading;
    std::size_t n = 0;
    for (const Lane& lane : model.lanes) {
        if (lane.repeats)
            continue;
        if (lane.heading)
            heading = lane.name;
        const QString name =
            lane.heading || heading.isEmpty() ? lane.name : heading + QStringLiteral(": ") + lane.name;
        for (const MarkRow& row : lane.rows)
            for (const Marks& m : row.layers)
                for (std::size_t i = m.firstAfter(from); !row.plain && i < m.count && m.start(i) < to; ++i) {
                    if (++n > most)
                        return out;
                    out += line({name, exactNumber(m.start(i)), exactNumber(m.end(i)),
                                 m.label ? m.label(i) : QString(), m.facts ? m.facts(i) : QString()});
                }
    }
    return out;
}

Lane headingLane(const QString& name)
{
    Lane lane;
    lane.name = name;
    lane.heading = true;
    lane.fixed = true;
    lane.height = QFontMetricsF(uiFont(0.9)).height() + 2;
    return lane;
}

// -- layout ----------------------------------------------------------------------------------------------

namespace {

constexpr double kMargin = 8;      // space to the left and right of the lanes, in pixels
constexpr double kEdge = 4;        // space above and below the lanes, in pixels
constexpr double kSqueezed = 0.45; // scale of the heights below which optional lanes are hidden

double lineHeight(double scale, int weight = QFont::Normal)
{
    return QFontMetricsF(uiFont(scale, weight)).height();
}

/// Number of lines that the sentence takes in a chart of this width.
int sentenceLines(const LaneModel& m, double width)
{
    if (m.sentenceLines < 2)
        return m.sentenceLines;
    const QFontMetricsF fm(uiFont(0.9));
    const QRectF needed = fm.boundingRect(QRectF(0, 0, width, 1e4), Qt::TextWordWrap, m.sentence);
    return std::clamp(static_cast<int>(std::ceil(needed.height() / fm.lineSpacing() - 0.5)), 1,
                      m.sentenceLines);
}

double headerHeight(const LaneModel& m, double width)
{
    double h = kEdge;
    if (!m.title.isEmpty())
        h += lineHeight(1.0, QFont::DemiBold) + 2;
    h += sentenceLines(m, width) * lineHeight(0.9) + (m.sentenceLines > 0 ? 4 : 0);
    return h;
}

bool legendBeside(const LaneModel& m, double width)
{
    if (!m.legends || m.sentenceLines > 0)
        return false;
    double longest = 0;
    for (const auto& form : m.legends(Theme::light()))
        longest = std::max(longest, keysWidth(form));
    return QFontMetricsF(uiFont(1.0, QFont::DemiBold)).horizontalAdvance(m.title) + 32 + longest < width;
}

/// Height of the legend if it has rows of its own. It has several rows if none of its forms fits into one.
double legendHeight(const LaneModel& m, double width)
{
    const double row = lineHeight(0.9) + 2;
    const auto forms = m.legends(Theme::light());
    if (m.legendForm || forms.empty() ||
        std::ranges::any_of(forms, [&](const auto& form) { return keysWidth(form) <= width; }))
        return row;
    return std::max(row, keysHeight(forms.back(), width) - 2);
}

/// Total height of the lanes with fixed height, and natural total height of the others.
struct Heights
{
    double fixed = 0, free = 0;
};
Heights heightsOf(const LaneModel& m, bool optional)
{
    Heights h;
    for (const Lane& lane : m.lanes)
        if (optional || !lane.optional) {
            (lane.fixed ? h.fixed : h.free) += lane.height;
            h.fixed += lane.gap;
        }
    return h;
}

} // namespace

double naturalHeight(const LaneModel& m)
{
    const Heights h = heightsOf(m, true);
    // Width of an export in pixels, for which naturalHeight() is computed.
    constexpr double kUsualWidth = 1200;
    return headerHeight(m, kUsualWidth - m.titleSpace) + (m.legends ? lineHeight(0.9) + 6 : 0) +
           (m.readout ? lineHeight(0.9) + 4 : 0) + h.fixed + h.free + lineHeight(0.9) + 8 +
           (m.overview ? m.overviewHeight : 0) + kEdge;
}

LanePlaces lanePlaces(const QRectF& area, const LaneModel& m, double scroll, bool exporting)
{
    LanePlaces p;
    // Exported pictures have no buttons beside the title.
    const double titleSpace = exporting ? 0 : m.titleSpace;
    const double left = area.left() + kMargin;
    const double right = area.right() - kMargin;
    double y = area.top() + headerHeight(m, right - left - titleSpace);
    p.title = QRectF(QPointF(left, area.top() + kEdge), QPointF(right - titleSpace, y));
    if (m.legends && legendBeside(m, right - left - titleSpace)) {
        p.legend = QRectF(left, p.title.top(), right - left - titleSpace, lineHeight(1.0));
    } else if (m.legends) {
        p.legend = QRectF(left, y, right - left, legendHeight(m, right - left));
        y = p.legend.bottom() + 4;
    }
    if (m.readout) {
        p.readout = QRectF(left, y, right - left, lineHeight(0.9));
        y = p.readout.bottom() + 4;
    }
    const bool overview = m.overview && !exporting && area.height() >= 200;
    const double foot = area.bottom() - kEdge - (overview ? m.overviewHeight : 0);
    const double axis = m.ticks ? lineHeight(0.9) + 8 : 4;
    const bool facts = m.factsWidth > 0 && right - left > 520;
    double labels = m.labelWidth;
    const QFontMetricsF names(uiFont(0.9, QFont::DemiBold));
    const QFontMetricsF notes(uiFont(0.85));
    for (const Lane& lane : m.lanes)
        if (!lane.name.isEmpty() && (!lane.rows.empty() || lane.curve || lane.paint))
            labels = std::max(
                labels, lane.inner ? notes.horizontalAdvance(lane.name) + 10
                                   : names.horizontalAdvance(lane.name) + 10 +
                                         (lane.note.isEmpty() ? 0 : notes.horizontalAdvance(lane.note) + 10));
    labels = std::min(labels, (right - left) * 0.3);
    // Whole pixels, so that the edges of pixel columns are sharp.
    const double x0 = std::round(left + labels);
    double x1 = std::round(std::max(x0 + 10, right - (facts ? m.factsWidth : 0)));
    p.plot =
        QRectF(QPointF(x0, std::round(y)), QPointF(x1, std::max(std::round(y) + 1, std::round(foot - axis))));
    p.labels = QRectF(left, p.plot.top(), x0 - left, p.plot.height());
    if (facts)
        p.facts = QRectF(x1 + 10, p.plot.top(), right - x1 - 10, p.plot.height());
    p.axis = QRectF(x0, foot - axis, x1 - x0, axis);
    if (overview)
        p.overview = QRectF(x0, foot, x1 - x0, m.overviewHeight);

    bool optional = true;
    Heights h = heightsOf(m, true);
    const double room = p.plot.height();
    const auto scaleOf = [&] { return h.free > 0 ? (room - h.fixed) / h.free : 1; };
    if (m.least == 0 && scaleOf() < kSqueezed) {
        optional = false;
        h = heightsOf(m, false);
    }
    const double scale =
        std::clamp(scaleOf(), exporting ? 0.2 : std::max(0.02, m.least), std::max(m.most, m.least));
    p.contentHeight = h.fixed + h.free * scale;
    double at = p.plot.top() - std::clamp(scroll, 0.0, std::max(0.0, p.contentHeight - room));
    for (const Lane& lane : m.lanes) {
        LaneBox box;
        if (optional || !lane.optional) {
            const double top = std::round(at);
            const double bottom = std::round(at + lane.height * (lane.fixed ? 1 : scale));
            box.rect = QRectF(x0, top, x1 - x0, std::max(1.0, bottom - top));
            box.name = QRectF(left, top, x0 - left, box.rect.height());
            if (facts)
                box.facts = QRectF(p.facts.left(), top, p.facts.width(), box.rect.height());
            double weight = 0;
            for (const MarkRow& row : lane.rows)
                weight += row.weight;
            double sum = 0;
            for (const MarkRow& row : lane.rows) {
                const double from = std::round(top + box.rect.height() * sum / weight);
                sum += row.weight;
                const double to = std::round(top + box.rect.height() * sum / weight);
                const double space = lane.rows.size() > 1 && to - from > 3 && sum < weight ? 1 : 0;
                box.rows.emplace_back(x0, from, x1 - x0, std::max(1.0, to - from - space));
            }
            at += lane.height * (lane.fixed ? 1 : scale) + lane.gap;
        }
        p.lanes.push_back(std::move(box));
    }
    // If there is more room, the plot ends below the last lane.
    if (at < p.plot.bottom() && !p.lanes.empty()) {
        p.plot.setBottom(std::round(at));
        p.axis.moveTop(p.plot.bottom());
    }
    return p;
}

std::optional<std::size_t> LanePlaces::laneAt(QPointF position) const
{
    if (position.y() < plot.top() || position.y() >= plot.bottom())
        return std::nullopt;
    for (std::size_t i = 0; i < lanes.size(); ++i)
        if (position.y() >= lanes[i].rect.top() && position.y() < lanes[i].rect.bottom())
            return i;
    return std::nullopt;
}

// -- hit tests -------------------------------------------------------------------------------------------

std::optional<LaneHit> laneHit(const LaneModel& m, const LanePlaces& p, const Axis& time, QPointF position)
{
    const auto lane = p.laneAt(position);
    if (!lane || position.x() < p.plot.left() || position.x() >= p.plot.right())
        return std::nullopt;
    const LaneBox& box = p.lanes[*lane];
    LaneHit hit;
    hit.lane = *lane;
    hit.time = time.toValue(position.x());
    hit.y = (position.y() - box.rect.top()) / box.rect.height();
    const double slack = (time.v1 - time.v0) / std::max(1.0, p.plot.width());
    const Lane& what = m.lanes[*lane];
    for (std::size_t r = 0; r < box.rows.size(); ++r) {
        if (what.rows[r].plain || position.y() < box.rows[r].top() || position.y() > box.rows[r].bottom() + 1)
            continue;
        const auto& layers = what.rows[r].layers;
        for (auto marks = layers.rbegin(); marks != layers.rend(); ++marks)
            if (const auto i = marks->at(hit.time, slack)) {
                hit.marks = &*marks;
                hit.mark = *i;
                return hit;
            }
    }
    return hit;
}

QString readoutOf(const LaneModel& m, const LaneHit& hit)
{
    if (hit.marks && hit.marks->facts)
        return hit.marks->facts(hit.mark);
    const Lane& lane = m.lanes[hit.lane];
    return lane.readout ? lane.readout(hit.time, hit.y) : QString();
}

QString tooltipOf(const LaneModel& m, const LaneHit& hit)
{
    if (hit.marks && hit.marks->tooltip)
        return hit.marks->tooltip(hit.mark);
    const Lane& lane = m.lanes[hit.lane];
    if (lane.tooltip)
        return lane.tooltip(hit.time, hit.y);
    return readoutOf(m, hit).toHtmlEscaped();
}

namespace {

constexpr double kMostHits = 12'000; // limit of hit tests per chart
/// Collects the picture parts of one row of marks, or of a lane without rows.
class RowParts
{
public:
    RowParts(const LaneModel& model, const QRectF& place, std::vector<PicturePart>& parts)
        : m_model(model), m_place(place), m_parts(parts)
    {
    }

    void add(double left, double right, const LaneHit& hit, const QStringList& keys)
    {
        const bool sameMark = hit.marks && hit.marks == m_last.marks && hit.mark == m_last.mark;
        const QString tooltip = sameMark ? QString() : tooltipOf(m_model, hit);
        if (m_open && m_last.marks == hit.marks &&
            (sameMark || (!hit.marks && m_parts.back().tooltip == tooltip && m_parts.back().keys == keys))) {
            m_parts.back().rect.setRight(right);
            return;
        }
        m_open = !tooltip.isEmpty();
        m_last = hit;
        if (m_open)
            m_parts.push_back(
                {QRectF(QPointF(left, m_place.top()), QPointF(right, m_place.bottom())), keys, tooltip});
    }
    void end() { m_open = false; }

private:
    const LaneModel& m_model;
    QRectF m_place;
    std::vector<PicturePart>& m_parts;
    LaneHit m_last;
    bool m_open = false;
};

} // namespace

std::vector<PicturePart> laneParts(const LaneModel& model, const LanePlaces& places, const Axis& time,
                                   const std::function<QStringList(const LaneHit&)>& keys)
{
    std::vector<QRectF> rows;
    for (std::size_t i = 0; i < places.lanes.size(); ++i) {
        const Lane& lane = model.lanes[i];
        const LaneBox& box = places.lanes[i];
        if (lane.rows.empty() && (lane.tooltip || lane.readout))
            rows.push_back(box.rect);
        for (std::size_t r = 0; r < box.rows.size(); ++r)
            if (!lane.rows[r].plain)
                rows.push_back(box.rows[r]);
    }
    const double width = places.plot.width();
    const double step = std::max(1.0, std::ceil(width * static_cast<double>(rows.size()) / kMostHits));
    std::vector<PicturePart> parts;
    for (const QRectF& row : rows) {
        RowParts found(model, row, parts);
        for (double x = places.plot.left(); x < places.plot.right(); x += step) {
            const double right = std::min(x + step, places.plot.right());
            if (const auto hit = laneHit(model, places, time, {(x + right) / 2, row.center().y()}))
                found.add(x, right, *hit, keys(*hit));
            else
                found.end();
        }
    }
    return parts;
}

std::vector<ShareColumn> mergedShares(const std::vector<float>& share, std::size_t kinds)
{
    std::vector<ShareColumn> out;
    for (std::size_t x = 0; x * kinds < share.size(); ++x) {
        const float* here = share.data() + x * kinds;
        if (!out.empty() && std::equal(here, here + kinds, out.back().share.begin(),
                                       [](float a, float b) { return std::abs(a - b) < 1e-4F; }))
            ++out.back().width;
        else
            out.push_back({static_cast<int>(x), 1, {here, here + kinds}});
    }
    return out;
}

std::vector<ShareColumn> shareColumns(const Marks& m, double from, double to, int width)
{
    if (width <= 0 || !(to > from))
        return {};
    std::vector<float> share(static_cast<std::size_t>(width) * m.kinds, 0.0F);
    const double perPixel = (to - from) / width;
    for (std::size_t i = m.firstAfter(from); i < m.count; ++i) {
        const double start = m.start(i);
        if (start >= to)
            break;
        const double a = std::max(0.0, (start - from) / perPixel);
        const double b = std::min<double>(width, (m.end(i) - from) / perPixel);
        const std::size_t kind = m.kindOf(i);
        for (auto x = static_cast<std::size_t>(a); static_cast<double>(x) < b; ++x) {
            float& cell = share[x * m.kinds + kind];
            const double part = std::min(b, static_cast<double>(x) + 1) - std::max(a, static_cast<double>(x));
            cell = std::min(1.0F, cell + static_cast<float>(part));
        }
    }
    return mergedShares(share, m.kinds);
}

void paintShares(QPainter& painter, const std::vector<ShareColumn>& columns, const Marks& m,
                 const QRectF& rect, const Theme& theme, bool patterns)
{
    painter.setRenderHint(QPainter::Antialiasing, false);
    std::vector<std::vector<QRectF>> rects(m.kinds);
    for (const ShareColumn& column : columns) {
        double y = rect.bottom();
        double sum = 0;
        for (std::size_t k = 0; k < m.kinds; ++k) {
            if (column.share[k] <= 0)
                continue;
            sum += static_cast<double>(column.share[k]);
            double top = sum > 0.999 ? rect.top() : std::round(rect.bottom() - sum * rect.height());
            if (y == rect.bottom()) // small shares are at least one pixel high
                top = std::min(top, rect.bottom() - 1);
            if (top < y)
                rects[k].emplace_back(rect.left() + column.x, top, column.width, y - top);
            y = std::min(y, top);
        }
    }
    painter.setPen(Qt::NoPen);
    for (std::size_t k = 0; k < m.kinds; ++k) {
        if (rects[k].empty())
            continue;
        const MarkStyle style = m.style(k, theme);
        painter.setBrush(style.fill);
        painter.drawRects(rects[k].data(), static_cast<int>(rects[k].size()));
        if (patterns && style.pattern != Qt::NoBrush) {
            painter.setBrush(QBrush(style.patternColour.isValid() ? style.patternColour
                                                                  : Theme::mix(style.fill, theme.text, 0.3),
                                    style.pattern));
            painter.drawRects(rects[k].data(), static_cast<int>(rects[k].size()));
        }
    }
    painter.setRenderHint(QPainter::Antialiasing, true);
}

} // namespace tilewright::ui
