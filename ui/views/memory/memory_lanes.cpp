// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/memory/memory_lanes.h"

#include "chart/plot_paint.h"
#include "theme/text.h"
#include "theme/text_metrics.h"
#include "theme/theme.h"
#include "workspace/texts.h"

#include <QPainter>
#include <QPainterPath>

#include <algorithm>
#include <cmath>

namespace tilewright::ui {

namespace {

/// A band of the stack; bands are listed from bottom to top.
struct Band
{
    ContentItem::Kind kind;
    std::int64_t MemoryUse::*elements;
};
const std::array<Band, 6> kBands{{{ContentItem::Kind::Resident, &MemoryUse::resident},
                                  {ContentItem::Kind::Retained, &MemoryUse::retained},
                                  {ContentItem::Kind::Input, &MemoryUse::input},
                                  {ContentItem::Kind::Interior, &MemoryUse::interior},
                                  {ContentItem::Kind::Accumulator, &MemoryUse::accumulator},
                                  {ContentItem::Kind::Output, &MemoryUse::output}}};

constexpr int kFollowed = 4; // height of the line that marks the followed tensor, in pixels

Axis sizeAxis(const MemoryModel& model, const QRectF& plot)
{
    std::int64_t high = std::max(model.capacity, model.timeline->peak);
    if (model.baseline)
        high = std::max(high, model.baseline->peak);
    return {0, static_cast<double>(high) * 1.08, plot.bottom(), plot.top()};
}

/// Paints the stack of a pixel column, or of equal neighbouring columns. The followed tensor is at the bottom
/// of its bands, in full colour between two lines; all else is dimmed.
void paintStack(QPainter& painter, const TimelineColumn& c, int left, int width, const Axis& size,
                bool following, const Theme& theme)
{
    const QColor faint = Theme::mix(theme.canvas, theme.muted, 0.25);
    const auto pixel = [&](std::int64_t elements) {
        return qRound(size.toPixel(static_cast<double>(elements)));
    };
    std::int64_t sum = 0;
    int y = pixel(0);
    for (const Band& band : kBands) {
        const QColor& full = contentColour(band.kind, theme);
        const std::int64_t own = following ? c.tensor.*band.elements : 0;
        const int bottom = y;
        if (own > 0) {
            const int top = std::min(y, pixel(sum + own));
            painter.fillRect(QRect(left, top, width, y - top), full);
            painter.fillRect(QRect(left, bottom - 1, width, 1), theme.text);
            painter.fillRect(QRect(left, top, width, 1), theme.text);
            y = top;
        }
        sum += c.high.*band.elements;
        const int top = pixel(sum);
        if (top < y)
            painter.fillRect(QRect(left, top, width, y - top),
                             c.peakOnly && band.kind == ContentItem::Kind::Input ? faint
                             : following ? Theme::mix(theme.canvas, full, 0.35)
                                         : full);
        const std::int64_t halo = band.kind == ContentItem::Kind::Input      ? c.high.halo.input
                                  : band.kind == ContentItem::Kind::Interior ? c.high.halo.interior
                                                                             : 0;
        // The halo is at the top of its band.
        if (const int from = std::min(y, pixel(sum - halo)); halo > 0 && top < from)
            painter.fillRect(QRect(left, top, width, from - top),
                             QBrush(haloColour(theme), Qt::BDiagPattern));
        y = std::min(y, top);
    }
}

/// Paints columns as integer rectangles. Equal neighbours are merged, so that thousands of columns are fast
/// to paint.
void paintColumns(QPainter& painter, const std::vector<TimelineColumn>& columns, const QRectF& plot,
                  const Axis& size, bool following, const Theme& theme)
{
    painter.setRenderHint(QPainter::Antialiasing, false);
    const int left = static_cast<int>(plot.left());
    const auto n = static_cast<int>(columns.size());
    for (int x = 0; x < n;) {
        const TimelineColumn& c = columns[static_cast<std::size_t>(x)];
        int end = x + 1;
        while (end < n && columns[static_cast<std::size_t>(end)] == c)
            ++end;
        if (!c.empty) {
            paintStack(painter, c, left + x, end - x, size, following, theme);
            // If the column covers a range of values, a line inside it marks the lowest value.
            const int low = qRound(size.toPixel(static_cast<double>(c.low)));
            const int top = qRound(size.toPixel(static_cast<double>(c.high.total())));
            // A single column with a range of values, beside columns without one, occurs only at the border
            // of two subgraphs. Its range is not marked.
            const auto spread = [&](int i) {
                return i >= 0 && i < n &&
                       columns[static_cast<std::size_t>(i)].low <
                           columns[static_cast<std::size_t>(i)].high.total();
            };
            if (low > top + 1 && (end - x > 1 || spread(x - 1) || spread(end)))
                painter.fillRect(QRect(left + x, low, end - x, 1),
                                 Theme::mix(theme.text, theme.canvas, 0.35));
            if (following && c.tensorIn)
                painter.fillRect(QRect(left + x, qRound(plot.bottom()) + 1, end - x, kFollowed),
                                 theme.accent);
        }
        x = end;
    }
    painter.setRenderHint(QPainter::Antialiasing, true);
}

QPainterPath outline(const std::vector<TimelineColumn>& columns, double left, const Axis& size)
{
    QPainterPath path;
    bool open = false;
    std::int64_t before = -1;
    for (std::size_t x = 0; x < columns.size(); ++x) {
        const std::int64_t v = columns[x].empty ? 0 : columns[x].high.total();
        if (v == before)
            continue;
        const QPointF at(left + static_cast<double>(x), size.toPixel(static_cast<double>(v)));
        if (open) {
            path.lineTo(at.x(), size.toPixel(static_cast<double>(before)));
            path.lineTo(at);
        } else {
            path.moveTo(at);
            open = true;
        }
        before = v;
    }
    if (open)
        path.lineTo(left + static_cast<double>(columns.size()), size.toPixel(static_cast<double>(before)));
    return path;
}

void paintGhost(QPainter& painter, const std::vector<TimelineColumn>& columns, double left, const Axis& size,
                const Theme& theme)
{
    const QPainterPath path = outline(columns, left, size);
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(theme.canvas, 3));
    painter.drawPath(path);
    painter.setPen(QPen(theme.text, 1.2, Qt::DashLine));
    painter.drawPath(path);
}

/// Paints the strip of running subgraphs below the plot, with as many numbers as fit.
void paintStrip(QPainter& painter, const MemoryModel& model, const LaneFrame& f)
{
    const QRectF& strip = f.rect;
    const Axis& time = f.time;
    const Theme& theme = f.theme;
    const QFont plain = uiFont(0.85);
    const QFont bold = uiFont(0.85, QFont::Bold);
    const TextMetrics plainMetrics(plain);
    const TextMetrics boldMetrics(bold);
    painter.setRenderHint(QPainter::Antialiasing, false);
    const auto& parts = model.timeline->parts;
    const auto first = model.timeline->partAt(time.v0);
    int lastRight = -1;
    for (std::size_t i = first.value_or(0); i < parts.size() && parts[i].start <= time.v1; ++i) {
        if (parts[i].duration <= 0)
            continue;
        const int x0 = qRound(std::max(time.toPixel(parts[i].start), strip.left()));
        const int x1 = qRound(std::min(time.toPixel(parts[i].end()), strip.right()));
        if (x1 <= lastRight)
            continue; // several subgraphs share one pixel: paint it once
        lastRight = x1;
        const bool current = model.subgraph == parts[i].id;
        const QRect r(x0, static_cast<int>(strip.top()) + 1, std::max(1, x1 - x0 - (x1 - x0 > 3 ? 1 : 0)),
                      static_cast<int>(strip.height()) - 2);
        painter.fillRect(r, current      ? theme.accent
                            : i % 2 == 0 ? Theme::mix(theme.canvas, theme.muted, 0.18)
                                         : Theme::mix(theme.canvas, theme.muted, 0.30));
        // The subgraphs that hold the followed tensor have a frame and a bold number.
        const bool holds = model.track && model.track->isIn(i);
        if (holds && r.width() > 2) {
            painter.setPen(QPen(current ? theme.text : theme.accent, 1));
            painter.setBrush(Qt::NoBrush);
            painter.drawRect(r.adjusted(0, 0, -1, -1));
        }
        const QString text = QString::number(parts[i].id.index());
        const TextMetrics& fm = holds ? boldMetrics : plainMetrics;
        const double width = fm.horizontalAdvance(text);
        if (width + 6 <= r.width()) {
            const QPointF centre = QRectF(r).center();
            painter.setFont(holds ? bold : plain);
            painter.setPen(current ? theme.inkOn(theme.accent) : theme.text);
            painter.drawText(centre + QPointF(-width / 2, (fm.ascent() - fm.descent()) / 2), text);
        }
    }
    painter.setRenderHint(QPainter::Antialiasing, true);
}

void paintCapacity(QPainter& painter, const MemoryModel& model, const QRectF& plot, const Axis& size,
                   const Theme& theme)
{
    const double y = std::round(size.toPixel(static_cast<double>(model.capacity))) + 0.5;
    const QColor& colour = model.overflows ? theme.error : theme.text;
    painter.setPen(QPen(theme.canvas, 3.5));
    painter.drawLine(QPointF(plot.left(), y), QPointF(plot.right(), y));
    QPen pen(colour, 1.5);
    pen.setDashPattern({6, 3});
    painter.setPen(pen);
    painter.drawLine(QPointF(plot.left(), y), QPointF(plot.right(), y));
    const QFont font = uiFont(0.85);
    const TextMetrics fm(font);
    const QString text = tr("capacity %1").arg(elementsText(*model.timeline->problem, model.capacity));
    const QRectF box(plot.right() - fm.horizontalAdvance(text) - 10, y - fm.height() - 2,
                     fm.horizontalAdvance(text) + 8, fm.height());
    QColor back = theme.canvas;
    back.setAlphaF(0.85F);
    painter.setPen(Qt::NoPen);
    painter.setBrush(back);
    painter.drawRoundedRect(box, 3, 3);
    painter.setFont(font);
    painter.setPen(colour);
    painter.drawText(box, Qt::AlignCenter, text);
}

/// Paints a triangle that points at the peak.
void paintPeak(QPainter& painter, const MemoryModel& model, const Axis& time, const Axis& size,
               const Theme& theme)
{
    const double t = model.timeline->peakTime;
    if (t < time.v0 || t > time.v1)
        return;
    const QPointF tip(time.toPixel(t), size.toPixel(static_cast<double>(model.timeline->peak)) - 1);
    const QPointF base = tip - QPointF(0, 8);
    painter.setPen(QPen(theme.canvas, 1.5));
    painter.setBrush(model.overflows ? theme.error : theme.text);
    painter.drawPolygon(QPolygonF{tip, base - QPointF(5, 0), base + QPointF(5, 0)});
}

std::vector<ChartKey> legendOf(const MemoryModel& model, const Theme& theme)
{
    std::vector<ChartKey> keys;
    keys.reserve(kBands.size() + 1);
    for (const Band& band : kBands)
        if (model.largest.*band.elements > 0)
            keys.push_back(patchKey(contentKindText(band.kind), contentColour(band.kind, theme), theme));
    if (model.hasHalos)
        keys.push_back({tr("halo"), [&theme](QPainter& p, const QRectF& box) {
                            p.fillRect(box, theme.input);
                            p.fillRect(box, QBrush(haloColour(theme), Qt::BDiagPattern));
                        }});
    if (model.baseline)
        keys.push_back(lineKey(tr("baseline"), QPen(theme.text, 1.4, Qt::DashLine)));
    return keys;
}

void paintPlot(QPainter& painter, const MemoryModel& model, const MemoryColumns& columns, const LaneFrame& f)
{
    const Axis size = sizeAxis(model, f.rect);
    const Problem& problem = *model.timeline->problem;
    Axis elements = size;
    elements.v1 /= static_cast<double>(problem.unitsPerElement());
    paintYAxis(painter, elements, f.rect, elementWord(problem), f.theme);
    painter.save();
    const double above =
        std::max(12.0, TextMetrics(uiFont(0.85)).height() + 3); // room for the label of the capacity
    painter.setClipRect(f.rect.adjusted(-6, -above, 6, kFollowed + 1), Qt::IntersectClip);
    paintColumns(painter, columns.current, f.rect, size, model.track != nullptr, f.theme);
    if (model.baseline)
        paintGhost(painter, columns.baseline, f.rect.left(), size, f.theme);
    paintCapacity(painter, model, f.rect, size, f.theme);
    paintPeak(painter, model, f.time, size, f.theme);
    painter.restore();
}

void paintWhole(QPainter& painter, const MemoryModel& model, const MemoryColumns& columns, const LaneFrame& f)
{
    const Axis size{0, static_cast<double>(std::max(model.capacity, model.timeline->peak)) * 1.05,
                    f.rect.bottom(), f.rect.top()};
    painter.setPen(Qt::NoPen);
    QPainterPath shape = outline(columns.current, f.rect.left(), size);
    shape.lineTo(f.rect.right(), size.toPixel(0));
    shape.lineTo(f.rect.left(), size.toPixel(0));
    painter.setBrush(Theme::mix(f.theme.canvas, f.theme.muted, 0.55));
    painter.drawPath(shape);
}

/// Share of a time interval in which a unit is busy, at most 1.
struct UnitUse
{
    double compute = 0, load = 0, store = 0;
};

UnitUse useOf(double duration, double compute, double load, double store)
{
    if (duration <= 0)
        return {};
    return {std::min(1.0, compute / duration), std::min(1.0, load / duration),
            std::min(1.0, store / duration)};
}

UnitUse useOf(const TimelinePart& part)
{
    return useOf(part.duration, part.compute, part.load, part.store);
}

UnitUse useOf(const StepSums& step)
{
    const auto moved = static_cast<double>(step.loadElements + step.storeElements);
    const double load = moved > 0 ? step.memory * static_cast<double>(step.loadElements) / moved : 0;
    return useOf(step.latency, step.compute, load, step.memory - load);
}

/// Paints the use of the compute unit or of the memory path (loads below stores) over time. Each step is
/// drawn if it is wide enough to be visible; otherwise the mean of the subgraph is drawn.
void paintUse(QPainter& painter, const Timeline& timeline, const LaneFrame& f, bool isCompute)
{
    constexpr double kLeastStep = 2; // minimum width of a step in pixels
    painter.setRenderHint(QPainter::Antialiasing, false);
    painter.fillRect(f.rect, Theme::mix(f.theme.canvas, f.theme.muted, 0.08));
    const auto paint = [&](double start, double end, const UnitUse& use) {
        const int x0 = qRound(std::max(f.time.toPixel(start), f.rect.left()));
        const int x1 = qRound(std::min(f.time.toPixel(end), f.rect.right()));
        const auto y = [&](double share) { return qRound(f.rect.bottom() - share * f.rect.height()); };
        const auto fill = [&](double from, double to, const QColor& colour) {
            if (y(from) > y(to) && x1 > x0)
                painter.fillRect(QRect(x0, y(to), x1 - x0, y(from) - y(to)), colour);
        };
        if (isCompute) {
            fill(0, use.compute, f.theme.computeTime);
        } else {
            fill(0, use.load, f.theme.loadTime);
            fill(use.load, std::min(1.0, use.load + use.store), f.theme.storeTime);
        }
    };
    const auto& parts = timeline.parts;
    for (std::size_t i = timeline.partAt(f.time.v0).value_or(0);
         i < parts.size() && parts[i].start <= f.time.v1; ++i) {
        const TimelinePart& part = parts[i];
        const auto steps = part.steps ? static_cast<double>(part.steps->size()) : 0;
        if (steps == 0 || part.duration / steps < kLeastStep * f.perPixel()) {
            paint(part.start, part.end(), useOf(part));
            continue;
        }
        const StepTable& table = *part.steps;
        for (std::int64_t s = table.stepAt(f.time.v0 - part.start);
             s < table.size() && part.start + table.start(s) <= f.time.v1; ++s)
            paint(part.start + table.start(s), part.start + table.start(s + 1), useOf(table.sums(s)));
    }
    painter.setRenderHint(QPainter::Antialiasing, true);
}

/// Returns the lane for the use of the compute unit or of the memory path.
Lane useLane(const std::shared_ptr<const MemoryModel>& m, bool isCompute)
{
    Lane lane;
    lane.name = isCompute ? tr("compute") : tr("load, store");
    lane.height = 3;
    lane.gap = 4;
    lane.paint = [m, isCompute](QPainter& painter, const LaneFrame& f) {
        paintUse(painter, *m->timeline, f, isCompute);
    };
    lane.readout = [m, isCompute](double time, double) {
        const auto at = time > m->timeline->total ? std::nullopt : m->timeline->partAt(time);
        if (!at)
            return QString();
        const TimelinePart& part = m->timeline->parts[*at];
        const UnitUse mean = useOf(part);
        const UnitUse now =
            part.isKnown() ? useOf(part.steps->sums(part.steps->stepAt(time - part.start))) : mean;
        const auto texts = [isCompute](const UnitUse& use) {
            return isCompute
                       ? tr("computes %1 of the time").arg(percent(use.compute))
                       : tr("loads %1, stores %2 of the time").arg(percent(use.load), percent(use.store));
        };
        return tr("subgraph %1 %2; this step %3")
            .arg(number(static_cast<std::int64_t>(part.id.index())), texts(mean), texts(now));
    };
    return lane;
}

QString contentsReadout(const MemoryModel& m, double time)
{
    const auto c = contentsAt(*m.timeline, time);
    return c ? tr("subgraph %1, step %2 · %3 of %4 %5 in memory")
                       .arg(number(static_cast<std::int64_t>(c->part)), number(c->step),
                            elementsText(*m.timeline->problem, c->total),
                            elementsText(*m.timeline->problem, m.capacity),
                            elementWord(*m.timeline->problem)) +
                   (c->halo == HaloVolume() ? QString()
                                            : QStringLiteral(" · ") + haloText(*c, *m.timeline->problem))
             : QString();
}

Marks subgraphMarks(const std::shared_ptr<const Timeline>& timeline)
{
    const Problem& problem = *timeline->problem;
    const auto& parts = timeline->parts;
    Marks m;
    m.count = parts.size();
    m.start = [&parts](std::size_t i) { return parts[i].start; };
    m.end = [&parts](std::size_t i) { return parts[i].end(); };
    m.label = [&parts](std::size_t i) { return QString::number(parts[i].id.index()); };
    m.facts = [&parts, &problem](std::size_t i) {
        return tr("subgraph %1 · highest %2 %3")
            .arg(number(static_cast<std::int64_t>(parts[i].id.index())), elementsText(problem, parts[i].peak),
                 elementWord(problem));
    };
    return m;
}

} // namespace

const MemoryColumns& MemoryCache::at(const MemoryModel& m, double from, double to, int width, bool whole)
{
    if (m_timeline != m.timeline || m_baseline != m.baseline || m_track != m.track) {
        m_entries = {};
        m_timeline = m.timeline;
        m_baseline = m.baseline;
        m_track = m.track;
    }
    Entry& entry = m_entries[whole ? 1 : 0];
    if (entry.from != from || entry.to != to || entry.width != width) {
        const Entry& other = m_entries[whole ? 0 : 1];
        if (other.from == from && other.to == to && other.width == width)
            entry = other;
        else
            entry = {from, to, width, {timelineColumns(*m.timeline, from, to, width, m.track.get()), {}}};
        if (m.baseline && entry.columns.baseline.empty())
            entry.columns.baseline = timelineColumns(*m.baseline, from, to, width);
    }
    return entry.columns;
}

LaneModel memoryLanes(const std::shared_ptr<const MemoryModel>& m, const std::shared_ptr<MemoryCache>& cache)
{
    LaneModel out;
    out.hint = m->hint;
    if (m->hint.isEmpty() && !m->timeline)
        out.hint = tr("Tracing the steps of every subgraph …");
    if (!out.hint.isEmpty())
        return out;
    out.title = m->title;
    out.titleColour = [bad = m->overflows && !m->track](const Theme& t) { return bad ? t.error : t.text; };
    out.legends = [m](const Theme& theme) { return std::vector<std::vector<ChartKey>>{legendOf(*m, theme)}; };
    out.total = m->total;
    out.shortest = m->total * 1e-9;
    out.unit = tr("time");
    out.overviewHeight = 24;
    out.most = 1000; // no practical limit: the lanes fill the available height
    const TextMetrics fm(uiFont(0.9));
    out.labelWidth = fm.horizontalAdvance(tr("load, store")) + 10;

    out.lanes.push_back(headingLane()); // reserves room for the title of the axis
    Lane plot;
    plot.gap = 2 + kFollowed;
    plot.height = 24;
    plot.paint = [m, cache](QPainter& painter, const LaneFrame& f) {
        const auto& columns = cache->at(*m, f.time.v0, f.time.v1, static_cast<int>(f.rect.width()), false);
        paintPlot(painter, *m, columns, f);
    };
    const auto over = [m](double time) { return time > m->timeline->total; };
    plot.readout = [m, over](double time, double) {
        return over(time) ? QString() : contentsReadout(*m, time);
    };
    plot.tooltip = [m, over](double time, double) {
        const auto c = over(time) ? std::nullopt : contentsAt(*m->timeline, time);
        return c ? contentsTooltip(*c, *m->timeline, m->capacity) : QString();
    };
    Lane strip;
    strip.fixed = true;
    strip.height = TextMetrics(uiFont(0.85)).height() + 4;
    strip.rows = {{{subgraphMarks(m->timeline)}}};
    strip.paintsMarks = true;
    strip.paint = [m](QPainter& painter, const LaneFrame& f) { paintStrip(painter, *m, f); };
    strip.tooltip = plot.tooltip;
    strip.readout = plot.readout;
    out.lanes.push_back(std::move(plot));
    out.lanes.push_back(std::move(strip));
    for (const bool isCompute : {true, false})
        out.lanes.push_back(useLane(m, isCompute));
    out.overview = [m, cache](QPainter& painter, const LaneFrame& f) {
        paintWhole(painter, *m, cache->at(*m, 0, m->total, static_cast<int>(f.rect.width()), true), f);
    };
    return out;
}

} // namespace tilewright::ui
